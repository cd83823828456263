// What a pod's spec says about other pods: near which it must run, away from which, and how evenly
// those that look like it are to be spread. Internal to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "base/ids.h"
#include "core/model/labels.h"
#include "core/model/pod_affinity.h"
#include "core/model/spread_constraint.h"

namespace gs::kube {

// Whose spec it is: some of it is said relative to the pod itself.
struct PodIdentity {
  const Namespace& ns;
  const model::Labels& labels;
};

// The required terms of a podAffinity or podAntiAffinity. Nothing where one is not understood.
[[nodiscard]] std::optional<std::vector<model::PodAffinityTerm>> ReadPodAffinity(
    const JsonView& affinity, const PodIdentity& pod);

// The constraints that must hold. Nothing where one is not understood.
[[nodiscard]] std::optional<std::vector<model::SpreadConstraint>> ReadSpread(
    const JsonView& constraints, const PodIdentity& pod);

// So many keys, values and namespaces are compared with the labels of every pod that comes or goes.
inline constexpr std::size_t kMostSelectorWords = 1000;

[[nodiscard]] std::size_t WordsOf(const std::vector<model::PodAffinityTerm>& terms);
[[nodiscard]] std::size_t WordsOf(const std::vector<model::SpreadConstraint>& constraints);

}  // namespace gs::kube
