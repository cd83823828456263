#include "adapters/localcluster/controllers/stateful_set.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <utility>

#include "adapters/localcluster/controllers/revisions.h"
#include "adapters/localcluster/controllers/stateful_pod.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

// One look at one set. The steps come in the order in which they must not overtake each other.
class Ordering {
 public:
  Ordering(const Json& set, const StatefulSetView& view, TimePoint now)
      : set_(set),
        view_(view),
        now_(now),
        replicas_(Int(set, {"spec", "replicas"}, 1)),
        start_(Int(set, {"spec", "ordinals", "start"})),
        min_ready_(Int(set, {"spec", "minReadySeconds"})),
        is_ordered_(Text(set, {"spec", "podManagementPolicy"}) != "Parallel") {
    for (const Json& pod : view.pods) {
      const auto ordinal = OrdinalOf(set, pod);
      if (ordinal) pods_[*ordinal] = &pod;
    }
  }

  Reconciled Run() && {
    FindRevisions();
    if (!IsBeingDeleted(set_)) {
      const bool goes_on = MakeReplicas() && TakeSurplus();
      if (goes_on) UpdateReplicas();
      DropHistory();
    }
    WriteStatusIfChanged(reconciled_, set_, NewStatus());
    AskWhenAvailable();
    return std::move(reconciled_);
  }

 private:
  void FindRevisions() {
    auto found = RevisionOf(set_, view_.revisions);
    for (Write& write : found.writes) reconciled_.writes.push_back(std::move(write));
    update_ = std::move(found.revision);
    current_ = update_;
    const auto name = Text(set_, {"status", "currentRevision"});
    for (const Json& revision : view_.revisions) {
      if (NameOf(revision) == name) current_ = revision;
    }
  }

  // True if every replica is there and in order, so that the next step may follow.
  bool MakeReplicas() {
    for (std::int64_t ordinal = start_; ordinal < start_ + replicas_; ++ordinal) {
      const auto found = pods_.find(ordinal);
      const bool is_settled = found == pods_.end() ? MakePod(ordinal) : HasSettled(*found->second);
      if (!is_settled && is_ordered_) return false;
    }
    return true;
  }

  bool MakePod(std::int64_t ordinal) {
    // Below the partition, pods are made as they were before the update.
    const auto partition = MaybeInt(set_, {"spec", "updateStrategy", "rollingUpdate", "partition"});
    const bool is_old = IsRolling() && ordinal < start_ + partition.value_or(0);
    const Json& revision = is_old ? current_ : update_;
    for (Write& claim : MissingClaims(set_, view_.claims, ordinal)) {
      reconciled_.writes.push_back(std::move(claim));
    }
    Json pod = StatefulPod(set_, TemplateIn(revision), NameOf(revision), ordinal);
    const std::string name(NameOf(pod));
    reconciled_.writes.push_back(Create(std::move(pod)));
    Say("SuccessfulCreate",
        "create Pod " + name + " in StatefulSet " + std::string(NameOf(set_)) + " successful");
    return false;
  }

  // A pod that has ended is taken away, so that its successor can have the name.
  bool HasSettled(const Json& pod) {
    if (IsFinished(pod)) {
      if (!IsBeingDeleted(pod)) TakePod(pod);
      return false;
    }
    return !IsUnavailable(pod);
  }

  // From the highest number down. True if none is left.
  bool TakeSurplus() {
    const std::int64_t first_broken = FirstUnavailable();
    for (auto each = pods_.rbegin(); each != pods_.rend(); ++each) {
      const auto& [ordinal, pod] = *each;
      if (ordinal >= start_ && ordinal < start_ + replicas_) continue;
      if (IsBeingDeleted(*pod)) {
        if (is_ordered_) return false;
        continue;
      }
      if (is_ordered_ && IsUnavailable(*pod) && ordinal != first_broken) return false;
      for (Write& release : ReleaseClaims(set_, view_.claims, *pod)) {
        reconciled_.writes.push_back(std::move(release));
      }
      TakePod(*pod);
      if (is_ordered_) return false;
    }
    return true;
  }

  [[nodiscard]] std::int64_t FirstUnavailable() const {
    for (const auto& [ordinal, pod] : pods_) {
      if (IsUnavailable(*pod)) return ordinal;
    }
    return -1;
  }

