#include "core/model/node_affinity.h"

#include <algorithm>
#include <ostream>

#include "base/text.h"

namespace gs::model {

bool Matches(const NodeSelectorTerm& term, const Labels& labels, const std::string& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  const auto by_label = [&labels](const Requirement& requirement) {
    return Matches(requirement, labels.Find(requirement.key));
  };
  const auto by_field = [&node](const Requirement& requirement) {
    return requirement.key == kNodeNameField && Matches(requirement, &node);
  };
  return std::all_of(term.labels.begin(), term.labels.end(), by_label) &&
         std::all_of(term.fields.begin(), term.fields.end(), by_field);
}

std::string ToString(const NodeSelectorTerm& term) {
  if (term.labels.empty() && term.fields.empty()) return "no node";
  std::vector<Requirement> all = term.labels;
  all.insert(all.end(), term.fields.begin(), term.fields.end());
  return text::Join(all, " and ", [](const Requirement& each) { return ToString(each); });
}

std::ostream& operator<<(std::ostream& out, const NodeSelectorTerm& term) {
  return out << ToString(term);
}

}  // namespace gs::model
