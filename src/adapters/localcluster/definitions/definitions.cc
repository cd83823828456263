#include "adapters/localcluster/definitions/definitions.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <limits>

#include "adapters/localcluster/definitions/definition_rules.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using runtime::MutexLock;

std::string TypeOf(const Kind& kind) { return kind.api_version() + "/" + kind.kind; }

using Schemas = std::map<std::string, std::shared_ptr<const Schema>>;

// By the name of the version. Versions whose schema is refused are left out.
Schemas CompileSchemas(const json::object& definition, std::vector<StatusCause>& faults) {
  Schemas schemas;
  const auto* versions = FindArray(definition, {"spec", "versions"});
  if (versions == nullptr) return schemas;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    const auto* version = (*versions)[i].if_object();
    const auto* source =
        version == nullptr ? nullptr : Find(*version, {"schema", "openAPIV3Schema"});
    if (source == nullptr) continue;
    const auto field = At("spec.versions", i) + ".schema.openAPIV3Schema";
    auto schema = Schema::Compile(*source, field, faults);
    if (schema) schemas[std::string(Text(*version, {"name"}))] = std::move(schema);
  }
  return schemas;
}

}  // namespace

Definitions::Definitions(Store& store, Kinds& kinds, const runtime::Clock& clock)
    : store_(store), kinds_(kinds), clock_(clock) {
  wake_ = store_.OnChange(kDefinitions, [this] { Follow(); });
  Follow();
}

void Definitions::Follow() {
  std::vector<std::string> removed;
  {
    const MutexLock lock(mutex_);
    const auto read =
        store_.ReadChanges(kDefinitions, after_, std::numeric_limits<std::size_t>::max());
    for (const auto& change : read.changes) {
      Apply(change);
      if (change.kind == ChangeKind::kDeleted) removed.push_back(change.object->name);
    }
    after_ = read.through;
  }
  // The objects go with their definition, at once: there is nobody left who could read them.
  for (const auto& resource : removed) {
    for (const auto& object : store_.List(resource).objects) {
      (void)store_.Write({.resource = resource, .ns = object->ns, .name = object->name},
                         [](const StoredObject*) -> Answer<Next> { return Next(Remove{}); });
    }
  }
}

void Definitions::Apply(const Change& change) {
  // The name of a definition is that of its resource.
  const std::string& resource = change.object->name;
  if (change.kind == ChangeKind::kDeleted) {
    kinds_.Remove(resource);
    return;
  }
  const auto definition = ParseStored(change.object->text);
  std::vector<StatusCause> refused_already;  // when it was written
  const auto schemas = CompileSchemas(definition, refused_already);
  auto kinds = KindsOf(definition);
  for (const auto& kind : kinds) {
    const auto found = schemas.find(kind.version);
    schemas_[TypeOf(kind)] = found == schemas.end() ? nullptr : found->second;
  }
  if (!kinds.empty()) store_.DefineFields(resource, kinds.front().fields);
  kinds_.Replace(resource, std::move(kinds));
}

Verdict Definitions::Admit(Attempt& attempt) {
  if (attempt.kind.resource() == kDefinitions) return AdmitDefinition(attempt);
  return attempt.kind.is_custom ? AdmitObject(attempt) : std::nullopt;
}

Verdict Definitions::AdmitObject(Attempt& attempt) {
  std::shared_ptr<const Schema> schema;
  {
    const MutexLock lock(mutex_);
    const auto found = schemas_.find(TypeOf(attempt.kind));
    if (found != schemas_.end()) schema = found->second;
  }
  if (!schema) return std::nullopt;
  json::value object(std::move(*attempt.object));
  schema->Prune(object);
  schema->FillDefaults(object);
  std::optional<json::value> old;
  if (attempt.old != nullptr) old = *attempt.old;
  auto faults = schema->Validate(object, old ? &*old : nullptr);
  *attempt.object = std::move(object.get_object());
  if (faults.empty()) return std::nullopt;
  return Invalid(attempt.kind.kind, attempt.kind.group, attempt.name, std::move(faults));
}

Verdict Definitions::AdmitDefinition(Attempt& attempt) const {
  if (attempt.part != Part::kMain) return std::nullopt;
  DefaultDefinition(*attempt.object);
  Faults faults;
  CheckDefinition(*attempt.object, faults);
  if (auto refusal = faults.About(attempt.kind, attempt.name)) return refusal;
  std::vector<StatusCause> of_schemas;
  (void)CompileSchemas(*attempt.object, of_schemas);
  if (!of_schemas.empty()) {
    return Invalid(attempt.kind.kind, attempt.kind.group, attempt.name, std::move(of_schemas));
  }
  EstablishDefinition(*attempt.object, clock_.WallTime());
  return std::nullopt;
}

}  // namespace gs::localcluster
