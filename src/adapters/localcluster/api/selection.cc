#include "adapters/localcluster/api/selection.h"

#include <algorithm>

namespace gs::localcluster {

Answer<Selection> Selection::Read(const Kind& kind, std::string_view labels,
                                  std::string_view fields) {
  Selection selection;
  if (!labels.empty()) {
    auto parsed = LabelSelector::Parse(labels);
    if (!parsed) return BadRequest(parsed.error().message());
    selection.labels_ = *std::move(parsed);
  }
  if (fields.empty()) return selection;
  const SelectableFields selectable{.kind = kind.is_custom ? std::string_view() : kind.kind,
                                    .fields = kind.fields};
  const auto terms = ParseFieldSelector(fields, selectable);
  if (!terms) return BadRequest(terms.error().message());
  for (const auto& term : *terms) {
    std::size_t at = term.field == "metadata.name" ? kName : kNamespace;
    const auto found = std::find(kind.fields.begin(), kind.fields.end(), term.field);
    if (found != kind.fields.end()) at = static_cast<std::size_t>(found - kind.fields.begin());
    selection.terms_.push_back({.term = term, .at = at});
  }
  return selection;
}

std::string_view Selection::ValueOf(const StoredObject& object, std::size_t at) {
  if (at == kName) return object.name;
  if (at == kNamespace) return object.ns;
  return at < object.fields.size() ? std::string_view(object.fields[at]) : std::string_view();
}

bool Selection::Matches(const StoredObject& object) const {
  if (!name_.empty() && object.name != name_) return false;
  const bool has_fields = std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.term.Matches(ValueOf(object, term.at));
  });
  return has_fields && labels_.Matches(object.labels);
}

}  // namespace gs::localcluster
