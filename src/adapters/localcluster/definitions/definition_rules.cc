#include "adapters/localcluster/definitions/definition_rules.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

std::vector<std::string> Texts(const json::object& object, Path path) {
  std::vector<std::string> texts;
  const auto* list = FindArray(object, path);
  if (list == nullptr) return texts;
  for (const auto& item : *list) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

json::object Condition(std::string_view type, std::string_view reason, std::string_view message,
                       TimePoint now) {
  return {{"type", type},
          {"status", "True"},
          {"lastTransitionTime", PrintTime(now)},
          {"reason", reason},
          {"message", message}};
}

template <class Do>
void ForEachVersion(const json::object& definition, Do act) {
  const auto* versions = FindArray(definition, {"spec", "versions"});
  if (versions == nullptr) return;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    if ((*versions)[i].is_object()) act(i, (*versions)[i].get_object());
  }
}

// ".spec.nodeName" to "spec.nodeName"
std::vector<std::string> SelectableFields(const json::object& version) {
  std::vector<std::string> fields;
  const auto* list = FindArray(version, {"selectableFields"});
  if (list == nullptr) return fields;
  for (const auto& item : *list) {
    if (!item.is_object()) continue;
    auto path = Text(item.get_object(), {"jsonPath"});
    if (path.starts_with('.')) path.remove_prefix(1);
    if (!path.empty()) fields.emplace_back(path);
  }
  return fields;
}

Kind KindOf(const json::object& definition, const json::object& version) {
  const auto names = [&](std::string_view field) {
    return std::string(Text(definition, {"spec", "names", field}));
  };
  Kind kind;
  kind.group = Text(definition, {"spec", "group"});
  kind.version = Text(version, {"name"});
  kind.plural = names("plural");
  kind.singular = names("singular");
  kind.kind = names("kind");
  kind.short_names = Texts(definition, {"spec", "names", "shortNames"});
  kind.categories = Texts(definition, {"spec", "names", "categories"});
  if (Find(version, {"subresources", "status"}) != nullptr) {
    kind.subresources.emplace_back("status");
  }
  kind.fields = SelectableFields(version);
  kind.is_namespaced = Text(definition, {"spec", "scope"}) == "Namespaced";
  kind.is_custom = true;
  kind.has_generation = true;
  kind.is_updated_unconditionally = false;
  return kind;
}

}  // namespace

void DefaultDefinition(json::object& definition) {
  auto& spec = Make(definition, {"spec"});
  auto& names = Make(spec, {"names"});
  const std::string kind(Text(names, {"kind"}));
  if (!kind.empty()) {
    SetDefault(names, "singular", json::string(text::ToLower(kind)));
    SetDefault(names, "listKind", json::string(kind + "List"));
  }
  SetDefault(Make(spec, {"conversion"}), "strategy", "None");
}

void EstablishDefinition(json::object& definition, TimePoint now) {
  auto& status = Make(definition, {"status"});
  if (const auto* names = FindObject(definition, {"spec", "names"}))
    status["acceptedNames"] = *names;
  json::array stored;
  if (const auto* before = FindArray(status, {"storedVersions"})) stored = *before;
  ForEachVersion(definition, [&](std::size_t, const json::object& version) {
    const json::value name(json::string(Text(version, {"name"})));
    const bool is_known = std::find(stored.begin(), stored.end(), name) != stored.end();
    if (Bool(version, {"storage"}) && !is_known) stored.push_back(name);
  });
  status["storedVersions"] = std::move(stored);
  if (FindArray(status, {"conditions"}) != nullptr) return;
  json::array conditions;
  conditions.emplace_back(Condition("NamesAccepted", "NoConflicts", "no conflicts found", now));
  conditions.emplace_back(Condition("Established", "InitialNamesAccepted",
                                    "the initial names have been accepted", now));
  status["conditions"] = std::move(conditions);
}

void CheckDefinition(const json::object& definition, Faults& faults) {
  const std::string name(Text(definition, {"metadata", "name"}));
  const std::string group(Text(definition, {"spec", "group"}));
  const std::string plural(Text(definition, {"spec", "names", "plural"}));
  if (group.empty()) faults.Required("spec.group");
  if (plural.empty()) faults.Required("spec.names.plural");
  if (Text(definition, {"spec", "names", "kind"}).empty()) faults.Required("spec.names.kind");
  if (name != plural + "." + group) {
    faults.Invalid("metadata.name", json::string(name),
                   "must be spec.names.plural+\".\"+spec.group");
  }
  const auto scope = Text(definition, {"spec", "scope"});
  if (scope != "Namespaced" && scope != "Cluster") {
    faults.Unsupported("spec.scope", scope, {"Cluster", "Namespaced"});
  }
  int stored = 0;
  ForEachVersion(definition, [&](std::size_t i, const json::object& version) {
    const auto field = At("spec.versions", i);
    if (Text(version, {"name"}).empty()) faults.Required(field + ".name");
    if (Bool(version, {"storage"})) ++stored;
    if (FindObject(version, {"schema", "openAPIV3Schema"}) == nullptr) {
      faults.Required(field + ".schema.openAPIV3Schema", "schemas are required");
    }
  });
  if (stored != 1) {
    faults.Invalid("spec.versions", json::value(nullptr),
                   "must have exactly one version marked as storage version");
  }
  if (Text(definition, {"spec", "conversion", "strategy"}) != "None") {
    faults.Unsupported("spec.conversion.strategy",
                       Text(definition, {"spec", "conversion", "strategy"}), {"None"});
  }
}

std::vector<Kind> KindsOf(const json::object& definition) {
  std::vector<Kind> kinds;
  ForEachVersion(definition, [&](std::size_t, const json::object& version) {
    const bool is_stored = Bool(version, {"storage"});
    if (!Bool(version, {"served"}) && !is_stored) return;
    kinds.insert(is_stored ? kinds.begin() : kinds.end(), KindOf(definition, version));
  });
  return kinds;
}

}  // namespace gs::localcluster
