#include "core/decide/score/preferred_nodes.h"

#include <algorithm>

#include "core/decide/filter/taints.h"

namespace gs::score {

std::int64_t UnmetWishes(const model::PlacementRules& rules, const model::Node& node) {
  std::int64_t weights = 0;
  for (const auto& [weight, term] : rules.preferred_nodes) {
    if (!Matches(term, node.labels, node.name.text())) weights += weight;
  }
  return weights;
}

std::int64_t UnwelcomeTaints(const model::PlacementRules& rules, const model::Node& node) {
  return std::count_if(node.taints.begin(), node.taints.end(), [&rules](const auto& taint) {
    return taint.effect == model::TaintEffect::kPreferNoSchedule &&
           !filter::IsTolerated(rules, taint);
  });
}

}  // namespace gs::score
