#include "adapters/localcluster/controllers/job.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/controllers/job_tally.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::int64_t kMaxBurst = 500;

// How a Job ends, first as what it is heading for and, once the last pod is gone, as what it is.
struct Outcome {
  bool has_succeeded = false;
  std::string reason;
  std::string message;
};

bool IsOver(const Json& status) { return IsTrue(status, "Complete") || IsTrue(status, "Failed"); }

// One look at one Job that is not over.
class Work {
 public:
  Work(const Json& job, const std::vector<Json>& pods, TimePoint now)
      : job_(job), pods_(pods), now_(now), tally_(Tally(job, pods)) {
    std::copy_if(pods.begin(), pods.end(), std::back_inserter(active_), IsActive);
    std::sort(active_.begin(), active_.end(), IsOlder);
    terminating_ = std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
      return IsBeingDeleted(pod) && !IsFinished(pod);
    });
    status_ = Members(job, {"status"});
  }

  Reconciled Run() && {
    SetStartTime();
    const auto outcome = FindOutcome();
    if (outcome) {
      End(*outcome);
    } else if (!IsBeingDeleted(job_)) {
      SetSuspended();
      MakeOrTakePods();
    }
    FinishStatus();
    ReleaseCounted();
    return std::move(reconciled_);
  }

 private:
  [[nodiscard]] bool IsSuspended() const { return Bool(job_, {"spec", "suspend"}); }
  [[nodiscard]] std::optional<std::int64_t> Completions() const {
    return MaybeInt(job_, {"spec", "completions"});
  }

  void SetStartTime() {
    if (!IsSuspended() && Find(status_, {"startTime"}) == nullptr) {
      Make(status_, {})["startTime"] = PrintTime(now_);
    }
  }

  [[nodiscard]] std::optional<Outcome> FindOutcome() {
    for (const auto* type : {"SuccessCriteriaMet", "FailureTarget"}) {
      if (!IsTrue(status_, type)) continue;
      const Json& condition = *FindCondition(status_, type);
      return Outcome{std::string_view(type) == "SuccessCriteriaMet",
                     std::string(Text(condition, {"reason"})),
                     std::string(Text(condition, {"message"}))};
    }
    if (HasFailedTooOften()) {
      return Outcome{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
    }
    if (IsPastDeadline()) {
      return Outcome{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
    }
    const bool is_done = Completions() ? tally_.succeeded() >= *Completions()
                                       : tally_.succeeded() > 0 && active_.empty();
    if (is_done && !IsSuspended()) {
      return Outcome{true, "CompletionsReached", "Reached expected number of succeeded pods"};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool HasFailedTooOften() const {
    const std::int64_t limit = Int(job_, {"spec", "backoffLimit"}, 6);
    if (tally_.failed() > limit) return true;
    if (Text(job_, {"spec", "template", "spec", "restartPolicy"}) != "OnFailure") return false;
    std::int64_t restarts = 0;
    for (const Json& pod : active_) {
      for (const auto* field : {"containerStatuses", "initContainerStatuses"}) {
        for (const Json& each : Items(pod, {"status", field})) {
          restarts += Int(each, {"restartCount"});
        }
      }
    }
    return limit == 0 ? restarts > 0 : restarts >= limit;
  }

  [[nodiscard]] bool IsPastDeadline() {
    const auto seconds = MaybeInt(job_, {"spec", "activeDeadlineSeconds"});
    const auto start = TimeAt(status_, {"startTime"});
    if (!seconds || !start || IsSuspended()) return false;
    const TimePoint deadline = *start + std::chrono::seconds(*seconds);
    if (deadline > now_) LookAgainAt(reconciled_, deadline);
    return deadline <= now_;
  }

  // Takes what still runs; the final condition follows when nothing is left to count.
  void End(const Outcome& outcome) {
    const std::string_view heading = outcome.has_succeeded ? "SuccessCriteriaMet" : "FailureTarget";
    const bool is_news = !IsTrue(status_, heading);
    if (is_news) SetJobCondition(heading, "True", outcome.reason, outcome.message);
    for (const Json& pod : active_) TakePod(pod);
    const bool is_quiet = !is_news && active_.empty() && terminating_ == 0 &&
                          tally_.uncounted_succeeded.empty() && tally_.uncounted_failed.empty() &&
                          tally_.to_release.empty();
    if (!is_quiet) return;
    SetJobCondition(outcome.has_succeeded ? "Complete" : "Failed", "True", outcome.reason,
                    outcome.message);
    if (outcome.has_succeeded) {
      Make(status_, {})["completionTime"] = PrintTime(now_);
      Say("Completed", "Job completed");
    } else {
      Say(outcome.reason, outcome.message, true);
    }
    LookAgainAt(reconciled_, now_);  // it may have no time to live
  }

  void SetJobCondition(std::string_view type, std::string_view status, std::string reason,
                       std::string message) {
    SetCondition(status_, {type, status, std::move(reason), std::move(message)},
                 now_)["lastProbeTime"] = PrintTime(now_);
  }

  void SetSuspended() {
    if (IsSuspended() && !IsTrue(status_, "Suspended")) {
      SetJobCondition("Suspended", "True", "JobSuspended", "Job suspended");
      Make(status_, {}).erase("startTime");
      Say("Suspended", "Job suspended");
    } else if (!IsSuspended() && IsTrue(status_, "Suspended")) {
      SetJobCondition("Suspended", "False", "JobResumed", "Job resumed");
      Make(status_, {})["startTime"] = PrintTime(now_);
      Say("Resumed", "Job resumed");
    }
  }

  [[nodiscard]] std::int64_t WantedActive() const {
    if (IsSuspended()) return 0;
    const std::int64_t parallelism = Int(job_, {"spec", "parallelism"}, 1);
    const auto active = static_cast<std::int64_t>(active_.size());
    if (!Completions()) return tally_.succeeded() > 0 ? active : parallelism;
    return std::clamp<std::int64_t>(*Completions() - tally_.succeeded(), 0, parallelism);
  }

  void MakeOrTakePods() {
    const auto active = static_cast<std::int64_t>(active_.size());
    const std::int64_t wanted = WantedActive();
    if (active > wanted) {
      // The youngest have done the least.
      for (std::int64_t i = wanted; i < active; ++i) {
        TakeUncounted(active_[static_cast<std::size_t>(i)]);
      }
      return;
    }
    const bool waits_for_the_dying = Text(job_, {"spec", "podReplacementPolicy"}) == "Failed";
    const std::int64_t missing = wanted - active - (waits_for_the_dying ? terminating_ : 0);
    if (missing <= 0) return;
    const auto backoff = BackoffUntil(pods_);
    if (backoff && *backoff > now_) return LookAgainAt(reconciled_, *backoff);
    MakePods(std::min(missing, kMaxBurst));
  }

  void MakePods(std::int64_t count) {
    std::set<std::int64_t> taken = tally_.completed_indexes;
    for (const Json& pod : active_) taken.insert(CompletionIndexOf(pod).value_or(-1));
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::optional<std::int64_t> index;
      if (IsIndexed(job_)) {
        while (taken.contains(next)) ++next;
        if (next >= Completions().value_or(0)) return;
        index = next++;
      }
      Json pod = JobPod(job_, index);
      NamePod(pod, JobPodPrefix(job_, index), now_, i);
      const std::string message = "Created pod: " + std::string(NameOf(pod));
      reconciled_.writes.push_back(Create(std::move(pod)));
      ++made_;
      Say("SuccessfulCreate", message);
    }
  }

  void TakePod(const Json& pod) {
    reconciled_.writes.push_back(Delete(pod));
    Say("SuccessfulDelete", "Deleted pod: " + std::string(NameOf(pod)));
  }

  // A pod that is taken because too many run has not failed, so it must not be counted.
  void TakeUncounted(const Json& pod) {
    Json released = pod;
    if (RemoveFinalizer(released, kTrackingFinalizer)) {
      reconciled_.writes.push_back(Update(std::move(released)));
    }
    TakePod(pod);
  }

  // Before everything else: no pod may lose its finalizer before the status knows of it.
  void FinishStatus() {
    const auto ready = std::count_if(active_.begin(), active_.end(), IsReady);
    auto& fields = Make(status_, {});
    for (const auto* field : {"active", "succeeded", "failed", "completedIndexes"}) {
      fields.erase(field);
    }
    const auto active = static_cast<std::int64_t>(active_.size()) + made_;
    if (active > 0 && !IsOver(status_)) fields["active"] = active;
    fields["ready"] = ready;
    fields["terminating"] = terminating_;
    WriteTally(status_, job_, tally_);
    Reconciled written;
    WriteStatusIfChanged(written, job_, status_);
    reconciled_.writes.insert(reconciled_.writes.begin(), written.writes.begin(),
                              written.writes.end());
  }

  void ReleaseCounted() {
    for (const Json* pod : tally_.to_release) {
      Json released = *pod;
      RemoveFinalizer(released, kTrackingFinalizer);
      reconciled_.writes.push_back(Update(std::move(released)));
    }
  }

  void Say(std::string_view reason, std::string message, bool is_warning = false) {
    reconciled_.writes.push_back(EventAbout(job_,
                                            {.reason = reason,
                                             .message = std::move(message),
                                             .source = "job-controller",
                                             .is_warning = is_warning},
                                            now_));
  }

  const Json& job_;
  const std::vector<Json>& pods_;
  const TimePoint now_;
  JobTally tally_;
  std::vector<Json> active_;
  std::int64_t terminating_ = 0;
  std::int64_t made_ = 0;
  Json status_;
  Reconciled reconciled_;
};

// What is left of a Job that is over: pods that were not released in time, and its own end.
Reconciled CleanUp(const Json& job, const std::vector<Json>& pods, TimePoint now) {
  Reconciled reconciled;
  for (const Json& pod : pods) {
    Json released = pod;
    if (RemoveFinalizer(released, kTrackingFinalizer)) {
      reconciled.writes.push_back(Update(std::move(released)));
    }
  }
  const auto seconds = MaybeInt(job, {"spec", "ttlSecondsAfterFinished"});
  if (!seconds || IsBeingDeleted(job)) return reconciled;
  const Json& status = job.at("status");
  const Json& last = *FindCondition(status, IsTrue(status, "Complete") ? "Complete" : "Failed");
  const TimePoint end =
      TimeAt(last, {"lastTransitionTime"}).value_or(now) + std::chrono::seconds(*seconds);
  if (end > now) {
    LookAgainAt(reconciled, end);
  } else {
    Write removal = Delete(job);
    removal.dependents = Dependents::kForeground;
    reconciled.writes.push_back(std::move(removal));
  }
  return reconciled;
}

}  // namespace

Reconciled ReconcileJob(const Json& job, const std::vector<Json>& pods, TimePoint now) {
  if (IsOver(Members(job, {"status"}))) return CleanUp(job, pods, now);
  return Work(job, pods, now).Run();
}

}  // namespace gs::localcluster
