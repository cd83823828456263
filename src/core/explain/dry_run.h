// DryRun: where a pod would go that is not there. Nothing is kept of it.
#pragma once

#include <optional>
#include <vector>

#include "core/decide/ranking.h"
#include "core/explain/explanation.h"
#include "core/explain/scene.h"
#include "core/model/claim.h"
#include "core/model/pod.h"

namespace gs::explain {

struct DryRun {
  std::vector<decide::RankedPlace> places;  // best first
  Explanation explanation;                  // where there are none
};

// With a claim: as if the pod named it and it were there, whatever the pod says.
[[nodiscard]] DryRun TryToPlace(const model::Pod& pod, const std::optional<model::Claim>& claim,
                                const Scene& scene);

}  // namespace gs::explain
