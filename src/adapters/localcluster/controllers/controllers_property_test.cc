// Whatever fails and in whatever order: controllers come to what was asked for, and never do on the
// way what must not happen.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>

#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/controllers/stateful_pod.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kTemplate = R"(
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec: {restartPolicy: Never, containers: [{name: main, image: x}]}
)";

Json AddSet(ModelCluster& cluster, std::string_view kind, std::string_view group) {
  return cluster.Add("apiVersion: " + std::string(group) + "\nkind: " + std::string(kind) +
                     "\nmetadata: {name: x}\nspec:\n  replicas: 3" + std::string(kTemplate));
}

// One thing that may happen to a cluster.
void Disturb(ModelCluster& cluster, std::string_view kind) {
  const auto pods = cluster.All("Pod");
  const int what = *rc::gen::inRange(0, 6);
  if (what == 0) return cluster.RunPods();
  if (what == 1) {
    Json set = cluster.Get(kind, "x");
    Make(set, {"spec"})["replicas"] = *rc::gen::inRange(0, 5);
    return cluster.Change(set);
  }
  if (what == 2) {
    Json set = cluster.Get(kind, "x");
    set.at("spec").at("template").at("spec").at("containers").at(0).as_object()["image"] =
        std::to_string(*rc::gen::inRange(0, 3));
    return cluster.Change(set);
  }
  if (pods.empty()) return;
  const Json pod = pods[*rc::gen::inRange<std::size_t>(0, pods.size())];
  if (what == 3) return cluster.DeleteNow(pod);
  if (what == 4) return cluster.SetPhase(NameOf(pod), "Failed");
  (void)cluster.Apply(Delete(pod));
}

void CheckSettled(ModelCluster& cluster, std::string_view kind) {
  cluster.SettleAndRun();
  const Json set = cluster.Get(kind, "x");
  const auto pods = cluster.All("Pod");
  const auto active = std::count_if(pods.begin(), pods.end(), IsActive);
  RC_ASSERT(active == Int(set, {"spec", "replicas"}));
  RC_ASSERT(Int(set, {"status", "replicas"}) == active);
  RC_ASSERT(Int(set, {"status", "availableReplicas"}) == active);
  RC_ASSERT(Int(set, {"status", "observedGeneration"}) == GenerationOf(set));
}

RC_GTEST_PROP(Controllers, AReplicaSetComesToItsNumberFromAnyState, ()) {
  ModelCluster cluster;
  (void)AddSet(cluster, "ReplicaSet", "apps/v1");
  for (int i = 0; i < 15; ++i) {
    Disturb(cluster, "ReplicaSet");
    cluster.Step();
  }
  CheckSettled(cluster, "ReplicaSet");
}

RC_GTEST_PROP(Controllers, ADeploymentComesToItsNewestTemplateFromAnyState, ()) {
  ModelCluster cluster;
  (void)AddSet(cluster, "Deployment", "apps/v1");
  for (int i = 0; i < 15; ++i) {
    Disturb(cluster, "Deployment");
    cluster.Step();
  }
  CheckSettled(cluster, "Deployment");
  const Json set = cluster.Get("Deployment", "x");
  const auto image =
      Text(set.at("spec").at("template").at("spec").at("containers").at(0), {"image"});
  for (const Json& pod : cluster.All("Pod")) {
    if (!IsActive(pod)) continue;
    RC_ASSERT(Text(pod.at("spec").at("containers").at(0), {"image"}) == image);
  }
}

RC_GTEST_PROP(Controllers, AStatefulSetNeverHasTwoPodsOfAnOrdinalAndStartsInOrder, ()) {
  ModelCluster cluster;
  (void)AddSet(cluster, "StatefulSet", "apps/v1");
  for (int i = 0; i < 15; ++i) {
    Disturb(cluster, "StatefulSet");
    const auto before = cluster.All("Pod");
    cluster.Step();
    const Json set = cluster.Get("StatefulSet", "x");
    std::set<std::int64_t> ordinals;
    std::int64_t first_unready = 1000;
    for (const Json& pod : before) {
      if (!IsReady(pod)) first_unready = std::min(first_unready, *OrdinalOf(set, pod));
    }
    for (const Json& pod : cluster.All("Pod")) {
      const std::int64_t ordinal = *OrdinalOf(set, pod);
      RC_ASSERT(ordinals.insert(ordinal).second);
      const bool is_new = std::none_of(before.begin(), before.end(),
                                       [&](const Json& each) { return UidOf(each) == UidOf(pod); });
      if (is_new) RC_ASSERT(ordinal <= first_unready);
    }
  }
  // Of several pods beyond its number that have failed, none is taken before the others, as in
  // Kubernetes: somebody has to.
  for (const Json& pod : cluster.All("Pod")) {
    if (IsFinished(pod)) cluster.DeleteNow(pod);
  }
  CheckSettled(cluster, "StatefulSet");
}

RC_GTEST_PROP(Controllers, AJobCountsEveryPodOnce, ()) {
  ModelCluster cluster;
  const bool is_indexed = *rc::gen::arbitrary<bool>();
  (void)cluster.Add(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec:\n"
      "  completions: 4\n  parallelism: 3\n  backoffLimit: 1000\n  completionMode: " +
      std::string(is_indexed ? "Indexed" : "NonIndexed") + std::string(kTemplate));
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  for (int i = 0; i < 400 && !IsTrue(Members(cluster.Get("Job", "x"), {"status"}), "Complete");
       ++i) {
    cluster.Step();
    cluster.Pass(std::chrono::minutes(*rc::gen::inRange(7, 10)));  // longer than any backoff
    for (const Json& pod : cluster.All("Pod")) {
      if (!IsActive(pod) || *rc::gen::inRange(0, 3) > 0) continue;
      const bool is_good = i > 20 || *rc::gen::inRange(0, 3) > 0;
      (is_good ? succeeded : failed) += 1;
      cluster.SetPhase(NameOf(pod), is_good ? "Succeeded" : "Failed");
    }
  }
  cluster.SettleAndRun();
  const Json status = cluster.Get("Job", "x").at("status");
  RC_ASSERT(IsTrue(status, "Complete"));
  RC_ASSERT(Int(status, {"succeeded"}) >= 4);
  if (!is_indexed) RC_ASSERT(Int(status, {"succeeded"}) == succeeded);
  RC_ASSERT(Int(status, {"failed"}) == failed);
  for (const Json& pod : cluster.All("Pod")) RC_ASSERT(!HasFinalizer(pod, kTrackingFinalizer));
}

}  // namespace
}  // namespace gs::localcluster
