// PodQuestion: which pods somebody counts, to stay near them, away from them, or to be spread with
// them.
#pragma once

#include <string>
#include <vector>

#include "core/model/pod.h"
#include "core/model/pod_affinity.h"
#include "core/model/spread_constraint.h"

namespace gs::cache {

// Those that every term matches, wherever they are: topology keys have no part in it.
struct PodQuestion {
  std::vector<model::PodAffinityTerm> terms;  // at least one
  bool leaves_out_terminating = false;        // pods that are asked to go

  // The same for questions that are the same.
  [[nodiscard]] std::string key() const;
  // The only namespace it is about; empty if there may be several.
  [[nodiscard]] Namespace scope() const;
};

// Requires: the pod has such terms. An existing pod counts only if all of them match it.
[[nodiscard]] PodQuestion QuestionOfAffinity(const model::Pod& pod);
[[nodiscard]] PodQuestion QuestionOfAntiAffinity(const model::PodAffinityTerm& term);
// Pods of the same namespace. As in kube-scheduler those that are asked to go count no longer.
[[nodiscard]] PodQuestion QuestionOfSpread(const model::Pod& pod,
                                           const model::SpreadConstraint& constraint);
// A selector that asks for nothing counts no pod in kube-scheduler, so there is no question.
[[nodiscard]] bool AsksAnything(const model::SpreadConstraint& constraint);

// All that a pod asks before it has a place.
[[nodiscard]] std::vector<PodQuestion> QuestionsOf(const model::Pod& pod);

}  // namespace gs::cache
