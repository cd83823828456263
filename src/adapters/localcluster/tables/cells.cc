#include "adapters/localcluster/tables/cells.h"

#include <boost/json/value.hpp>
#include <set>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/select/label_selector.h"
#include "adapters/localcluster/tables/age.h"
#include "base/text.h"

namespace gs::localcluster {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string AgeOf(const object& object, TimePoint now) {
  return AgeSince(Text(object, {"metadata", "creationTimestamp"}), now);
}

std::string TextOr(std::string_view text, std::string_view fallback) {
  return std::string(text.empty() ? fallback : text);
}

bool HasCondition(const object& object, std::string_view type) {
  for (const auto& item : Items(object, {"status", "conditions"})) {
    if (Text(item, {"type"}) == type) {
      return Text(item, {"status"}) == "True";
    }
  }
  return false;
}

std::string NameOf(const object& object) { return std::string(Text(object, {"metadata", "name"})); }

std::string Fraction(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

std::string Joined(const array& items, std::string_view field, std::string_view separator) {
  return text::Join(items, separator,
                    [&](const value& item) { return std::string(Text(item, {field})); });
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
  const auto selector = LabelSelector::FromObject(Find(workload, {"spec", "selector"}));
  if (!selector) return if_empty.empty() ? "<invalid>" : "<error>";
  return TextOr(ToString(*selector), if_empty);
}

}  // namespace gs::localcluster
