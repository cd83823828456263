#include "adapters/localcluster/kubelet/kubelets.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <map>
#include <thread>
#include <tuple>

#include "adapters/gpu/machine_file.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

using std::chrono::seconds;

// Objects in a map, as far as kubelets write them.
class Cluster {
 public:
  explicit Cluster(std::vector<KnownProgram> programs = {})
      : children_(threads_),
        kubelets_(
            {.nodes = {Node()}, .times = {.start = Duration{}}, .programs = programs}, clock_,
            children_, outputs_,
            [this](std::string_view kind, std::string_view ns, std::string_view name) {
              const auto found = objects_.find(Key{kind, ns, name});
              return found == objects_.end() ? std::nullopt : std::optional(found->second);
            },
            [this](const std::string&, const std::string& pod) { (void)woken_.Push(pod); }) {
    Apply(kubelets_.SyncNode("node1"));
  }

  static NodeDescription Node() {
    const auto machine = gpu::ReadMachine("devices: [{id: 0}, {id: 1}]");
    return {.name = "node1", .labels = {{"gpu-type", "a100"}}, .cpu = "4", .machine = *machine};
  }

  Json Add(std::string_view yaml) {
    Json object = *yaml::ParseYaml(yaml);
    auto& metadata = Make(object, {"metadata"});
    metadata["namespace"] = "team";
    if (metadata.find("uid") == metadata.end()) metadata["uid"] = "uid-" + std::to_string(++uids_);
    objects_[KeyOf(object)] = object;
    return object;
  }

  // What kubelets do with the pod now. False once it is gone.
  bool Sync(std::string_view name) {
    const auto found = objects_.find(Key{"Pod", "team", name});
    if (found == objects_.end()) return false;
    const Reconciled wanted = kubelets_.SyncPod(Json(found->second));
    look_again_ = wanted.look_again;
    Apply(wanted);
    return objects_.contains(Key{"Pod", "team", std::string(name)});
  }

  // As after a forced deletion.
  void Lose(std::string_view pod) {
    objects_.erase(Key{"Pod", "team", pod});
    kubelets_.Forget("team", std::string(pod));
  }

  // Until a program ends and says so.
  bool AwaitWake() {
    return woken_.Pop(std::chrono::steady_clock::now() + std::chrono::minutes(2)).has_value();
  }

  Json Get(std::string_view kind, std::string_view ns, std::string_view name) {
    return objects_.at(Key{kind, ns, name});
  }
  bool Has(std::string_view kind, std::string_view ns, std::string_view name) {
    return objects_.contains(Key{kind, ns, name});
  }
  Json Pod(std::string_view name) { return Get("Pod", "team", name); }
  void DeletePod(std::string_view name, seconds grace) {
    auto& metadata = Make(objects_.at(Key{"Pod", "team", name}), {"metadata"});
    metadata["deletionTimestamp"] = PrintTime(clock_.WallTime() + grace);
  }
  std::string LogOf(std::string_view pod) {
    const auto log =
        outputs_.Log({"team", std::string(pod), "main"}, ContainerOutputs::Run::kLatest);
    std::string text;
    for (const auto& line : log->Read(0).lines) text += line.text + "\n";
    return text;
  }

  void Pass(Duration time) { clock_.Advance(time); }
  [[nodiscard]] std::optional<TimePoint> look_again() const { return look_again_; }
  [[nodiscard]] TimePoint now() const { return clock_.WallTime(); }
  std::vector<std::string> reasons;  // of Events

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key KeyOf(const Json& object) {
    return {std::string(KindOf(object)), std::string(NamespaceOf(object)),
            std::string(NameOf(object))};
  }

  void Apply(const Reconciled& wanted) {
    for (const Write& write : wanted.writes) {
      if (KindOf(write.object) == "Event") {
        reasons.emplace_back(Text(write.object, {"reason"}));
      } else if (write.verb == Verb::kDelete) {
        Lose(NameOf(write.object));
      } else {
        objects_[KeyOf(write.object)] = write.object;
      }
    }
  }

  std::map<Key, Json> objects_;
  int uids_ = 0;
  std::optional<TimePoint> look_again_;
  runtime::ManualClock clock_{*ParseTime("2026-05-01T12:00:00Z")};
  runtime::Mailbox<std::string> woken_;
  ContainerOutputs outputs_;
  runtime::IoThreads threads_{1};
  ChildProcesses children_;
  Kubelets kubelets_;
};

constexpr std::string_view kWeb = R"(
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: node1
  restartPolicy: Always
  containers: [{name: main, image: web, resources: {requests: {nvidia.com/gpu: "2"}}}]
)";

