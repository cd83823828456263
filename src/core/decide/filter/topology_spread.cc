#include "core/decide/filter/topology_spread.h"

#include <algorithm>
#include <string>

#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/taints.h"

namespace gs::filter {

using model::Reason;
using model::ReasonToken;

TopologySpread::TopologySpread(const model::Pod& pod, const cache::Cache& cache) : pod_(pod) {
  for (const auto& constraint : pod.rules->spread) {
    constraints_.push_back(Survey(constraint, cache));
  }
}

bool TopologySpread::HasAllKeys(const model::Node& node) const {
  const auto& spread = pod_.rules->spread;
  return std::all_of(spread.begin(), spread.end(), [&node](const auto& constraint) {
    return node.labels.Find(constraint.topology_key) != nullptr;
  });
}

bool TopologySpread::Counts(const model::SpreadConstraint& constraint,
                            const model::Node& node) const {
  if (!HasAllKeys(node)) return false;
  if (constraint.honours_affinity && !IsWanted(*pod_.rules, node)) return false;
  return !constraint.honours_taints || FindUntolerated(*pod_.rules, node) == nullptr;
}

TopologySpread::Domains TopologySpread::Survey(const model::SpreadConstraint& constraint,
                                               const cache::Cache& cache) const {
  Domains domains{.constraint = &constraint};
  domains.itself = constraint.selector && Matches(*constraint.selector, pod_.labels) ? 1 : 0;
  // A part of the cluster without such pods counts too: it has none.
  for (const auto& [name, view] : cache.nodes()) {
    if (!view.is_known || !Counts(constraint, view.node)) continue;
    domains.pods.try_emplace(*view.node.labels.Find(constraint.topology_key), 0);
  }
  if (cache::AsksAnything(constraint)) {
    cache.placed().ForEachNode(
        cache::QuestionOfSpread(pod_, constraint), cache.pods(),
        [&](const NodeName& name, std::int64_t pods) {
          const cache::NodeView* view = cache.FindNode(name);
          if (view == nullptr || !view->is_known || !Counts(constraint, view->node)) return;
          domains.pods[*view->node.labels.Find(constraint.topology_key)] += pods;
        });
  }
  // With too few parts the emptiest one is still to come.
  if (domains.pods.empty() ||
      static_cast<std::int64_t>(domains.pods.size()) < constraint.min_domains) {
    return domains;
  }
  domains.fewest =
      std::min_element(domains.pods.begin(), domains.pods.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->second;
  return domains;
}

std::optional<Reason> TopologySpread::Refuse(const model::Node& node) const {
  for (const Domains& domains : constraints_) {
    const model::SpreadConstraint& constraint = *domains.constraint;
    const std::string* value = node.labels.Find(constraint.topology_key);
    if (value == nullptr) {
      return Reason{ReasonToken::kSpreadUnmet,
                    "its spread asks for a node with the label " + constraint.topology_key};
    }
    const auto found = domains.pods.find(*value);
    const std::int64_t pods = found == domains.pods.end() ? 0 : found->second;
    if (pods + domains.itself - domains.fewest <= constraint.max_skew) continue;
    return Reason{ReasonToken::kSpreadUnmet,
                  constraint.topology_key + "=" + *value + " has " + std::to_string(pods) +
                      " such pods and the emptiest " + std::to_string(domains.fewest) +
                      ", its spread is " + ToString(constraint)};
  }
  return std::nullopt;
}

}  // namespace gs::filter
