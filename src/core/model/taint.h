// What a node keeps pods away with.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace gs::model {

enum class TaintEffect : std::uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

[[nodiscard]] std::string_view ToString(TaintEffect effect);
// Exactly as Kubernetes spells it, but case does not matter.
[[nodiscard]] std::optional<TaintEffect> ParseTaintEffect(std::string_view text);

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;

  friend bool operator==(const Taint&, const Taint&) = default;
};

// "nvidia.com/gpu=true:NoSchedule"
[[nodiscard]] std::string ToString(const Taint& taint);
std::ostream& operator<<(std::ostream& out, const Taint& taint);

}  // namespace gs::model