TEST(Kubelets, RegisterTheirNodesAndSayThatTheyAreAlive) {
  Cluster cluster;
  const Json node = cluster.Get("Node", "", "node1");
  const auto decoded = kube::DecodeNode(boost::json::serialize(node));
  ASSERT_TRUE(decoded.ok()) << decoded.error();
  EXPECT_EQ(decoded->allocatable.gpus, 2);
  EXPECT_EQ(decoded->allocatable.cpu_milli, 4000);
  EXPECT_EQ(decoded->allocatable_pods, 110);
  EXPECT_EQ(LabelOf(node, "gpu-type"), "a100");
  EXPECT_EQ(Text(cluster.Get("Lease", "kube-node-lease", "node1"), {"spec", "holderIdentity"}),
            "node1");
}

TEST(Kubelets, RunAPodForEverAndEndItWhenItIsDeleted) {
  Cluster cluster;
  (void)cluster.Add(kWeb);
  ASSERT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(PhaseOf(cluster.Pod("web")), "Running");
  EXPECT_TRUE(IsReady(cluster.Pod("web")));
  EXPECT_EQ(Text(cluster.Pod("web"), {"status", "podIP"}), "10.244.0.2");
  EXPECT_EQ(cluster.look_again(), std::nullopt);
  EXPECT_NE(cluster.LogOf("web").find("pretends"), std::string::npos);
  cluster.DeletePod("web", seconds(30));
  EXPECT_FALSE(cluster.Sync("web"));
  EXPECT_EQ(cluster.reasons, (std::vector<std::string>{"Pulled", "Created", "Started", "Killing"}));
}

TEST(Kubelets, APodThatTakesItsTimeIsKilledAtTheEndOfItsGrace) {
  Cluster cluster;
  Json pod = cluster.Add(kWeb);
  Make(pod, {"metadata", "annotations"})[kStopSeconds] = "60";
  (void)cluster.Add(boost::json::serialize(pod));
  ASSERT_TRUE(cluster.Sync("web"));
  cluster.DeletePod("web", seconds(30));
  EXPECT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(cluster.look_again(), cluster.now() + seconds(30));
  cluster.Pass(seconds(30));
  EXPECT_FALSE(cluster.Sync("web"));
}

TEST(Kubelets, PodsCanSayHowLongTheyRunAndHowTheyEnd) {
  Cluster cluster;
  Json pod = cluster.Add(kWeb);
  Make(pod, {"metadata", "annotations"})[kRunSeconds] = "1.5";
  Make(pod, {"metadata", "annotations"})[kExitCode] = "3";
  Make(pod, {"spec"})["restartPolicy"] = "Never";
  (void)cluster.Add(boost::json::serialize(pod));
  ASSERT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(cluster.look_again(), cluster.now() + std::chrono::milliseconds(1500));
  cluster.Pass(std::chrono::milliseconds(1500));
  ASSERT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(PhaseOf(cluster.Pod("web")), "Failed");
  const Json ended = cluster.Pod("web");
  EXPECT_EQ(
      Int(Items(ended, {"status", "containerStatuses"})[0], {"state", "terminated", "exitCode"}),
      3);
}

TEST(Kubelets, RefuseWhatDoesNotFitAndForgetWhatHasEnded) {
  Cluster cluster;
  (void)cluster.Add(kWeb);
  ASSERT_TRUE(cluster.Sync("web"));
  Json second = *yaml::ParseYaml(kWeb);
  Make(second, {"metadata"})["name"] = "second";
  (void)cluster.Add(boost::json::serialize(second));
  ASSERT_TRUE(cluster.Sync("second"));
  EXPECT_EQ(PhaseOf(cluster.Pod("second")), "Failed");
  EXPECT_EQ(Text(cluster.Pod("second"), {"status", "reason"}), "UnexpectedAdmissionError");
  cluster.DeletePod("web", seconds(0));
  EXPECT_FALSE(cluster.Sync("web"));
  Make(second, {"metadata"})["name"] = "third";
  (void)cluster.Add(boost::json::serialize(second));
  ASSERT_TRUE(cluster.Sync("third"));
  EXPECT_EQ(PhaseOf(cluster.Pod("third")), "Running");
}

TEST(Kubelets, AContainerWaitsForItsConfigMap) {
  Cluster cluster;
  Json pod = *yaml::ParseYaml(kWeb);
  pod.at("spec").at("containers").at(0).as_object()["envFrom"] =
      *yaml::ParseYaml("[{configMapRef: {name: settings}}]");
  (void)cluster.Add(boost::json::serialize(pod));
  ASSERT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(PhaseOf(cluster.Pod("web")), "Pending");
  ASSERT_TRUE(cluster.look_again().has_value());
  (void)cluster.Add("{kind: ConfigMap, metadata: {name: settings}, data: {A: b}}");
  cluster.Pass(*cluster.look_again() - cluster.now());
  ASSERT_TRUE(cluster.Sync("web"));
  EXPECT_EQ(PhaseOf(cluster.Pod("web")), "Running");
}

