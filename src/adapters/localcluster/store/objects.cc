#include "adapters/localcluster/store/objects.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/deletion.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr int kNameTries = 8;

Status InternalError(std::string message) {
  Status status = BadRequest(std::move(message));
  status.code = 500;
  status.reason = "InternalError";
  return status;
}

Status InvalidField(const Kind& kind, std::string_view name, StatusCause cause) {
  return Invalid(kind.kind, kind.group, std::string(name), {std::move(cause)});
}

// A cluster-wide object has no namespace, and a namespaced one that of its request.
Verdict FixNamespace(const Kind& kind, const std::string& ns, json::object& metadata) {
  if (!kind.is_namespaced) {
    metadata.erase("namespace");
    return std::nullopt;
  }
  const auto given = Text(metadata, {"namespace"});
  if (!given.empty() && given != ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata["namespace"] = ns;
  return std::nullopt;
}

// Whether the two say the same apart from what does not count as a new generation.
bool IsSameGeneration(const Kind& kind, const json::object& a, const json::object& b) {
  const auto counts = [&](std::string_view name) {
    return name != "metadata" && name != "kind" && name != "apiVersion" &&
           (name != "status" || !kind.Has("status"));
  };
  const auto covers = [&](const json::object& one, const json::object& other) {
    return std::all_of(one.begin(), one.end(), [&](const auto& member) {
      if (!counts(member.key())) return true;
      const auto* twin = other.if_contains(member.key());
      return twin != nullptr && *twin == member.value();
    });
  };
  return covers(a, b) && covers(b, a);
}

Verdict CheckVersion(const Kind& kind, const json::object& object, const StoredObject& now) {
  const auto version = Text(object, {"metadata", "resourceVersion"});
  const auto name = now.name;
  if (version.empty() || version == "0") {
    if (!kind.is_updated_unconditionally || kind.is_custom) {
      return InvalidField(kind, name,
                          {.reason = "FieldValueInvalid",
                           .message = "Invalid value: 0: must be specified for an update",
                           .field = "metadata.resourceVersion"});
    }
  } else if (version != std::to_string(now.revision)) {
    return ModifiedMeanwhile(kind.Named(name));
  }
  return std::nullopt;
}

enum class Asks : std::uint8_t { kUpdate, kPatch };

// A UID that an update names is a precondition; a patch that writes another one is a mistake.
Verdict CheckUid(const Kind& kind, const json::object& object, const StoredObject& now, Asks asks) {
  const auto uid = Text(object, {"metadata", "uid"});
  if (uid.empty() || uid == now.uid) return std::nullopt;
  if (asks == Asks::kPatch) {
    return InvalidField(
        kind, now.name,
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: \"" + std::string(uid) + "\": field is immutable",
         .field = "metadata.uid"});
  }
  return Conflict(kind.Named(now.name), "Precondition failed: UID in precondition: " +
                                            std::string(uid) + ", UID in object meta: " + now.uid);
}

// What an update can never change.
void KeepIdentity(const json::object& old, json::object& object) {
  auto& metadata = Make(object, {"metadata"});
  const auto* before = FindObject(old, {"metadata"});
  if (before == nullptr) return;
  for (const auto field : {"uid", "creationTimestamp", "generation", "generateName",
                           "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    CopyField(*before, metadata, field);
  }
  metadata.erase("selfLink");
}

// Lays the part that may change over what was there.
void KeepOtherParts(const Kind& kind, Part part, const json::object& old, json::object& object) {
  if (part == Part::kMain) {
    if (kind.Has("status")) CopyField(old, object, "status");
    return;
  }
  json::object result = old;
  if (part == Part::kStatus) {
    CopyField(object, result, "status");
  } else {
    Make(result, {"spec"})["finalizers"] = json::array();
    if (const auto* spec = FindObject(object, {"spec"})) {
      CopyField(*spec, Make(result, {"spec"}), "finalizers");
    }
  }
  if (kind.keeps_metadata_on_status && part == Part::kStatus) {
    const auto* given = FindObject(object, {"metadata"});
    auto& metadata = Make(result, {"metadata"});
    for (const auto field : {"labels", "annotations", "finalizers"}) {
      if (given != nullptr) CopyField(*given, metadata, field);
    }
  }
  object = std::move(result);
}

Verdict CheckFinalizers(const Kind& kind, const json::object& old, const json::object& object) {
  const auto* added = FindArray(object, {"metadata", "finalizers"});
  if (added == nullptr || Text(old, {"metadata", "deletionTimestamp"}).empty()) {
    return std::nullopt;
  }
  const auto* known = FindArray(old, {"metadata", "finalizers"});
  std::string fresh;
  for (const auto& finalizer : *added) {
    if (!finalizer.is_string()) continue;
    const bool is_known =
        known != nullptr && std::find(known->begin(), known->end(), finalizer) != known->end();
    if (is_known) continue;
    if (!fresh.empty()) fresh += ", ";
    fresh += "\"" + std::string(finalizer.get_string()) + "\"";
  }
  if (fresh.empty()) return std::nullopt;
  return InvalidField(
      kind, Text(old, {"metadata", "name"}),
      {.reason = "FieldValueForbidden",
       .message = "Forbidden: no new finalizers can be added if the object is being deleted, found "
                  "new finalizers []string{" +
                  fresh + "}",
       .field = "metadata.finalizers"});
}

std::string SubresourceOf(Part part, const WriteOptions& options) {
  if (!options.subresource.empty()) return options.subresource;
  if (part == Part::kStatus) return "status";
  return part == Part::kFinalize ? "finalize" : "";
}

}  // namespace

