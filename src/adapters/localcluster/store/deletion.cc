#include "adapters/localcluster/store/deletion.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>

#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

Verdict CheckPreconditions(const Kind& kind, const json::object& object,
                           const DeleteOptions& options) {
  const auto name = Text(object, {"metadata", "name"});
  // The real server names the Kind here, not the resource.
  const Subject subject{.plural = kind.kind, .group = kind.group, .name = std::string(name)};
  const auto uid = Text(object, {"metadata", "uid"});
  if (options.uid && *options.uid != uid) {
    return Conflict(subject, "the UID in the precondition (" + *options.uid +
                                 ") does not match the UID in record (" + std::string(uid) +
                                 "). The object might have been deleted and then recreated");
  }
  const auto version = Text(object, {"metadata", "resourceVersion"});
  if (options.resource_version && *options.resource_version != version) {
    return Conflict(subject, "the ResourceVersion in the precondition (" +
                                 *options.resource_version +
                                 ") does not match the ResourceVersion in record (" +
                                 std::string(version) + "). The object might have been modified");
  }
  return std::nullopt;
}

bool Contains(const json::array& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(), [&](const json::value& value) {
    return value.is_string() && value.get_string() == text;
  });
}

json::array FinalizersOf(const json::object& object) {
  const auto* list = FindArray(object, {"metadata", "finalizers"});
  return list == nullptr ? json::array() : *list;
}

// The options decide; without them a finalizer that is there already, then the habit of the kind.
Propagation PropagationOf(const Kind& kind, const json::array& finalizers,
                          const DeleteOptions& options) {
  if (options.propagation) return *options.propagation;
  if (Contains(finalizers, kOrphan)) return Propagation::kOrphan;
  if (Contains(finalizers, kForeground)) return Propagation::kForeground;
  return kind.kind == "Job" && kind.group == "batch" ? Propagation::kOrphan
                                                     : Propagation::kBackground;
}

json::array WithPropagation(const json::array& finalizers, Propagation propagation) {
  json::array list;
  for (const auto& finalizer : finalizers) {
    if (finalizer != json::value(kOrphan) && finalizer != json::value(kForeground)) {
      list.push_back(finalizer);
    }
  }
  if (propagation == Propagation::kOrphan) list.emplace_back(kOrphan);
  if (propagation == Propagation::kForeground) list.emplace_back(kForeground);
  return list;
}

void RaiseGeneration(json::object& metadata) {
  auto* generation = metadata.if_contains("generation");
  if (generation != nullptr && generation->is_int64() && generation->get_int64() > 0) {
    *generation = generation->get_int64() + 1;
  }
}

TimePoint TimestampOf(const json::object& metadata, TimePoint fallback) {
  const auto time = ParseTime(Text(metadata, {"deletionTimestamp"}));
  return time ? *time : fallback;
}

// A pod that never ran, or has ended, needs no time to end.
std::int64_t GraceOf(const json::object& pod, const DeleteOptions& options) {
  const auto phase = Text(pod, {"status", "phase"});
  if (Text(pod, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") {
    return 0;
  }
  constexpr std::int64_t kDefault = 30;
  const auto own = Int(pod, {"spec", "terminationGracePeriodSeconds"}, kDefault);
  const auto grace = options.grace_seconds.value_or(own);
  return grace < 0 ? 1 : grace;
}

// Grace can only get shorter once it has begun.
DeleteStep Shorten(json::object& metadata, std::int64_t old_grace, const DeleteOptions& options,
                   TimePoint now) {
  if (!options.grace_seconds || *options.grace_seconds >= old_grace) return DeleteStep::kPending;
  std::int64_t grace = *options.grace_seconds < 0 ? 1 : *options.grace_seconds;
  TimePoint due = TimestampOf(metadata, now) - seconds(old_grace) + seconds(grace);
  if (due < now) {
    due = now;
    if (grace != 0) grace = 1;
  }
  metadata["deletionTimestamp"] = PrintTime(due);
  metadata["deletionGracePeriodSeconds"] = grace;
  return DeleteStep::kMark;
}

DeleteStep MarkGraceful(json::object& pod, const DeleteOptions& options, TimePoint now) {
  auto& metadata = Make(pod, {"metadata"});
  if (!Text(metadata, {"deletionTimestamp"}).empty()) {
    const auto old_grace = Int(metadata, {"deletionGracePeriodSeconds"});
    return old_grace == 0 ? DeleteStep::kRemove : Shorten(metadata, old_grace, options, now);
  }
  const auto grace = GraceOf(pod, options);
  metadata["deletionTimestamp"] = PrintTime(now + seconds(grace));
  metadata["deletionGracePeriodSeconds"] = grace;
  RaiseGeneration(metadata);
  return DeleteStep::kMark;
}

void MarkAsDeleting(json::object& metadata, TimePoint now) {
  if (Text(metadata, {"deletionTimestamp"}).empty()) RaiseGeneration(metadata);
  if (TimestampOf(metadata, TimePoint::max()) > now) {
    metadata["deletionTimestamp"] = PrintTime(now);
  }
  metadata["deletionGracePeriodSeconds"] = 0;
}

bool HasItems(const json::object& object, Path path) {
  const auto* list = FindArray(object, path);
  return list != nullptr && !list->empty();
}

bool IsNamespace(const Kind& kind) { return kind.kind == "Namespace" && kind.group.empty(); }

// A namespace ends in two steps: its contents first, which spec.finalizers stands for.
std::optional<DeleteStep> MarkNamespace(json::object& object, TimePoint now) {
  auto& metadata = Make(object, {"metadata"});
  if (Text(metadata, {"deletionTimestamp"}).empty()) {
    metadata["deletionTimestamp"] = PrintTime(now);
    Make(object, {"status"})["phase"] = "Terminating";
    return DeleteStep::kMark;
  }
  if (HasItems(object, {"spec", "finalizers"})) return DeleteStep::kPending;
  return std::nullopt;
}

}  // namespace

Answer<DeleteStep> DecideDelete(const Kind& kind, json::object& object,
                                const DeleteOptions& options, TimePoint now) {
  if (auto refusal = CheckPreconditions(kind, object, options)) return *refusal;
  if (IsNamespace(kind)) {
    if (const auto step = MarkNamespace(object, now)) return *step;
  }
  DeleteStep step = DeleteStep::kRemove;
  if (kind.is_deleted_gracefully) {
    step = MarkGraceful(object, options, now);
    if (step == DeleteStep::kPending) return step;
  }
  auto& metadata = Make(object, {"metadata"});
  const auto old_finalizers = FinalizersOf(object);
  const auto finalizers =
      WithPropagation(old_finalizers, PropagationOf(kind, old_finalizers, options));
  if (finalizers.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = finalizers;
  }
  const auto grace = Int(metadata, {"deletionGracePeriodSeconds"});
  if (step == DeleteStep::kMark && grace > 0) return step;
  if (finalizers.empty()) return DeleteStep::kRemove;
  MarkAsDeleting(metadata, now);
  return DeleteStep::kMark;
}

bool IsFinished(const Kind& kind, const json::object& old, const json::object& object) {
  if (Text(old, {"metadata", "deletionTimestamp"}).empty()) return false;
  if (HasItems(object, {"metadata", "finalizers"})) return false;
  if (IsNamespace(kind) && HasItems(object, {"spec", "finalizers"})) return false;
  return Int(old, {"metadata", "deletionGracePeriodSeconds"}) == 0;
}

}  // namespace gs::localcluster
