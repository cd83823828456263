// Which taints a pod puts up with.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/taint.h"

namespace gs::model {

enum class TolerationOperator : std::uint8_t {
  kEqual,   // key and value
  kExists,  // the key alone; without a key: every taint
};

[[nodiscard]] std::string_view ToString(TolerationOperator op);
[[nodiscard]] std::optional<TolerationOperator> ParseTolerationOperator(std::string_view text);

struct Toleration {
  std::string key;
  std::string value;
  TolerationOperator op = TolerationOperator::kEqual;
  std::optional<TaintEffect> effect;  // absent: every effect

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// "nvidia.com/gpu Exists, NoSchedule", "team Equal a"
[[nodiscard]] std::string ToString(const Toleration& toleration);
std::ostream& operator<<(std::ostream& out, const Toleration& toleration);

}  // namespace gs::model
