#include "core/explain/dry_run.h"

#include <variant>

namespace gs::explain {

DryRun TryToPlace(const model::Pod& pod, const std::optional<model::Claim>& claim,
                  const Scene& scene) {
  model::Pod made = pod;
  made.has_visible_devices_variable = true;  // the webhook would see it
  const auto ask = claim ? decide::AskOfClaim(made, *claim, scene.ask)
                         : decide::AskOf(made, scene.cache, scene.ask);
  DryRun run;
  const auto* known = std::get_if<decide::Ask>(&ask);
  if (known == nullptr) {
    run.explanation = Explain(made, scene);
    return run;
  }
  run.places = decide::RankPlaces(made, *known, scene.cache, scene.context);
  if (run.places.empty()) run.explanation = Explain(made, *known, scene);
  return run;
}

}  // namespace gs::explain
