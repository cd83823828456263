#include "adapters/localcluster/tables/cells.h"

#include <boost/json/value.hpp>
#include <set>

#include "adapters/localcluster/select/label_selector.h"
#include "adapters/localcluster/store/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "base/text.h"

namespace gs::localcluster {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string AgeOf(const object& object, TimePoint now) {
  return AgeSince(FindText(object, {"metadata", "creationTimestamp"}), now);
}

std::string TextOr(std::string_view text, std::string_view fallback) {
  return std::string(text.empty() ? fallback : text);
}

const array& ListAt(const object& object, std::initializer_list<std::string_view> path) {
  static const array kNone;
  const auto* found = FindArray(object, path);
  return found == nullptr ? kNone : *found;
}

const object& ObjectIn(const value& item) {
  static const object kNone;
  return item.is_object() ? item.get_object() : kNone;
}

bool HasCondition(const object& object, std::string_view type) {
  for (const auto& item : ListAt(object, {"status", "conditions"})) {
    if (FindText(ObjectIn(item), {"type"}) == type) {
      return FindText(ObjectIn(item), {"status"}) == "True";
    }
  }
  return false;
}

std::string NameOf(const object& object) {
  return std::string(FindText(object, {"metadata", "name"}));
}

std::int64_t IntAt(const object& object, Path path) { return FindInt(object, path).value_or(0); }

std::string Fraction(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

std::string Joined(const array& items, std::string_view field, std::string_view separator) {
  return text::Join(items, separator, [&](const value& item) {
    return std::string(FindText(ObjectIn(item), {field}));
  });
}

std::string PrintLabels(const object& object, Path path) {
  const auto* labels = FindObject(object, path);
  if (labels == nullptr || labels->empty()) return "<none>";
  std::set<std::string> pairs;
  for (const auto& [name, label] : *labels) {
    pairs.insert(std::string(name) + "=" +
                 (label.is_string() ? std::string(label.get_string()) : std::string()));
  }
  return text::Join(pairs, ",", [](const std::string& pair) { return pair; });
}

std::string PrintSelector(const object& workload, std::string_view if_empty) {
  const auto selector = LabelSelector::FromObject(FindValue(workload, {"spec", "selector"}));
  if (!selector) return if_empty.empty() ? "<invalid>" : "<error>";
  return TextOr(ToString(*selector), if_empty);
}

}  // namespace gs::localcluster
