#include "core/decide/filter/node_affinity.h"

#include <algorithm>
#include <string>

namespace gs::filter {
using model::ReasonToken;

std::optional<model::Reason> RefusedByAffinity(const model::PlacementRules& rules,
                                               const model::Node& node) {
  for (const auto& [name, value] : rules.node_selector) {
    const std::string* label = node.labels.Find(name);
    if (label != nullptr && *label == value) continue;
    return model::Reason{ReasonToken::kNodesExcluded,
                         "its nodeSelector asks for " + name + "=" + value};
  }
  const auto& terms = rules.node_affinity;
  const bool is_wanted =
      terms.empty() || std::any_of(terms.begin(), terms.end(), [&node](const auto& term) {
        return Matches(term, node.labels, node.name.text());
      });
  if (is_wanted) return std::nullopt;
  return model::Reason{ReasonToken::kNodesExcluded,
                       "its node affinity asks for " + ToString(terms.front()) +
                           (terms.size() > 1 ? " or another term" : "")};
}

}  // namespace gs::filter
