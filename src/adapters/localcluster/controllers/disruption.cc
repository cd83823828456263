#include "adapters/localcluster/controllers/disruption.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/localcluster/select/label_selector.h"

namespace gs::localcluster {
namespace {

std::int64_t DesiredHealthy(const Json& budget, std::int64_t expected) {
  if (const Json* least = Find(budget, {"spec", "minAvailable"})) {
    return IntOrPercent(least, expected, Rounding::kUp, 0);
  }
  const Json* most = Find(budget, {"spec", "maxUnavailable"});
  const std::int64_t gone = IntOrPercent(most, expected, Rounding::kUp, 1);
  return std::max<std::int64_t>(0, expected - gone);
}

// An evicted pod counts as gone before it is, for as long as that may take.
constexpr Duration kEvictionTakes = std::chrono::minutes(2);

// Those that were evicted and are still as if they were not; the others are taken off the list.
boost::json::object StillEvicted(const Json& budget, const std::vector<Json>& pods, TimePoint now,
                                 Reconciled& reconciled) {
  boost::json::object evicted;
  for (const Json& pod : pods) {
    const auto since = TimeAt(budget, {"status", "disruptedPods", NameOf(pod)});
    if (!since || IsBeingDeleted(pod) || *since + kEvictionTakes <= now) continue;
    LookAgainAt(reconciled, *since + kEvictionTakes);
    evicted[NameOf(pod)] = PrintTime(*since);
  }
  return evicted;
}

}  // namespace

Reconciled ReconcileBudget(const Json& budget, const std::vector<Json>& pods, TimePoint now) {
  Reconciled reconciled;
  const auto selector = LabelSelector::FromObject(Find(budget, {"spec", "selector"}));
  if (!selector || IsBeingDeleted(budget)) return reconciled;
  auto evicted = StillEvicted(budget, pods, now, reconciled);
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  for (const Json& pod : pods) {
    if (!IsActive(pod) || !selector->MatchesObject(Find(pod, {"metadata", "labels"}))) continue;
    ++expected;
    healthy += IsReady(pod) && !evicted.contains(NameOf(pod)) ? 1 : 0;
  }
  const std::int64_t desired = DesiredHealthy(budget, expected);
  const std::int64_t allowed = expected > 0 ? std::max<std::int64_t>(0, healthy - desired) : 0;
  Json status = Members(budget, {"status"});
  auto& fields = Make(status, {});
  fields.erase("disruptedPods");
  if (!evicted.empty()) fields["disruptedPods"] = std::move(evicted);
  fields["observedGeneration"] = GenerationOf(budget);
  fields["disruptionsAllowed"] = allowed;
  fields["currentHealthy"] = healthy;
  fields["desiredHealthy"] = desired;
  fields["expectedPods"] = expected;
  auto& condition = SetCondition(status,
                                 {"DisruptionAllowed", allowed > 0 ? "True" : "False",
                                  allowed > 0 ? "SufficientPods" : "InsufficientPods", ""},
                                 now);
  condition["message"] = "";
  condition["observedGeneration"] = GenerationOf(budget);
  WriteStatusIfChanged(reconciled, budget, std::move(status));
  return reconciled;
}

}  // namespace gs::localcluster
