#include "core/decide/filter/node_affinity.h"

#include <algorithm>
#include <string>

namespace gs::filter {
namespace {

using model::ReasonToken;

bool HasLabel(const model::Node& node, const std::string& name, const std::string& value) {
  const std::string* label = node.labels.Find(name);
  return label != nullptr && *label == value;
}

bool MatchesAnyTerm(const model::PlacementRules& rules, const model::Node& node) {
  const auto& terms = rules.node_affinity;
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&node](const auto& term) {
           return Matches(term, node.labels, node.name.text());
         });
}

}  // namespace

bool IsWanted(const model::PlacementRules& rules, const model::Node& node) {
  const auto& selector = rules.node_selector;
  return std::all_of(
             selector.begin(), selector.end(),
             [&node](const auto& entry) { return HasLabel(node, entry.first, entry.second); }) &&
         MatchesAnyTerm(rules, node);
}

std::optional<model::Reason> RefusedByAffinity(const model::PlacementRules& rules,
                                               const model::Node& node) {
  for (const auto& [name, value] : rules.node_selector) {
    if (HasLabel(node, name, value)) continue;
    return model::Reason{ReasonToken::kNodesExcluded,
                         "its nodeSelector asks for " + name + "=" + value};
  }
  if (MatchesAnyTerm(rules, node)) return std::nullopt;
  const auto& terms = rules.node_affinity;
  return model::Reason{ReasonToken::kNodesExcluded,
                       "its node affinity asks for " + ToString(terms.front()) +
                           (terms.size() > 1 ? " or another term" : "")};
}

}  // namespace gs::filter
