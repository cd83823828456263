#include "adapters/localcluster/controllers/deployment_status.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <limits>
#include <string>
#include <utility>

#include "adapters/localcluster/controllers/rollout.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kCompleteReason = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOutReason = "ProgressDeadlineExceeded";

std::int64_t Sum(const std::vector<Json>& sets, Path path) {
  std::int64_t sum = 0;
  for (const Json& set : sets) sum += Int(set, path);
  return sum;
}

void SetCount(boost::json::object& status, std::string_view field, std::int64_t count) {
  if (count > 0) status[field] = count;
}

Json Counts(const Json& deployment, const std::vector<Json>& sets, const Json* newest) {
  const std::int64_t available = Sum(sets, {"status", "availableReplicas"});
  boost::json::object status;
  if (const Json* collisions = Find(deployment, {"status", "collisionCount"})) {
    status["collisionCount"] = *collisions;
  }
  status["observedGeneration"] = GenerationOf(deployment);
  SetCount(status, "replicas", Sum(sets, {"status", "replicas"}));
  SetCount(status, "updatedReplicas", newest == nullptr ? 0 : Int(*newest, {"status", "replicas"}));
  SetCount(status, "readyReplicas", Sum(sets, {"status", "readyReplicas"}));
  SetCount(status, "availableReplicas", available);
  SetCount(status, "unavailableReplicas", Sum(sets, {"spec", "replicas"}) - available);
  status["terminatingReplicas"] = Sum(sets, {"status", "terminatingReplicas"});
  if (const Json* conditions = Find(deployment, {"status", "conditions"})) {
    status["conditions"] = *conditions;
  }
  return status;
}

// A condition with the same status and reason stays as it is, message and times included.
void Set(Json& status, const Condition& condition, TimePoint now) {
  const Json* old = FindCondition(status, condition.type);
  if (old != nullptr && Text(*old, {"status"}) == condition.status &&
      Text(*old, {"reason"}) == condition.reason) {
    return;
  }
  SetCondition(status, condition, now)["lastUpdateTime"] = PrintTime(now);
}

void SetAvailable(Json& status, const RolloutLimits& limits, TimePoint now) {
  const bool is_enough =
      Int(status, {"availableReplicas"}) >= limits.replicas - limits.max_unavailable;
  Set(status,
      is_enough ? Condition{"Available", "True", "MinimumReplicasAvailable",
                            "Deployment has minimum availability."}
                : Condition{"Available", "False", "MinimumReplicasUnavailable",
                            "Deployment does not have minimum availability."},
      now);
}

bool HasMoved(const Json& before, const Json& after) {
  const auto old_pods = [](const Json& status) {
    return Int(status, {"replicas"}) - Int(status, {"updatedReplicas"});
  };
  return Int(after, {"updatedReplicas"}) > Int(before, {"updatedReplicas"}) ||
         old_pods(after) < old_pods(before) ||
         Int(after, {"readyReplicas"}) > Int(before, {"readyReplicas"}) ||
         Int(after, {"availableReplicas"}) > Int(before, {"availableReplicas"});
}

std::string Sentence(const Json& deployment, const Json* newest, std::string_view rest) {
  const std::string who = newest == nullptr ? "Deployment \"" + std::string(NameOf(deployment))
                                            : "ReplicaSet \"" + std::string(NameOf(*newest));
  return who + "\" " + std::string(rest);
}

// When a rollout that does not move has failed; absent without such a deadline.
std::optional<TimePoint> Deadline(const Json& deployment, const Json& status) {
  const auto seconds = MaybeInt(deployment, {"spec", "progressDeadlineSeconds"});
  const Json* condition = FindCondition(status, kProgressing);
  if (!seconds || condition == nullptr) return std::nullopt;
  const auto since = TimeAt(*condition, {"lastUpdateTime"});
  if (!since) return std::nullopt;
  return *since + std::chrono::seconds(*seconds);
}

bool HasDeadline(const Json& deployment) {
  const auto seconds = MaybeInt(deployment, {"spec", "progressDeadlineSeconds"});
  return seconds && *seconds != std::numeric_limits<std::int32_t>::max();
}

// The condition that says whether the rollout moves, and when to look whether it is stuck.
void SetProgressing(Reconciled& reconciled, const Json& deployment, const Json* newest,
                    Json& status, TimePoint now) {
  const Json before = Members(deployment, {"status"});
  const Json* current = FindCondition(before, kProgressing);
  const auto reason = current == nullptr ? std::string_view() : Text(*current, {"reason"});
  const bool was_complete =
      Int(status, {"replicas"}) == Int(status, {"updatedReplicas"}) && reason == kCompleteReason;
  if (was_complete) return;
  if (IsComplete(deployment, status)) {
    Set(status,
        {kProgressing, "True", std::string(kCompleteReason),
         Sentence(deployment, newest, "has successfully progressed.")},
        now);
    return;
  }
  if (current == nullptr && newest != nullptr) {
    const std::string message = "Created new replica set \"" + std::string(NameOf(*newest)) + "\"";
    Set(status, {kProgressing, "True", "NewReplicaSetCreated", message}, now);
  } else if (HasMoved(before, status)) {
    const auto message = Sentence(deployment, newest, "is progressing.");
    SetCondition(status, {kProgressing, "True", "ReplicaSetUpdated", message},
                 now)["lastUpdateTime"] = PrintTime(now);
  } else if (const auto deadline = Deadline(deployment, status); deadline && *deadline < now) {
    Set(status,
        {kProgressing, "False", std::string(kTimedOutReason),
         Sentence(deployment, newest, "has timed out progressing.")},
        now);
    return;
  }
  const auto deadline = Deadline(deployment, status);
  if (deadline && reason != kTimedOutReason) {
    LookAgainAt(reconciled, *deadline + std::chrono::seconds(1));
  }
}

}  // namespace

bool IsComplete(const Json& deployment, const Json& status) {
  const std::int64_t wanted = Int(deployment, {"spec", "replicas"}, 1);
  return Int(status, {"updatedReplicas"}) == wanted && Int(status, {"replicas"}) == wanted &&
         Int(status, {"availableReplicas"}) == wanted &&
         Int(status, {"observedGeneration"}) >= GenerationOf(deployment);
}

void WriteDeploymentStatus(Reconciled& reconciled, const Json& deployment,
                           const std::vector<Json>& sets, const Json* newest, TimePoint now) {
  Json status = Counts(deployment, sets, newest);
  SetAvailable(status, LimitsOf(deployment), now);
  if (!HasDeadline(deployment)) {
    RemoveCondition(status, kProgressing);
  } else if (!Bool(deployment, {"spec", "paused"})) {
    SetProgressing(reconciled, deployment, newest, status, now);
  }
  WriteStatusIfChanged(reconciled, deployment, std::move(status));
}

}  // namespace gs::localcluster
