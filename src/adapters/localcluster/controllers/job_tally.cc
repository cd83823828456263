#include "adapters/localcluster/controllers/job_tally.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

bool HasFailed(const Json& job, const Json& pod) {
  if (PhaseOf(pod) == "Failed") return true;
  if (Text(job, {"spec", "podReplacementPolicy"}) == "Failed") return false;
  return IsBeingDeleted(pod) && PhaseOf(pod) != "Succeeded";
}

bool Contains(const std::vector<std::string>& uids, std::string_view uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

// Those whose pod has lost its finalizer, or is gone, are counted; the others still wait.
void Count(const Json& job, std::string_view field, const std::vector<Json>& pods,
           std::int64_t& counted, std::vector<std::string>& uncounted) {
  for (const Json& uid : Items(job, {"status", "uncountedTerminatedPods", field})) {
    const bool is_held = std::any_of(pods.begin(), pods.end(), [&](const Json& pod) {
      return UidOf(pod) == Text(uid, {}) && HasFinalizer(pod, kTrackingFinalizer);
    });
    if (is_held) {
      uncounted.emplace_back(Text(uid, {}));
    } else {
      ++counted;
    }
  }
}

void Note(JobTally& tally, const Json& job, const Json& pod) {
  const std::string uid(UidOf(pod));
  if (HasFailed(job, pod)) {
    if (!Contains(tally.uncounted_failed, uid)) tally.uncounted_failed.push_back(uid);
    return;
  }
  if (!IsIndexed(job)) {
    if (!Contains(tally.uncounted_succeeded, uid)) tally.uncounted_succeeded.push_back(uid);
    return;
  }
  const auto index = CompletionIndexOf(pod);
  if (index && *index < Int(job, {"spec", "completions"})) tally.completed_indexes.insert(*index);
}

boost::json::array AsArray(const std::vector<std::string>& uids) {
  boost::json::array array;
  for (const std::string& uid : uids) array.push_back(Json(uid));
  return array;
}

}  // namespace

JobTally Tally(const Json& job, const std::vector<Json>& pods) {
  JobTally tally{.counted_succeeded = Int(job, {"status", "succeeded"}),
                 .counted_failed = Int(job, {"status", "failed"})};
  tally.completed_indexes = ParseIndexes(Text(job, {"status", "completedIndexes"}));
  Count(job, "succeeded", pods, tally.counted_succeeded, tally.uncounted_succeeded);
  Count(job, "failed", pods, tally.counted_failed, tally.uncounted_failed);
  for (const Json& pod : pods) {
    const bool has_ended = PhaseOf(pod) == "Succeeded" || HasFailed(job, pod);
    if (!has_ended || !HasFinalizer(pod, kTrackingFinalizer)) continue;
    Note(tally, job, pod);
    tally.to_release.push_back(&pod);
  }
  if (IsIndexed(job)) {
    tally.counted_succeeded = static_cast<std::int64_t>(tally.completed_indexes.size());
  }
  return tally;
}

void WriteTally(Json& status, const Json& job, const JobTally& tally) {
  auto& fields = Make(status, {});
  if (tally.counted_succeeded > 0) fields["succeeded"] = tally.counted_succeeded;
  if (tally.counted_failed > 0) fields["failed"] = tally.counted_failed;
  if (IsIndexed(job) && !tally.completed_indexes.empty()) {
    fields["completedIndexes"] = PrintIndexes(tally.completed_indexes);
  }
  boost::json::object uncounted;
  if (!tally.uncounted_succeeded.empty()) {
    uncounted["succeeded"] = AsArray(tally.uncounted_succeeded);
  }
  if (!tally.uncounted_failed.empty()) uncounted["failed"] = AsArray(tally.uncounted_failed);
  fields["uncountedTerminatedPods"] = std::move(uncounted);
}

}  // namespace gs::localcluster
