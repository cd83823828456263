#include "adapters/localcluster/kubelet/pod_run.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/kubelet/admission.h"
#include "adapters/localcluster/kubelet/pod_status.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

using Indexes = std::vector<std::size_t>;
using std::chrono::seconds;

const TimePoint kNoon = *ParseTime("2026-05-01T12:00:00Z");
const Times kAtOnce{.start = Duration{}};

Json Pod(std::string_view restart_policy) {
  Json pod = *yaml::ParseYaml(R"(
kind: Pod
metadata: {name: a, namespace: team, uid: u1, generation: 1}
spec:
  containers: [{name: main, image: web}]
)");
  Make(pod, {"spec"})["restartPolicy"] = restart_policy;
  return pod;
}

Json WithInit(Json pod) {
  Make(pod, {"spec"})["initContainers"] = *yaml::ParseYaml(R"(
- {name: prepare, image: x}
- {name: proxy, image: y, restartPolicy: Always}
)");
  return pod;
}

TEST(PodRun, StartsAfterItsTimeAndRuns) {
  const Json pod = Pod("Always");
  PodRun run(pod, {.start = seconds(1)}, kNoon);
  Orders orders = run.Advance(pod, kNoon);
  EXPECT_TRUE(orders.start.empty());
  EXPECT_EQ(orders.next, kNoon + seconds(1));
  EXPECT_EQ(PhaseOf(run), "Pending");
  orders = run.Advance(pod, kNoon + seconds(1));
  EXPECT_EQ(orders.start, Indexes{0});
  run.Started(0, pod, kNoon + seconds(1));
  EXPECT_EQ(PhaseOf(run), "Running");
}

TEST(PodRun, InitContainersComeInTurnAndSidecarsStay) {
  const Json pod = WithInit(Pod("Never"));
  PodRun run(pod, kAtOnce, kNoon);
  EXPECT_EQ(run.Advance(pod, kNoon).start, Indexes{0});
  run.Started(0, pod, kNoon);
  EXPECT_TRUE(run.Advance(pod, kNoon).start.empty());
  run.Exited(0, 0, kNoon);
  EXPECT_EQ(run.Advance(pod, kNoon).start, Indexes{1});
  run.Started(1, pod, kNoon);
  EXPECT_EQ(run.Advance(pod, kNoon).start, Indexes{2});
  run.Started(2, pod, kNoon);
  EXPECT_EQ(PhaseOf(run), "Running");
  run.Exited(2, 0, kNoon);
  const Orders orders = run.Advance(pod, kNoon);
  EXPECT_EQ(orders.stop, Indexes{1});  // nobody needs the sidecar any more
  run.Exited(1, 143, kNoon);
  EXPECT_TRUE(run.Advance(pod, kNoon).is_over);
  EXPECT_EQ(PhaseOf(run), "Succeeded");
}

TEST(PodRun, AFailedInitContainerFailsThePodThatIsNeverRestarted) {
  const Json pod = WithInit(Pod("Never"));
  PodRun run(pod, kAtOnce, kNoon);
  (void)run.Advance(pod, kNoon);
  run.Started(0, pod, kNoon);
  run.Exited(0, 3, kNoon);
  EXPECT_TRUE(run.Advance(pod, kNoon).is_over);
  EXPECT_EQ(PhaseOf(run), "Failed");
}

TEST(PodRun, RestartsAtOnceAndThenEverMoreSlowly) {
  const Json pod = Pod("Always");
  PodRun run(pod, kAtOnce, kNoon);
  TimePoint now = kNoon;
  const auto fail = [&] {
    EXPECT_EQ(run.Advance(pod, now).start, Indexes{0});
    run.Started(0, pod, now);
    run.Exited(0, 1, now);
    return run.Advance(pod, now);
  };
  EXPECT_EQ(fail().start, Indexes{0});
  EXPECT_EQ(fail().next, now + seconds(10));
  EXPECT_EQ(run.containers()[0].waiting_reason, "CrashLoopBackOff");
  EXPECT_EQ(PhaseOf(run), "Running");
  now += seconds(10);
  EXPECT_EQ(fail().next, now + seconds(20));
  for (int i = 0; i < 10; ++i) {
    now = run.containers()[0].not_before;
    (void)fail();
  }
  EXPECT_EQ(run.containers()[0].not_before, now + std::chrono::minutes(5));
  EXPECT_EQ(run.containers()[0].restarts, 12);
}

TEST(PodRun, OnFailureEndsWithTheFirstSuccess) {
  const Json pod = Pod("OnFailure");
  PodRun run(pod, kAtOnce, kNoon);
  run.Started(0, pod, kNoon);
  run.Exited(0, 1, kNoon);
  EXPECT_EQ(run.Advance(pod, kNoon).start, Indexes{0});
  run.Started(0, pod, kNoon);
  run.Exited(0, 0, kNoon);
  EXPECT_TRUE(run.Advance(pod, kNoon).is_over);
  EXPECT_EQ(PhaseOf(run), "Succeeded");
}

TEST(PodRun, ADeletedPodIsToldToStopAndKilledWhenItsGraceIsOver) {
  Json pod = Pod("Always");
  PodRun run(pod, kAtOnce, kNoon);
  run.Started(0, pod, kNoon);
  Make(pod, {"metadata"})["deletionTimestamp"] = PrintTime(kNoon + seconds(30));
  Orders orders = run.Advance(pod, kNoon);
  EXPECT_EQ(orders.stop, Indexes{0});
  EXPECT_EQ(orders.next, kNoon + seconds(30));
  orders = run.Advance(pod, kNoon + seconds(29));
  EXPECT_TRUE(orders.stop.empty());
  EXPECT_TRUE(orders.kill.empty());
  orders = run.Advance(pod, kNoon + seconds(30));
  EXPECT_EQ(orders.kill, Indexes{0});
  run.Exited(0, 137, kNoon + seconds(30));
  EXPECT_TRUE(run.Advance(pod, kNoon + seconds(30)).is_over);
  EXPECT_EQ(PhaseOf(run), "Failed");
}

