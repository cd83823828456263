// The part of Cache that sees pods come, change and go, and lays our own decisions over them.
#include <utility>

#include "base/check.h"
#include "core/cache/cache.h"
#include "core/model/names.h"

namespace gs::cache {
namespace {

namespace names = model::names;

// It failed before any of its containers was seen to run.
bool IsRejection(const model::Pod& before, const model::Pod& pod) {
  return pod.is_bound() && pod.phase == model::PodPhase::kFailed &&
         before.phase == model::PodPhase::kPending && !before.had_running_container &&
         !pod.had_running_container;
}

// Somebody else than its kubelet says, for the first time, that it has ended.
bool IsCutOff(const std::optional<model::Pod>& before, const model::Pod& pod) {
  return pod.is_bound() && pod.is_terminal() && pod.had_running_container &&
         !(before && before->is_terminal());
}

bool AreSame(const std::optional<model::Allocation>& a, const model::Allocation* b) {
  return a.has_value() == (b != nullptr) && (b == nullptr || *a == *b);
}

// About other pods.
bool AskTheSame(const model::Pod& a, const model::Pod& b) {
  return a.rules->pod_affinity == b.rules->pod_affinity && a.rules->spread == b.rules->spread &&
         a.ties->anti_affinity == b.ties->anti_affinity;
}

// The Binding makes the condition true. Where nobody writes conditions the creation is near enough.
TimePoint BoundAt(const model::Pod& pod) {
  const bool is_said =
      pod.scheduled.status == model::ConditionStatus::kTrue && pod.scheduled.since != TimePoint{};
  return is_said ? pod.scheduled.since : pod.created;
}

}  // namespace

void Cache::KeepResult(PodRecord& record, Changes& changes) const {
  const model::Pod& pod = record.pod;
  if (!pod.is_bound()) return;
  std::optional<model::Allocation> result;
  std::string problem;
  if (pod.annotations.Find(names::kAllocated) != nullptr) {
    auto parsed = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
    if (!parsed) {
      problem = ToString(parsed.error());
    } else if (parsed->gpus.node != pod.node) {
      problem = "it names GPUs of " + parsed->gpus.node.text() + ", but is on " + pod.node.text();
    } else {
      result = *std::move(parsed);
    }
  }
  if (!record.has_bound) {
    record.has_bound = true;
    if (result) record.kept = *result;
    record.bound_at = BoundAt(pod);
  } else if (problem.empty() && !AreSame(result, record.kept.get())) {
    problem = "it was bound with " + (record.kept ? ToString(*record.kept) : "no GPUs") +
              " and now says " + (result ? ToString(*result) : "nothing");
  }
  if (problem.empty() || record.is_edit_told) return;
  record.is_edit_told = true;
  changes.push_back({.kind = ChangeKind::kAnnotationEdited,
                     .node = pod.node,
                     .pod = pod.ref,
                     .message = "the results on " + ToString(pod.ref) +
                                " were edited and are not believed: " + problem});
}

void Cache::TellPod(const PodRecord& record, const std::optional<model::Pod>& before,
                    Changes& changes) const {
  const model::Pod& pod = record.pod;
  if (!IsOurs(pod)) return;
  const auto tell = [&](ChangeKind kind) {
    changes.push_back({.kind = kind, .node = pod.node, .pod = pod.ref});
  };
  if (pod.is_terminal()) {
    if (before && before->is_terminal()) return;
    if (before && IsRejection(*before, pod)) tell(ChangeKind::kPodRejected);
    return tell(ChangeKind::kPodLeft);
  }
  if (!pod.is_bound()) return tell(ChangeKind::kPodWaits);
  if (!before || !before->is_bound()) tell(ChangeKind::kPodBound);
}

void Cache::Resettle(const model::Pod* old, const NodeName& from, const model::Pod* now,
                     const NodeName& to) {
  const bool stays = old != nullptr && now != nullptr && from == to;
  if (stays && PlacedPods::LookAlike(*old, *now)) return;
  if (old != nullptr && !from.empty()) placed_.Remove(*old, from);
  if (now != nullptr && !to.empty()) placed_.Add(*now, to);
}

void Cache::Rewatch(const model::Pod* old, const model::Pod* now) {
  const auto asks = [this](const model::Pod* pod) {
    return pod != nullptr && IsOurs(*pod) && !pod->is_bound() && !pod->is_terminal();
  };
  const bool asked = asks(old);
  const bool is_asking = asks(now);
  if (asked && is_asking && AskTheSame(*old, *now)) return;
  // The new ones first: what both ask is not counted again.
  if (is_asking) {
    for (const PodQuestion& question : QuestionsOf(*now)) placed_.Watch(question, pods_);
  }
  if (asked) {
    for (const PodQuestion& question : QuestionsOf(*old)) placed_.Unwatch(question);
  }
}

void Cache::SeePod(const model::Pod& pod, TimePoint now, Changes& changes) {
  const auto [record, is_new] = pods_.FindOrAdd(pod.ref.uid);
  const Footprint before = is_new ? Footprint() : FootprintOf(record);
  std::optional<model::Pod> old;
  if (!is_new) old = std::move(record.pod);
  record.pod = pod;
  if (pod.is_bound() || pod.is_terminal()) {
    record.assumed.reset();
    storage_.TakeBack(pod.ref.uid);
  }
  KeepResult(record, changes);
  if (HasSaidEnough(pod)) EndReleasesOf(pod.ref.uid, changes);
  EndUnseen(record, changes);
  if (IsCutOff(old, pod)) {
    StartRelease(pod.ref, BoundFootprintOf(record), pod.resource_version, now);
  }
  const Footprint after = FootprintOf(record);
  Move(pod.ref, before, after, changes);
  if (pod.is_terminal() && pod.is_bound()) FollowResidue(pod.node, now, changes);
  Resettle(old ? &*old : nullptr, before.node, &record.pod, after.node);
  Rewatch(old ? &*old : nullptr, &record.pod);
  TellPod(record, old, changes);
}

void Cache::LosePod(const model::PodGone& gone, TimePoint now, Changes& changes) {
  const auto taken = pods_.Take(gone.pod.uid);
  if (!taken) return;
  const PodRecord& record = *taken;
  const Footprint before = FootprintOf(record);
  storage_.TakeBack(gone.pod.uid);
  if (!before.node.empty() && before.evidence == Evidence::kBound &&
      record.pod.had_running_container) {
    StartRelease(gone.pod, before, gone.resource_version, now);
  }
  Move(gone.pod, before, {}, changes);
  if (record.pod.is_bound()) FollowResidue(record.pod.node, now, changes);
  Resettle(&record.pod, before.node, nullptr, {});
  Rewatch(&record.pod, nullptr);
  if (IsOurs(record.pod) && !record.pod.is_terminal()) {
    changes.push_back(
        {.kind = ChangeKind::kPodLeft, .node = record.pod.node, .pod = record.pod.ref});
  }
}

void Cache::Assume(const PodUid& pod, const NodeName& node,
                   const std::optional<model::Allocation>& allocation) {
  PodRecord* record = pods_.Find(pod);
  GS_CHECK(record != nullptr && !record->pod.is_bound());
  const Footprint before = FootprintOf(*record);
  record->assumed = Assumption{node, allocation};
  const Footprint after = FootprintOf(*record);
  Changes ignored;
  Move(record->pod.ref, before, after, ignored);
  Resettle(&record->pod, before.node, &record->pod, after.node);
}

void Cache::AssumeVolumes(const PodUid& pod, const NodeName& node, const VolumeChoice& choice) {
  storage_.Assume(pods_.at(pod).pod.ref, node, choice);
}

std::vector<Change> Cache::TakeBack(const PodUid& pod) {
  Changes changes;
  if (storage_.TakeBack(pod)) changes.push_back({.kind = ChangeKind::kStorageChanged});
  PodRecord* record = pods_.Find(pod);
  if (record == nullptr || !record->assumed) return changes;
  const Footprint before = FootprintOf(*record);
  record->assumed.reset();
  Move(record->pod.ref, before, FootprintOf(*record), changes);
  Resettle(&record->pod, before.node, &record->pod, {});
  return changes;
}

}  // namespace gs::cache
