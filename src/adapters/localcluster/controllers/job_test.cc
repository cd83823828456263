#include "adapters/localcluster/controllers/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kPi = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  completions: 3
  parallelism: 2
  backoffLimit: 1
  template:
    metadata: {labels: {app: pi}}
    spec: {restartPolicy: Never, containers: [{name: main, image: pi}]}
)";

void ChangeSpec(ModelCluster& cluster, std::string_view field, Json value) {
  Json job = cluster.Get("Job", "pi");
  Make(job, {"spec"})[field] = std::move(value);
  cluster.Change(job);
}

std::vector<std::string> ActiveNames(const ModelCluster& cluster) {
  std::vector<std::string> names;
  for (const Json& pod : cluster.All("Pod")) {
    if (IsActive(pod)) names.emplace_back(NameOf(pod));
  }
  return names;
}

// Every pod that runs ends so.
void EndPods(ModelCluster& cluster, std::string_view phase) {
  for (const std::string& name : ActiveNames(cluster)) cluster.SetPhase(name, phase);
  cluster.Settle();
}

Json StatusOf(const ModelCluster& cluster) { return cluster.Get("Job", "pi").at("status"); }

TEST(Job, RunsAsManyAsAskedAtATimeUntilEnoughHaveSucceeded) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  cluster.Settle();
  EXPECT_EQ(ActiveNames(cluster).size(), 2U);
  EXPECT_EQ(Int(StatusOf(cluster), {"active"}), 2);
  EndPods(cluster, "Succeeded");
  EXPECT_EQ(ActiveNames(cluster).size(), 1U);
  EXPECT_EQ(Int(StatusOf(cluster), {"succeeded"}), 2);
  EndPods(cluster, "Succeeded");

  const Json status = StatusOf(cluster);
  EXPECT_EQ(Int(status, {"succeeded"}), 3);
  EXPECT_EQ(Find(status, {"active"}), nullptr);
  EXPECT_TRUE(IsTrue(status, "SuccessCriteriaMet"));
  EXPECT_TRUE(IsTrue(status, "Complete"));
  EXPECT_EQ(Text(*FindCondition(status, "Complete"), {"reason"}), "CompletionsReached");
  EXPECT_NE(Find(status, {"completionTime"}), nullptr);
  EXPECT_TRUE(Members(status, {"uncountedTerminatedPods"}).empty());
  for (const Json& pod : cluster.All("Pod")) EXPECT_FALSE(HasFinalizer(pod, kTrackingFinalizer));
}

TEST(Job, GivesUpBeyondTheBackoffLimit) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  ChangeSpec(cluster, "parallelism", 1);
  cluster.Settle();
  EndPods(cluster, "Failed");
  EXPECT_TRUE(ActiveNames(cluster).empty());
  ASSERT_TRUE(cluster.look_again().has_value());  // it waits before it tries again
  cluster.Pass(std::chrono::seconds(11));
  cluster.Settle();
  EXPECT_EQ(ActiveNames(cluster).size(), 1U);
  EndPods(cluster, "Failed");
  const Json status = StatusOf(cluster);
  EXPECT_EQ(Int(status, {"failed"}), 2);
  EXPECT_TRUE(IsTrue(status, "FailureTarget"));
  EXPECT_EQ(Text(*FindCondition(status, "Failed"), {"reason"}), "BackoffLimitExceeded");
  EXPECT_EQ(Find(status, {"completionTime"}), nullptr);
}

TEST(Job, AnIndexedOneGivesEveryNumberOnce) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  ChangeSpec(cluster, "completionMode", "Indexed");
  cluster.Settle();
  ASSERT_EQ(ActiveNames(cluster).size(), 2U);
  const Json pod = cluster.Get("Pod", ActiveNames(cluster)[1]);
  EXPECT_TRUE(NameOf(pod).starts_with("pi-1-"));
  EXPECT_EQ(AnnotationOf(pod, "batch.kubernetes.io/job-completion-index"), "1");
  EXPECT_EQ(LabelOf(pod, "batch.kubernetes.io/job-completion-index"), "1");
  EXPECT_EQ(Text(pod, {"spec", "hostname"}), "pi-1");
  const Json& variable = Items(pod.at("spec").at("containers").at(0), {"env"})[0];
  EXPECT_EQ(Text(variable, {"name"}), "JOB_COMPLETION_INDEX");
  EXPECT_EQ(Text(variable, {"valueFrom", "fieldRef", "fieldPath"}),
            "metadata.labels['batch.kubernetes.io/job-completion-index']");

  cluster.SetPhase(NameOf(pod), "Succeeded");
  cluster.Settle();
  EXPECT_EQ(Text(StatusOf(cluster), {"completedIndexes"}), "1");
  EndPods(cluster, "Succeeded");
  EndPods(cluster, "Succeeded");
  EXPECT_EQ(Text(StatusOf(cluster), {"completedIndexes"}), "0-2");
  EXPECT_TRUE(IsTrue(StatusOf(cluster), "Complete"));
  EXPECT_EQ(cluster.All("Pod").size(), 3U);
}