TEST(PodRun, EndsAtItsDeadline) {
  Json pod = Pod("Always");
  Make(pod, {"spec"})["activeDeadlineSeconds"] = 5;
  PodRun run(pod, kAtOnce, kNoon);
  run.Started(0, pod, kNoon);
  EXPECT_EQ(run.Advance(pod, kNoon).next, kNoon + seconds(5));
  EXPECT_EQ(run.Advance(pod, kNoon + seconds(5)).stop, Indexes{0});
  run.Exited(0, 0, kNoon + seconds(5));
  EXPECT_EQ(PhaseOf(run), "Failed");
  EXPECT_EQ(run.failure_reason(), "DeadlineExceeded");
}

TEST(PodStatus, OfARunningPodIsWhatAKubeletWrites) {
  Json pod = Pod("Always");
  Make(pod, {"status"})["qosClass"] = "BestEffort";
  PodRun run(pod, kAtOnce, kNoon);
  run.Started(0, pod, kNoon);
  const Json status = StatusOf(run, pod, {"10.0.0.1", "10.244.0.2"}, kNoon);
  EXPECT_EQ(Text(status, {"phase"}), "Running");
  EXPECT_EQ(Text(status, {"qosClass"}), "BestEffort");
  EXPECT_EQ(Text(status, {"podIP"}), "10.244.0.2");
  for (const auto* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    EXPECT_TRUE(IsTrue(status, type)) << type;
  }
  const Json& container = Items(status, {"containerStatuses"})[0];
  EXPECT_EQ(Text(container, {"state", "running", "startedAt"}), "2026-05-01T12:00:00Z");
  EXPECT_TRUE(Bool(container, {"ready"}));
  EXPECT_TRUE(Bool(container, {"started"}));
}

TEST(PodStatus, TellsWhatAContainerWaitsFor) {
  const Json pod = WithInit(Pod("Always"));
  PodRun run(pod, kAtOnce, kNoon);
  run.Started(0, pod, kNoon);
  Json status = StatusOf(run, pod, {"10.0.0.1", ""}, kNoon);
  EXPECT_EQ(Text(Items(status, {"containerStatuses"})[0], {"state", "waiting", "reason"}),
            "PodInitializing");
  EXPECT_EQ(Text(*FindCondition(status, "Initialized"), {"message"}),
            "containers with incomplete status: [prepare proxy]");
  EXPECT_EQ(Text(*FindCondition(status, "Ready"), {"message"}),
            "containers with unready status: [proxy main]");

  const Json simple = Pod("Always");
  PodRun other(simple, kAtOnce, kNoon);
  other.CannotStart(0, "CreateContainerConfigError", "configmap \"x\" not found", kNoon);
  status = StatusOf(other, simple, {"10.0.0.1", ""}, kNoon);
  EXPECT_EQ(Text(Items(status, {"containerStatuses"})[0], {"state", "waiting", "reason"}),
            "CreateContainerConfigError");
}

TEST(PodStatus, ACrashLoopShowsTheLastRun) {
  const Json pod = Pod("Always");
  PodRun run(pod, kAtOnce, kNoon);
  for (int i = 0; i < 2; ++i) {
    run.Started(0, pod, kNoon);
    run.Exited(0, 7, kNoon);
  }
  const Json status = StatusOf(run, pod, {"10.0.0.1", "10.244.0.2"}, kNoon);
  const Json& container = Items(status, {"containerStatuses"})[0];
  EXPECT_EQ(Text(container, {"state", "waiting", "reason"}), "CrashLoopBackOff");
  EXPECT_EQ(Int(container, {"lastState", "terminated", "exitCode"}), 7);
  EXPECT_EQ(Int(container, {"restartCount"}), 1);
}

TEST(PodStatus, ARejectedPodFailsWithTheReason) {
  const Json pod = Pod("Always");
  PodRun run(pod, kAtOnce, kNoon);
  run.Reject("OutOfcpu", "Pod was rejected: no");
  EXPECT_TRUE(run.Advance(pod, kNoon).is_over);
  const Json status = StatusOf(run, pod, {"10.0.0.1", ""}, kNoon);
  EXPECT_EQ(Text(status, {"phase"}), "Failed");
  EXPECT_EQ(Text(status, {"reason"}), "OutOfcpu");
}

TEST(Admission, RefusesInTheWordsOfAKubelet) {
  const NodeRoom room{.allocatable = {.cpu_milli = 4000, .memory_bytes = 1000, .gpus = 4},
                      .allocatable_pods = 10,
                      .used = {.cpu_milli = 3000, .memory_bytes = 0, .gpus = 3},
                      .used_pods = 1};
  EXPECT_EQ(RefuseAdmission({.cpu_milli = 1000, .memory_bytes = 1000, .gpus = 1}, room),
            std::nullopt);
  EXPECT_EQ(RefuseAdmission({.cpu_milli = 1001}, room),
            (Refusal{"OutOfcpu",
                     "Node didn't have enough resource: cpu, requested: 1001, used: 3000, "
                     "capacity: 4000"}));
  EXPECT_EQ(RefuseAdmission({.gpus = 2}, room)->reason, "UnexpectedAdmissionError");
  EXPECT_EQ(RefuseAdmission({.others = {{"example.com/x", 1}}}, room)->reason,
            "OutOfexample.com/x");
}

}  // namespace
}  // namespace gs::localcluster
