#include "core/explain/dry_run.h"

#include <variant>

namespace gs::explain {

DryRun TryToPlace(const model::Pod& pod, const std::optional<model::Claim>& claim,
                  const Scene& scene) {
  const auto ask = claim ? decide::AskOfClaim(pod, *claim, scene.ask)
                         : decide::AskOf(pod, scene.cache, scene.ask);
  DryRun run;
  const auto* known = std::get_if<decide::Ask>(&ask);
  if (known == nullptr) {
    run.explanation = Explain(pod, scene);
    return run;
  }
  run.places = decide::RankPlaces(pod, *known, scene.cache, scene.context);
  if (run.places.empty()) run.explanation = Explain(pod, *known, scene);
  return run;
}

}  // namespace gs::explain
