// How evenly pods that look alike are spread over zones, racks or nodes: the topology spread
// constraints that must hold, with their policies, as kube-scheduler reads them. Pods that are
// asked to go count no longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cache/cache.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reason.h"
#include "core/model/spread_constraint.h"

namespace gs::filter {

// Worked out once for a decision, then asked for every node. Pod and cache must outlive it and stay
// as they are. Making it is linear in the nodes, if the pod has such constraints.
class TopologySpread {
 public:
  TopologySpread(const model::Pod& pod, const cache::Cache& cache);

  [[nodiscard]] std::optional<model::Reason> Refuse(const model::Node& node) const;

 private:
  struct Domains {
    const model::SpreadConstraint* constraint = nullptr;
    std::unordered_map<std::string_view, std::int64_t> pods;  // by the value of the label
    std::int64_t fewest = 0;
    std::int64_t itself = 0;  // 1: the pod counts too where it goes
  };

  [[nodiscard]] bool HasAllKeys(const model::Node& node) const;
  // Whether the node's pods and its part of the cluster count.
  [[nodiscard]] bool Counts(const model::SpreadConstraint& constraint,
                            const model::Node& node) const;
  [[nodiscard]] Domains Survey(const model::SpreadConstraint& constraint,
                               const cache::Cache& cache) const;

  const model::Pod& pod_;
  std::vector<Domains> constraints_;
};

}  // namespace gs::filter
