// Texts that are the same exactly for values that are the same, so that what asks for the same can
// be found and kept once. Not for people.
#pragma once

#include <string>

#include "core/model/pod_affinity.h"
#include "core/model/selector.h"

namespace gs::model {

[[nodiscard]] std::string KeyOf(const LabelSelector& selector);

// Of the pods that it matches; the topology key has no part in that.
[[nodiscard]] std::string KeyOfPods(const PodAffinityTerm& term);

}  // namespace gs::model
