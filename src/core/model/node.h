// A node of the cluster as the scheduler needs it: what it offers, whom it keeps away, and its
// GPUs.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/model/device.h"
#include "core/model/resources.h"

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

struct Node {
  NodeName name;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool is_unschedulable = false;  // cordoned
  Resources allocatable;
  std::int64_t allocatable_pods = 0;
  std::int64_t gpu_capacity = 0;   // nvidia.com/gpu, healthy or not
  std::optional<Machine> machine;  // absent: no agent reports for this node

  friend bool operator==(const Node&, const Node&) = default;
};

// "nvidia.com/gpu=true:NoSchedule"
[[nodiscard]] std::string ToString(const Taint& taint);
std::ostream& operator<<(std::ostream& out, const Taint& taint);
std::ostream& operator<<(std::ostream& out, const Node& node);

}  // namespace gs::model
