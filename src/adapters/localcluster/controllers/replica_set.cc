#include "adapters/localcluster/controllers/replica_set.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/parse.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kSource = "replicaset-controller";
// One call creates no more than this, so that a typo in a number of replicas does not fill the
// cluster before it can be taken back; what is missing is made by the next call.
constexpr std::int64_t kMaxBurst = 500;

std::int64_t DeletionCost(const Json& pod) {
  const auto cost = ParseInt32(AnnotationOf(pod, "controller.kubernetes.io/pod-deletion-cost"));
  return cost ? *cost : 0;
}

std::int64_t RestartsOf(const Json& pod) {
  std::int64_t restarts = 0;
  for (const Json& container : Items(pod, {"status", "containerStatuses"})) {
    restarts = std::max(restarts, Int(container, {"restartCount"}));
  }
  return restarts;
}

// Whom it hurts least comes first: without a node, not running, not ready, cheap, ready for a short
// time, often restarted, young.
bool GoesFirst(const Json& a, const Json& b) {
  const auto key = [](const Json& pod) {
    const auto ready_since = ReadySince(pod);
    const TimePoint ready = ready_since.value_or(TimePoint{});
    return std::tuple(!Text(pod, {"spec", "nodeName"}).empty(), PhaseOf(pod) == "Running",
                      ready_since.has_value(), DeletionCost(pod), -ready.time_since_epoch().count(),
                      -RestartsOf(pod));
  };
  const auto key_a = key(a);
  const auto key_b = key(b);
  if (key_a != key_b) return key_a < key_b;
  return IsOlder(b, a);
}

bool HasTemplateLabels(const Json& set, const Json& pod) {
  const auto& labels = Members(set, {"spec", "template", "metadata", "labels"});
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    return LabelOf(pod, label.key()) == Text(label.value(), {});
  });
}

Json NewStatus(const Json& set, const std::vector<Json>& active, std::int64_t terminating,
               TimePoint now) {
  const std::int64_t min_ready = Int(set, {"spec", "minReadySeconds"});
  std::int64_t labeled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  for (const Json& pod : active) {
    const auto from = AvailableFrom(pod, min_ready);
    labeled += HasTemplateLabels(set, pod) ? 1 : 0;
    ready += from ? 1 : 0;
    available += from && *from <= now ? 1 : 0;
  }
  boost::json::object status{{"replicas", active.size()}};
  // Counts of nothing are left out, as the API does.
  if (labeled > 0) status["fullyLabeledReplicas"] = labeled;
  if (ready > 0) status["readyReplicas"] = ready;
  if (available > 0) status["availableReplicas"] = available;
  status["terminatingReplicas"] = terminating;
  status["observedGeneration"] = GenerationOf(set);
  return status;
}

void AskWhenAvailable(Reconciled& reconciled, const Json& set, const std::vector<Json>& active,
                      TimePoint now) {
  for (const Json& pod : active) {
    const auto from = AvailableFrom(pod, Int(set, {"spec", "minReadySeconds"}));
    if (from && *from > now) LookAgainAt(reconciled, *from);
  }
}

void Say(Reconciled& reconciled, const Json& set, std::string_view reason, std::string message,
         TimePoint now) {
  reconciled.writes.push_back(
      EventAbout(set, {.reason = reason, .message = std::move(message), .source = kSource}, now));
}

void CreatePods(Reconciled& reconciled, const Json& set, std::int64_t count, TimePoint now) {
  const std::string prefix = std::string(NameOf(set)) + "-";
  Json pod = PodFromTemplate(set, set.at("spec").at("template"));
  for (std::int64_t i = 0; i < std::min(count, kMaxBurst); ++i) {
    NamePod(pod, prefix, now, i);
    reconciled.writes.push_back(Create(pod));
    Say(reconciled, set, "SuccessfulCreate", "Created pod: " + std::string(NameOf(pod)), now);
  }
}

void DeletePods(Reconciled& reconciled, const Json& set, std::vector<Json> active,
                std::int64_t count, TimePoint now) {
  std::sort(active.begin(), active.end(), GoesFirst);
  active.resize(static_cast<std::size_t>(count));
  for (const Json& pod : active) {
    reconciled.writes.push_back(Delete(pod));
    Say(reconciled, set, "SuccessfulDelete", "Deleted pod: " + std::string(NameOf(pod)), now);
  }
}

}  // namespace

Reconciled ReconcileReplicaSet(const Json& set, const std::vector<Json>& pods, TimePoint now) {
  std::vector<Json> active;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(active), IsActive);
  const auto terminating = std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
    return IsBeingDeleted(pod) && !IsFinished(pod);
  });

  Reconciled reconciled;
  WriteStatusIfChanged(reconciled, set, NewStatus(set, active, terminating, now));
  AskWhenAvailable(reconciled, set, active, now);
  if (IsBeingDeleted(set) || Find(set, {"spec", "template"}) == nullptr) return reconciled;

  const std::int64_t surplus =
      static_cast<std::int64_t>(active.size()) - Int(set, {"spec", "replicas"}, 1);
  if (surplus < 0) CreatePods(reconciled, set, -surplus, now);
  if (surplus > 0) DeletePods(reconciled, set, std::move(active), surplus, now);
  return reconciled;
}

}  // namespace gs::localcluster
