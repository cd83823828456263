#include "core/decide/filter/taints.h"

#include <algorithm>
#include <string>

namespace gs::filter {
namespace {

using model::ReasonToken;
using model::Taint;
using model::TaintEffect;
using model::Toleration;
using model::TolerationOperator;

const Taint kCordoned{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (toleration.op == TolerationOperator::kExists) {
    return toleration.key.empty() || toleration.key == taint.key;
  }
  return toleration.key == taint.key && toleration.value == taint.value;
}

}  // namespace

bool IsTolerated(const model::PlacementRules& rules, const Taint& taint) {
  return std::any_of(rules.tolerations.begin(), rules.tolerations.end(),
                     [&taint](const auto& toleration) { return Tolerates(toleration, taint); });
}

const Taint* FindUntolerated(const model::PlacementRules& rules, const model::Node& node) {
  for (const Taint& taint : node.taints) {
    // Such a taint is a wish.
    if (taint.effect == TaintEffect::kPreferNoSchedule || IsTolerated(rules, taint)) continue;
    return &taint;
  }
  return nullptr;
}

std::optional<model::Reason> RefusedByTaint(const model::PlacementRules& rules,
                                            const model::Node& node) {
  if (node.is_unschedulable && !IsTolerated(rules, kCordoned)) {
    return model::Reason{ReasonToken::kNodesExcluded, "the node is cordoned"};
  }
  const Taint* taint = FindUntolerated(rules, node);
  if (taint == nullptr) return std::nullopt;
  return model::Reason{ReasonToken::kNodesExcluded,
                       "it does not tolerate the taint " + ToString(*taint)};
}

}  // namespace gs::filter