Objects::Objects(Store& store, Kinds& kinds, const runtime::Clock& clock, ObjectNames& names,
                 Admit admit)
    : store_(store), kinds_(kinds), clock_(clock), names_(names), admit_(std::move(admit)) {
  for (const auto& kind : kinds_.all()) store_.DefineFields(kind->resource(), kind->fields);
}

Answer<ObjectPtr> Objects::Get(const Kind& kind, std::string_view ns, std::string_view name) const {
  auto object = store_.Get(kind.Key(ns, name));
  if (!object) return NotFound(kind.Named(name));
  return object;
}

Verdict Objects::CheckNamespace(const Kind& kind, const std::string& ns,
                                std::string_view name) const {
  if (!kind.is_namespaced) return std::nullopt;
  const Subject subject{.plural = "namespaces", .group = "", .name = ns};
  const auto found = store_.Get({.resource = "namespaces", .ns = "", .name = ns});
  if (!found) return NotFound(subject);
  if (found->fields.empty() || found->fields[0] != "Terminating") return std::nullopt;
  auto refusal = Forbidden(kind.Named(name), "unable to create new content in namespace " + ns +
                                                 " because it is being terminated");
  refusal.causes.push_back({.reason = "NamespaceTerminating",
                            .message = "namespace " + ns + " is being terminated",
                            .field = "metadata.namespace"});
  return refusal;
}

Verdict Objects::PrepareCreate(const Kind& kind, const std::string& ns, json::object& object,
                               const WriteOptions& options) {
  auto& metadata = Make(object, {"metadata"});
  if (auto refusal = FixNamespace(kind, ns, metadata)) return refusal;
  if (!Text(metadata, {"resourceVersion"}).empty()) {
    return InternalError("resourceVersion should not be set on objects to be created");
  }
  if (Text(metadata, {"name"}).empty()) {
    const auto base = Text(metadata, {"generateName"});
    if (base.empty()) {
      return InvalidField(kind, "",
                          {.reason = "FieldValueRequired",
                           .message = "Required value: name or generateName is required",
                           .field = "metadata.name"});
    }
    metadata["name"] = names_.Generate(base);
  }
  for (const auto field : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                           "selfLink", "generation"}) {
    metadata.erase(field);
  }
  metadata["uid"] = names_.Uid();
  metadata["creationTimestamp"] = PrintTime(clock_.WallTime());
  if (kind.has_generation) metadata["generation"] = 1;
  const std::string name(Text(metadata, {"name"}));
  // From here on the metadata may have moved.
  if (kind.Has("status") && !kind.keeps_status_on_create) object.erase("status");
  object["kind"] = kind.kind;
  object["apiVersion"] = kind.api_version();
  if (auto refusal = CheckNamespace(kind, ns, name)) return refusal;
  if (!admit_) return std::nullopt;
  Attempt attempt{.kind = kind,
                  .operation = Operation::kCreate,
                  .part = Part::kMain,
                  .subresource = options.subresource,
                  .ns = kind.is_namespaced ? ns : "",
                  .name = name,
                  .old = nullptr,
                  .object = &object,
                  .user = options.user,
                  .is_dry_run = options.is_dry_run};
  return admit_(attempt);
}

Answer<ObjectPtr> Objects::Create(const Kind& kind, const std::string& ns,
                                  const json::object& object, const WriteOptions& options) {
  const bool is_generated = Text(object, {"metadata", "name"}).empty();
  for (int tries = 1;; ++tries) {
    json::object made = object;
    if (auto refusal = PrepareCreate(kind, ns, made, options)) return *refusal;
    const std::string name(Text(made, {"metadata", "name"}));
    auto written = Write(
        kind.Key(ns, name),
        [&](const StoredObject* now) -> Answer<Next> {
          if (now != nullptr) return AlreadyExists(kind.Named(name));
          return Next(made);
        },
        options);
    if (written) return written->object;
    if (!is_generated || tries == kNameTries) return written.status();
  }
}

Answer<Written> Objects::Update(const Kind& kind, const std::string& ns, const std::string& name,
                                const json::object& object, Part part,
                                const WriteOptions& options) {
  if (part == Part::kMain && kind.is_created_by_update && !store_.Get(kind.Key(ns, name))) {
    json::object made = object;
    Make(made, {"metadata"})["name"] = name;
    auto created = Create(kind, ns, made, options);
    if (created) return Written{.object = *created, .is_changed = true, .is_removed = false};
    if (created.status().reason != "AlreadyExists") return created.status();
  }
  const auto decide = [&](const StoredObject* now) -> Answer<Next> {
    if (now == nullptr) return NotFound(kind.Named(name));
    if (auto refusal = CheckVersion(kind, object, *now)) return *refusal;
    if (auto refusal = CheckUid(kind, object, *now, Asks::kUpdate)) return *refusal;
    json::object next = object;
    const Attempt attempt{.kind = kind,
                          .operation = Operation::kUpdate,
                          .part = part,
                          .subresource = SubresourceOf(part, options),
                          .ns = now->ns,
                          .name = name,
                          .user = options.user,
                          .is_dry_run = options.is_dry_run};
    return NextState(attempt, next, *now);
  };
  return Write(kind.Key(ns, name), decide, options);
}