TEST(Job, ASuspendedOneHasNoPodsAndCountsNoneOfThemAsFailed) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  cluster.Settle();
  ChangeSpec(cluster, "suspend", true);
  cluster.SettleAndRun();
  EXPECT_TRUE(cluster.All("Pod").empty());
  EXPECT_TRUE(IsTrue(StatusOf(cluster), "Suspended"));
  EXPECT_EQ(Int(StatusOf(cluster), {"failed"}), 0);
  ChangeSpec(cluster, "suspend", false);
  cluster.Settle();
  EXPECT_EQ(ActiveNames(cluster).size(), 2U);
  EXPECT_FALSE(IsTrue(StatusOf(cluster), "Suspended"));
}

TEST(Job, EndsAtItsDeadlineOnceTheLastPodIsGone) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  ChangeSpec(cluster, "activeDeadlineSeconds", 60);
  cluster.Settle();
  ASSERT_TRUE(cluster.look_again().has_value());
  cluster.Pass(std::chrono::seconds(61));
  cluster.Settle();
  EXPECT_TRUE(IsTrue(StatusOf(cluster), "FailureTarget"));
  EXPECT_FALSE(IsTrue(StatusOf(cluster), "Failed"));
  cluster.SettleAndRun();
  EXPECT_TRUE(IsTrue(StatusOf(cluster), "Failed"));
  EXPECT_TRUE(ActiveNames(cluster).empty());
}

TEST(Job, IsRemovedWhenItsTimeToLiveIsOver) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  ChangeSpec(cluster, "ttlSecondsAfterFinished", 30);
  cluster.Settle();
  EndPods(cluster, "Succeeded");
  EndPods(cluster, "Succeeded");
  ASSERT_TRUE(cluster.Has("Job", "pi"));
  cluster.Pass(std::chrono::seconds(31));
  cluster.Settle();
  EXPECT_FALSE(cluster.Has("Job", "pi"));
}

TEST(Job, WithoutCompletionsOneSuccessIsEnough) {
  ModelCluster cluster;
  (void)cluster.Add(kPi);
  ChangeSpec(cluster, "completions", nullptr);
  cluster.Settle();
  cluster.SetPhase(ActiveNames(cluster)[0], "Succeeded");
  cluster.Settle();
  EXPECT_EQ(ActiveNames(cluster).size(), 1U);
  EXPECT_FALSE(IsTrue(StatusOf(cluster), "Complete"));
  EndPods(cluster, "Succeeded");
  EXPECT_TRUE(IsTrue(StatusOf(cluster), "Complete"));
}

TEST(JobIndexes, ReadAndPrintAsTheApiDoes) {
  EXPECT_EQ(PrintIndexes({0, 1, 2, 4, 7, 8}), "0-2,4,7,8");
  EXPECT_EQ(ParseIndexes("0-2,4,7,8"), (std::set<std::int64_t>{0, 1, 2, 4, 7, 8}));
  EXPECT_TRUE(ParseIndexes("").empty());
  EXPECT_TRUE(ParseIndexes("x,-,9999999999").empty());
}

TEST(JobBackoff, DoublesWithEveryFailureSinceASuccess) {
  const auto pod = [](std::string_view phase, std::string_view at) {
    return Json{{"status",
                 {{"phase", phase},
                  {"containerStatuses", boost::json::array{boost::json::object{
                                            {"state", {{"terminated", {{"finishedAt", at}}}}}}}}}}};
  };
  const Json first = pod("Failed", "2026-05-01T12:00:00Z");
  const Json second = pod("Failed", "2026-05-01T12:01:00Z");
  const Json success = pod("Succeeded", "2026-05-01T12:00:30Z");
  EXPECT_EQ(BackoffUntil({}), std::nullopt);
  EXPECT_EQ(BackoffUntil({first, second}), *ParseTime("2026-05-01T12:01:20Z"));
  EXPECT_EQ(BackoffUntil({first, second, success}), *ParseTime("2026-05-01T12:01:10Z"));
}

}  // namespace
}  // namespace gs::localcluster