  // One pod at a time, from the highest number down to the partition.
  void UpdateReplicas() {
    if (!IsRolling()) return;
    const std::int64_t lowest =
        start_ + Int(set_, {"spec", "updateStrategy", "rollingUpdate", "partition"});
    for (std::int64_t ordinal = start_ + replicas_ - 1; ordinal >= lowest; --ordinal) {
      const auto found = pods_.find(ordinal);
      if (found == pods_.end()) return;
      const Json& pod = *found->second;
      if (LabelOf(pod, kRevisionLabel) != NameOf(update_) && !IsBeingDeleted(pod)) {
        return IsFinished(pod) ? void() : TakePod(pod);
      }
      if (IsUnavailable(pod)) return;
    }
  }

  void DropHistory() {
    std::vector<std::string> live{std::string(NameOf(current_)), std::string(NameOf(update_))};
    for (const Json& pod : view_.pods) live.emplace_back(LabelOf(pod, kRevisionLabel));
    for (Write& write : DropOldRevisions(set_, view_.revisions, live)) {
      reconciled_.writes.push_back(std::move(write));
    }
  }

  [[nodiscard]] Json NewStatus() const {
    std::map<std::string_view, std::int64_t> counts;
    for (const Json& pod : view_.pods) {
      ++counts["replicas"];
      const auto from = AvailableFrom(pod, min_ready_);
      if (from && PhaseOf(pod) == "Running") ++counts["readyReplicas"];
      if (from && *from <= now_) ++counts["availableReplicas"];
      if (IsBeingDeleted(pod)) continue;
      if (LabelOf(pod, kRevisionLabel) == NameOf(current_)) ++counts["currentReplicas"];
      if (LabelOf(pod, kRevisionLabel) == NameOf(update_)) ++counts["updatedReplicas"];
    }
    const bool is_complete = IsRolling() && counts["updatedReplicas"] == replicas_ &&
                             counts["readyReplicas"] == replicas_ &&
                             counts["replicas"] == replicas_;
    if (is_complete) counts["currentReplicas"] = counts["updatedReplicas"];
    boost::json::object status{{"observedGeneration", GenerationOf(set_)},
                               {"replicas", counts["replicas"]}};
    for (const auto* field : {"readyReplicas", "currentReplicas", "updatedReplicas"}) {
      if (counts[field] > 0) status[field] = counts[field];
    }
    status["currentRevision"] = NameOf(is_complete ? update_ : current_);
    status["updateRevision"] = NameOf(update_);
    status["collisionCount"] = Int(set_, {"status", "collisionCount"});
    status["availableReplicas"] = counts["availableReplicas"];
    return status;
  }

  void AskWhenAvailable() {
    for (const Json& pod : view_.pods) {
      const auto from = AvailableFrom(pod, min_ready_);
      if (from && *from > now_) LookAgainAt(reconciled_, *from);
    }
  }

  [[nodiscard]] bool IsUnavailable(const Json& pod) const {
    const auto from = AvailableFrom(pod, min_ready_);
    return IsBeingDeleted(pod) || !from || *from > now_;
  }

  [[nodiscard]] bool IsRolling() const {
    return Text(set_, {"spec", "updateStrategy", "type"}) != "OnDelete";
  }

  void TakePod(const Json& pod) {
    reconciled_.writes.push_back(Delete(pod));
    Say("SuccessfulDelete", "delete Pod " + std::string(NameOf(pod)) + " in StatefulSet " +
                                std::string(NameOf(set_)) + " successful");
  }

  void Say(std::string_view reason, std::string message) {
    reconciled_.writes.push_back(EventAbout(
        set_, {.reason = reason, .message = std::move(message), .source = "statefulset-controller"},
        now_));
  }

  const Json& set_;
  const StatefulSetView& view_;
  const TimePoint now_;
  const std::int64_t replicas_;
  const std::int64_t start_;
  const std::int64_t min_ready_;
  const bool is_ordered_;
  std::map<std::int64_t, const Json*> pods_;  // by ordinal
  Json current_;
  Json update_;
  Reconciled reconciled_;
};

}  // namespace

Reconciled ReconcileStatefulSet(const Json& set, const StatefulSetView& view, TimePoint now) {
  return Ordering(set, view, now).Run();
}

}  // namespace gs::localcluster