Answer<Written> Objects::Change(const Kind& kind, const std::string& ns, const std::string& name,
                                const Edit& edit, Part part, const WriteOptions& options) {
  const auto decide = [&](const StoredObject* now) -> Answer<Next> {
    if (now == nullptr) return NotFound(kind.Named(name));
    json::object next = ParseStored(now->text);
    if (auto refusal = edit(next)) return *refusal;
    if (auto refusal = CheckVersion(kind, next, *now)) return *refusal;
    if (auto refusal = CheckUid(kind, next, *now, Asks::kPatch)) return *refusal;
    const Attempt attempt{.kind = kind,
                          .operation = Operation::kUpdate,
                          .part = part,
                          .subresource = SubresourceOf(part, options),
                          .ns = now->ns,
                          .name = name,
                          .user = options.user,
                          .is_dry_run = options.is_dry_run};
    return NextState(attempt, next, *now);
  };
  return Write(kind.Key(ns, name), decide, options);
}

Answer<Next> Objects::NextState(const Attempt& attempt, json::object& object,
                                const StoredObject& now) {
  const Kind& kind = attempt.kind;
  const json::object old = ParseStored(now.text);
  KeepIdentity(old, object);
  KeepOtherParts(kind, attempt.part, old, object);
  auto& metadata = Make(object, {"metadata"});
  if (auto refusal = FixNamespace(kind, now.ns, metadata)) return *refusal;
  if (auto refusal = CheckFinalizers(kind, old, object)) return *refusal;
  metadata["name"] = now.name;
  metadata["resourceVersion"] = std::to_string(now.revision);
  object["kind"] = kind.kind;
  object["apiVersion"] = kind.api_version();
  if (admit_) {
    Attempt asked = attempt;
    asked.old = &old;
    asked.object = &object;
    if (auto refusal = admit_(asked)) return *refusal;
  }
  if (kind.has_generation && !IsSameGeneration(kind, old, object)) {
    const auto generation = Int(old, {"metadata", "generation"});
    Make(object, {"metadata"})["generation"] = generation + 1;
  }
  if (IsFinished(kind, old, object)) return Next(Remove{});
  return Next(std::move(object));
}

Verdict Objects::AdmitDelete(const Kind& kind, const json::object& object,
                             const DeleteOptions& options) const {
  if (!admit_) return std::nullopt;
  Attempt attempt{.kind = kind,
                  .operation = Operation::kDelete,
                  .part = Part::kMain,
                  .subresource = "",
                  .ns = std::string(Text(object, {"metadata", "namespace"})),
                  .name = std::string(Text(object, {"metadata", "name"})),
                  .old = &object,
                  .object = nullptr,
                  .user = options.user,
                  .is_dry_run = options.is_dry_run};
  return admit_(attempt);
}

Answer<Deleted> Objects::Delete(const Kind& kind, const std::string& ns, const std::string& name,
                                const DeleteOptions& options) {
  const auto decide = [&](const StoredObject* now) -> Answer<Next> {
    if (now == nullptr) return NotFound(kind.Named(name));
    json::object object = ParseStored(now->text);
    if (auto refusal = AdmitDelete(kind, object, options)) return *refusal;
    const auto step = DecideDelete(kind, object, options, clock_.WallTime());
    if (!step) return step.status();
    if (*step == DeleteStep::kPending) return Next(Keep{});
    if (*step == DeleteStep::kMark) return Next(std::move(object));
    return Next(Remove{});
  };
  auto written = Write(kind.Key(ns, name), decide,
                       {.user = options.user, .is_dry_run = options.is_dry_run, .subresource = ""});
  if (!written) return written.status();
  return Deleted{.object = written->object, .is_gone = written->is_removed};
}

Answer<Written> Objects::Write(const ObjectKey& key, const Decide& decide,
                               const WriteOptions& options) {
  if (!options.is_dry_run) return store_.Write(key, decide);
  const auto now = store_.Get(key);
  auto next = decide(now.get());
  if (!next) return next.status();
  const auto* object = std::get_if<json::object>(&*next);
  if (object == nullptr) {
    const bool is_removed = std::holds_alternative<Remove>(*next);
    return Written{.object = now, .is_changed = is_removed, .is_removed = is_removed};
  }
  auto draft = std::make_shared<StoredObject>(DraftObject(*object, {}));
  if (now) FillRevision(*draft, now->revision);
  return Written{.object = draft, .is_changed = true, .is_removed = false};
}

}  // namespace gs::localcluster
