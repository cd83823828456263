#include "core/decide/filter/node_affinity.h"

#include <algorithm>
#include <string>

#include "base/parse.h"

namespace gs::filter {
namespace {

using model::NodeRequirement;
using model::ReasonToken;
using model::SelectorOperator;

bool Contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Both sides must be whole numbers, else nothing matches.
bool Compares(const NodeRequirement& requirement, const std::string& value) {
  if (requirement.values.size() != 1) return false;
  const auto left = ParseInt64(value);
  const auto right = ParseInt64(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == SelectorOperator::kGt ? *left > *right : *left < *right;
}

// `value` is null where the node has no such label.
bool Matches(const NodeRequirement& requirement, const std::string* value) {
  switch (requirement.op) {
    case SelectorOperator::kIn: return value != nullptr && Contains(requirement.values, *value);
    case SelectorOperator::kNotIn: return value == nullptr || !Contains(requirement.values, *value);
    case SelectorOperator::kExists: return value != nullptr;
    case SelectorOperator::kDoesNotExist: return value == nullptr;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt: return value != nullptr && Compares(requirement, *value);
  }
  return false;
}

bool Matches(const model::NodeSelectorTerm& term, const model::Node& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  const auto by_label = [&node](const NodeRequirement& requirement) {
    return Matches(requirement, node.labels.Find(requirement.key));
  };
  const auto by_field = [&node](const NodeRequirement& requirement) {
    return requirement.key == model::kNodeNameField && Matches(requirement, &node.name.text());
  };
  return std::all_of(term.labels.begin(), term.labels.end(), by_label) &&
         std::all_of(term.fields.begin(), term.fields.end(), by_field);
}

}  // namespace

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
      terms.empty() || std::any_of(terms.begin(), terms.end(),
                                   [&node](const auto& term) { return Matches(term, node); });
  if (is_wanted) return std::nullopt;
  return model::Reason{ReasonToken::kNodesExcluded,
                       "its node affinity asks for " + ToString(terms.front()) +
                           (terms.size() > 1 ? " or another term" : "")};
}

}  // namespace gs::filter
