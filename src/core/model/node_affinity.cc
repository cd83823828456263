#include "core/model/node_affinity.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kOperators{
    std::pair{SelectorOperator::kIn, std::string_view("In")},
    std::pair{SelectorOperator::kNotIn, std::string_view("NotIn")},
    std::pair{SelectorOperator::kExists, std::string_view("Exists")},
    std::pair{SelectorOperator::kDoesNotExist, std::string_view("DoesNotExist")},
    std::pair{SelectorOperator::kGt, std::string_view("Gt")},
    std::pair{SelectorOperator::kLt, std::string_view("Lt")},
};

}  // namespace

std::string_view ToString(SelectorOperator op) { return text::NameOf(kOperators, op); }

std::optional<SelectorOperator> ParseSelectorOperator(std::string_view text) {
  return text::ValueOf(kOperators, text);
}

std::string ToString(const NodeRequirement& requirement) {
  std::string text = requirement.key + " ";
  text += ToString(requirement.op);
  if (requirement.values.empty()) return text;
  const auto as_it_is = [](const std::string& value) { return value; };
  return text + " (" + text::Join(requirement.values, ", ", as_it_is) + ")";
}

std::string ToString(const NodeSelectorTerm& term) {
  if (term.labels.empty() && term.fields.empty()) return "no node";
  std::vector<NodeRequirement> all = term.labels;
  all.insert(all.end(), term.fields.begin(), term.fields.end());
  return text::Join(all, " and ", [](const NodeRequirement& each) { return ToString(each); });
}

std::ostream& operator<<(std::ostream& out, const NodeRequirement& requirement) {
  return out << ToString(requirement);
}

std::ostream& operator<<(std::ostream& out, const NodeSelectorTerm& term) {
  return out << ToString(term);
}

}  // namespace gs::model