TEST(Kubelets, AKnownImageIsARealProgramWithExactlyItsEnvironment) {
  Cluster cluster({{"busybox", "env", {"/usr/bin/env"}}});
  (void)cluster.Add(R"(
apiVersion: v1
kind: Pod
metadata: {name: real}
spec:
  nodeName: node1
  restartPolicy: Never
  containers:
  - name: main
    image: busybox:1.36
    command: [env]
    env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
)");
  ASSERT_TRUE(cluster.Sync("real"));
  ASSERT_TRUE(cluster.AwaitWake());
  ASSERT_TRUE(cluster.Sync("real"));
  EXPECT_EQ(PhaseOf(cluster.Pod("real")), "Succeeded");
  EXPECT_EQ(cluster.LogOf("real"),
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
            "HOSTNAME=real\nNODE_NAME=node1\n");
}

TEST(Kubelets, ARealProgramIsToldToEndAndKilledIfItDoesNot) {
  Cluster cluster({{"busybox", "sh", {"/bin/sh"}}});
  (void)cluster.Add(R"(
apiVersion: v1
kind: Pod
metadata: {name: stubborn}
spec:
  nodeName: node1
  containers:
  - {name: main, image: busybox, command: [sh, -c, "trap '' TERM; echo ready; while :; do sleep 1; done"]}
)");
  ASSERT_TRUE(cluster.Sync("stubborn"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (cluster.LogOf("stubborn").empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  cluster.DeletePod("stubborn", seconds(30));
  EXPECT_TRUE(cluster.Sync("stubborn"));
  cluster.Pass(seconds(30));
  EXPECT_TRUE(cluster.Sync("stubborn"));
  ASSERT_TRUE(cluster.AwaitWake());
  EXPECT_FALSE(cluster.Sync("stubborn"));
}

TEST(Kubelets, AProgramThatIsNotThereIsSaidSo) {
  Cluster cluster({{"busybox", "sh", {"/nowhere/sh"}}});
  (void)cluster.Add(R"(
kind: Pod
metadata: {name: lost}
spec: {nodeName: node1, containers: [{name: main, image: busybox, command: [sh]}]}
)");
  ASSERT_TRUE(cluster.Sync("lost"));
  const Json pod = cluster.Pod("lost");
  EXPECT_EQ(Text(Items(pod, {"status", "containerStatuses"})[0], {"state", "waiting", "reason"}),
            "RunContainerError");
}

TEST(ContainerLog, KeepsWholeLinesAndForgetsTheOldest) {
  ContainerLog log(20);
  const TimePoint noon = *ParseTime("2026-05-01T12:00:00Z");
  log.Append(ContainerLog::Output::kOut, "one\ntw", noon);
  log.Append(ContainerLog::Output::kError, "error\n", noon);
  log.Append(ContainerLog::Output::kOut, "o\n", noon + seconds(1));
  auto page = log.Read(0);
  ASSERT_EQ(page.lines.size(), 3U);
  EXPECT_EQ(page.lines[1].text, "error");
  EXPECT_EQ(page.lines[2].text, "two");
  log.Append(ContainerLog::Output::kOut, "fifteen letters\nend", noon);
  log.Close(noon);
  page = log.Read(0);
  EXPECT_TRUE(page.is_closed);
  EXPECT_EQ(page.lines.back().text, "end");
  EXPECT_EQ(page.lines.front().number, 3U);
}

TEST(ContainerLog, ShowsWhatWasAskedFor) {
  ContainerLog log;
  const TimePoint noon = *ParseTime("2026-05-01T12:00:00Z");
  for (int i = 0; i < 5; ++i) {
    log.Append(ContainerLog::Output::kOut, std::to_string(i) + "\n", noon + seconds(i));
  }
  const auto page = log.Read(0);
  EXPECT_EQ(FirstLine(page, {}), 0U);
  EXPECT_EQ(FirstLine(page, {.tail_lines = 2}), 3U);
  EXPECT_EQ(FirstLine(page, {.tail_lines = 0}), 5U);
  EXPECT_EQ(FirstLine(page, {.since = noon + seconds(2)}), 2U);
  EXPECT_EQ(PrintLine(page.lines[1], {.has_timestamps = true}),
            "2026-05-01T12:00:01.000000000Z 1\n");
}

}  // namespace
}  // namespace gs::localcluster
