// Near which pods a pod must be and away from which, and which pods keep away from it: the required
// pod affinity and anti-affinity, its own and that of pods that have a node, as kube-scheduler
// reads them. Pods count as soon as they have a place, and until they have ended.
#pragma once

#include <optional>

#include "core/cache/cache.h"
#include "core/decide/filter/topology_values.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

// Worked out once for a decision, then asked for every node. Pod and cache must outlive it and stay
// as they are. Making it is linear in the nodes that have such pods.
class PodAffinity {
 public:
  PodAffinity(const model::Pod& pod, const cache::Cache& cache);

  [[nodiscard]] std::optional<model::Reason> Refuse(const model::Node& node) const;

 private:
  void FindNear(const cache::Cache& cache);
  void FindApart(const cache::Cache& cache);
  void FindAgainst(const cache::Cache& cache);
  [[nodiscard]] std::optional<model::Reason> RefuseNear(const model::Node& node) const;

  const model::Pod& pod_;
  TopologyValues near_;     // where pods are that all its affinity terms match
  TopologyValues apart_;    // where pods are that its anti-affinity matches
  TopologyValues against_;  // where pods are whose anti-affinity matches it
  // Nobody is there to be near to, and it is such a pod itself: the first of a group may go
  // anywhere.
  bool is_first_ = false;
};

}  // namespace gs::filter
