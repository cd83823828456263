// What the commands say of one small cluster, word for word: two nodes, of which one has an agent
// and NVLink pairs, a claim, a pod that holds through it, one that waits, and locks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/parse.h"
#include "core/model/names.h"
#include "programs/kubectl_gpu/claims_report.h"
#include "programs/kubectl_gpu/explain_report.h"
#include "programs/kubectl_gpu/leases_report.h"
#include "programs/kubectl_gpu/live_view.h"
#include "programs/kubectl_gpu/map_report.h"
#include "programs/kubectl_gpu/place_report.h"
#include "programs/kubectl_gpu/pods_report.h"
#include "programs/kubectl_gpu/status_report.h"
#include "programs/kubectl_gpu/topology_report.h"
#include "programs/kubectl_gpu/who_report.h"

namespace gs::kubectl_gpu {
namespace {

using testing::HasSubstr;
using testing::Not;

const TimePoint kNow{std::chrono::hours(24 * 365 * 50)};
const SchedulerName kScheduler("gpu-scheduler");

model::Pod PodOf(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = kScheduler;
  pod.created = kNow - std::chrono::minutes(12);
  return pod;
}

model::Node NodeOf(const std::string& name, std::int64_t gpus) {
  model::Node node;
  node.name = NodeName(name);
  node.gpu_capacity = gpus;
  node.allocatable = {.cpu_milli = 8000, .memory_bytes = 1 << 30, .gpus = gpus, .others = {}};
  node.allocatable_pods = 110;
  return node;
}

model::GpuLease LeaseOf(const model::PodRef& pod, std::int32_t gpu) {
  model::GpuLease lease;
  lease.node = NodeName("n1");
  lease.gpu = GpuId(gpu);
  lease.name = model::LeaseNameOf(lease.node, lease.gpu);
  lease.scheduler = kScheduler;
  lease.holders = {{.pod = pod, .plan = {GpuId(gpu)}, .attempt = AttemptId("1")}};
  return lease;
}

// Four GPUs in two NVLink pairs, the last one unhealthy.
model::Machine Wired() {
  return *gpu::ReadMachine(
      "[{id: 0, uuid: GPU-a, model: A100, numaNode: 0, links: [{peer: 1, type: NVLink, count: 4,"
      " pcie: PIX, bandwidthGBps: 200}]}, {id: 1, uuid: GPU-b, model: A100, numaNode: 0},"
      " {id: 2, uuid: GPU-c, model: A100, numaNode: 1, links: [{peer: 3, type: NVLink, count: 4,"
      " pcie: PIX, bandwidthGBps: 200}]},"
      " {id: 3, uuid: GPU-d, model: A100, numaNode: 1, health: Unhealthy}]");
}

std::vector<model::Event> SmallCluster() {
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("one");
  claim.devices.count = 1;
  model::Allocation allocation;
  allocation.pod = PodUid("uid-holder");
  allocation.gpus = {NodeName("n1"), {GpuId(0)}};
  allocation.uuids = {GpuUuid("GPU-a")};
  allocation.claim = claim.name;
  model::Pod holder = PodOf("holder");
  holder.node = NodeName("n1");
  holder.phase = model::PodPhase::kRunning;
  holder.annotations = model::ResultAnnotations(allocation);
  holder.annotations.Set(model::names::kClaim, "one");
  model::Pod large = PodOf("large");
  large.requests.gpus = 3;
  return {model::NodeSeen{NodeOf("n1", 4)},
          model::NodeSeen{NodeOf("n2", 2)},
          model::MachineSeen{.node = NodeName("n1"), .machine = Wired()},
          model::ClaimSeen{claim},
          model::PodSeen{holder},
          model::LeaseSeen{LeaseOf(holder.ref, 0)},
          model::LeaseSeen{LeaseOf({Namespace("team"), PodName("gone"), PodUid("uid-gone")}, 2)},
          model::PodSeen{large}};
}

class Reports : public testing::Test {
 protected:
  Reports() { See(SmallCluster()); }

  void See(std::vector<model::Event> events) {
    view_.now = kNow;
    view_.events = std::move(events);
    view_.cycle = StandbyWith(view_.events, options_, kNow);
  }
  [[nodiscard]] Picture Drawn(AnswerForm form = AnswerForm::kTable) const {
    return {.cycle = *view_.cycle, .now = kNow, .ns = Namespace("team"), .form = form, .paint = {}};
  }
  static std::string TextOf(const Result<Answer>& answer) {
    return answer ? answer->text : "error: " + ToString(answer.error());
  }

  ClusterOptions options_{.wish = {}, .ns = {}, .scheduler = kScheduler};
  LiveView view_;
};

TEST_F(Reports, StatusShowsTheFleetInOneLook) {
  const std::string text = ReportStatus(Drawn()).text;
  EXPECT_THAT(text, HasSubstr("GPUs      6 on 2 nodes (4 free, 1 held, 1 unhealthy)\n"
                              "waiting   1 pod (1 "));
  EXPECT_THAT(text, HasSubstr("NODE   GPUS    FREE   OF\n"
                              "n1     #.|.!   2      4\n"
                              "n2     ..      2      2\n"));
  EXPECT_THAT(text, HasSubstr("SETS OF   ON A NODE   IN AN ISLAND\n"
                              "1         4           4\n"
                              "2         2           0\n"));
}

TEST_F(Reports, PodsAreShownWithTheirGpusOrWithWhatTheSchedulerSaid) {
  EXPECT_EQ(ReportAllPods(Drawn()).text,
            "NAME     ASKED BY    NODE     GPUS     STATE\n"
            "holder   claim one   n1       0        bound\n"
            "large    resources   <none>   <none>   waiting\n");
  Picture elsewhere = Drawn();
  elsewhere.ns = Namespace("other");
  EXPECT_EQ(ReportAllPods(elsewhere).text,
            "scheduler gpu-scheduler has no pods in namespace other\n");
}

TEST_F(Reports, StatusInJsonHasTheSameFigures) {
  const auto value = json::ParseJson(ReportStatus(Drawn(AnswerForm::kJson)).text);
  ASSERT_TRUE(value.ok()) << value.error();
  EXPECT_EQ(value->at("kind"), "Status");
  EXPECT_EQ(value->at("gpus").at("total"), 6);
  EXPECT_EQ(value->at("waitingPods").at("total"), 1);
  EXPECT_EQ(value->at("placeableSets").at(0).at("any"), 4);
}

// A Lease that stands for nobody holds nothing.
TEST_F(Reports, WhoShowsEveryGpuOfANode) {
  EXPECT_EQ(TextOf(ReportWho({.name = "n1", .ids = {}}, Drawn())),
            "NODE   GPU   STATE       POD           CLAIM    MODE\n"
            "n1     0     held        team/holder   one      exclusive\n"
            "n1     1     free        <none>        <none>   <none>\n"
            "n1     2     free        <none>        <none>   <none>\n"
            "n1     3     unhealthy   <none>        <none>   <none>\n");
}

TEST_F(Reports, WhoShowsSomeGpusAndTheGpusOfAPod) {
  EXPECT_EQ(TextOf(ReportWho({.name = "n1", .ids = {GpuId(0)}}, Drawn(AnswerForm::kWide))),
            "NODE   GPU   STATE   POD           CLAIM   MODE        EVIDENCE   UUID    MODEL\n"
            "n1     0     held    team/holder   one     exclusive   bound      GPU-a   A100\n");
  EXPECT_EQ(TextOf(ReportWho({.name = "holder", .ids = {}}, Drawn())),
            "NODE   GPU   STATE   POD           CLAIM   MODE\n"
            "n1     0     held    team/holder   one     exclusive\n");
  EXPECT_EQ(TextOf(ReportWho({.name = "team/large", .ids = {}}, Drawn())),
            "team/large has no GPUs\n");
}

TEST_F(Reports, WhoRefusesWhatIsNotThere) {
  EXPECT_EQ(TextOf(ReportWho({.name = "n1", .ids = {GpuId(9)}}, Drawn())),
            "error: node n1 has no GPU 9; it has 0,1,2,3");
  EXPECT_EQ(TextOf(ReportWho({.name = "x", .ids = {}}, Drawn())),
            "error: there is no node x and no pod team/x; name a pod of another namespace as "
            "NAMESPACE/POD");
}

TEST_F(Reports, ExplainSaysWhyAPodWaitsOnEveryNodeAndWhatWouldHelp) {
  const std::string text = TextOf(ReportExplain({.pod = "large"}, Drawn()));
  EXPECT_THAT(text, HasSubstr("team/large has waited for 12m\n"));
  EXPECT_THAT(text, HasSubstr("of 2 nodes none fits: "));
  EXPECT_THAT(text, HasSubstr("\nNODE   REASON"));
}

TEST_F(Reports, ExplainSaysWhereAPodIs) {
  EXPECT_EQ(TextOf(ReportExplain({.pod = "team/holder"}, Drawn())),
            "team/holder is on n1 with GPU 0 (exclusive, claim one)\n");
}

TEST_F(Reports, ExplainNamesTheGatesOfAPod) {
  model::Pod gated = PodOf("gated");
  gated.rules->gates = {"quota"};
  See({model::PodSeen{gated}});
  EXPECT_EQ(TextOf(ReportExplain({.pod = "gated"}, Drawn())),
            "team/gated is held back by its scheduling gates: quota\n");
}

TEST_F(Reports, ExplainRefusesPodsOfOthers) {
  EXPECT_EQ(TextOf(ReportExplain({.pod = "other/x"}, Drawn())),
            "error: scheduler gpu-scheduler has no pod other/x that has not ended; --namespace and "
            "--scheduler choose others");
}

TEST_F(Reports, ExplainInJsonIsWhatTheSchedulerAnswers) {
  const auto value =
      json::ParseJson(TextOf(ReportExplain({.pod = "large"}, Drawn(AnswerForm::kJson))));
  ASSERT_TRUE(value.ok()) << value.error();
  EXPECT_EQ(value->at("kind"), "Explanation");
  EXPECT_EQ(value->at("fits"), false);
  EXPECT_FALSE(value->as_object().contains("leader"));
  EXPECT_FALSE(value->at("pod").as_object().contains("waitingSince"));
}

TEST_F(Reports, ClaimsShowWhatIsHeldThroughThem) {
  EXPECT_EQ(ReportAllClaims(Drawn()).text,
            "NAME   REQ   POLICY       TOPOLOGY   ALLOCATED   WAITING\n"
            "one    1     contiguous   <none>     n1:0        0\n");
  Picture everywhere = Drawn(AnswerForm::kWide);
  everywhere.has_all_namespaces = true;
  EXPECT_THAT(ReportAllClaims(everywhere).text, HasSubstr("NAMESPACE   NAME   REQ"));
  Picture elsewhere = Drawn();
  elsewhere.ns = Namespace("other");
  EXPECT_EQ(ReportAllClaims(elsewhere).text, "no claims in namespace other\n");
}

TEST_F(Reports, TopologyShowsIslandsAndLinks) {
  EXPECT_EQ(TextOf(ReportTopology({.node = NodeName("n1")}, Drawn())),
            "islands    0,1  2,3\n"
            "NUMA       0,1  2,3\n"
            "\n"
            "             0        1        2        3\n"
            "    0        -  NV4/PIX      SYS      SYS\n"
            "    1  NV4/PIX        -      SYS      SYS\n"
            "    2      SYS      SYS        -  NV4/PIX\n"
            "    3      SYS      SYS  NV4/PIX        -\n");
  EXPECT_EQ(TextOf(ReportTopology({.node = NodeName("n2")}, Drawn())),
            "error: no agent reports the GPUs of node n2; see kubectl get gpunodestatuses");
  EXPECT_EQ(TextOf(ReportTopology({.node = NodeName("n3")}, Drawn())),
            "error: there is no node n3");
}

TEST_F(Reports, LeasesTellThoseThatStandForNobody) {
  EXPECT_EQ(ReportLeases({}, Drawn()).text,
            "NAME       NODE   GPU   STATE   PODS\n"
            "gpu-n1-0   n1     0     held    team/holder\n"
            "gpu-n1-2   n1     2     stale   team/gone\n");
  EXPECT_THAT(ReportLeases({.is_only_stale = true}, Drawn()).text,
              testing::AllOf(HasSubstr("gpu-n1-2"), Not(HasSubstr("gpu-n1-0"))));
}

TEST_F(Reports, MapTellsWhatIsNotThereWhatMeetsAndWhoHasIt) {
  const Answer answer = ReportMap(
      {.map = *model::ParseSchedulingMap("0=n1:0,1\n1=n1:1\n2=n2:5\n3=n9:0\n4=n2:1")}, Drawn());
  EXPECT_EQ(answer.code, kExitNo);
  EXPECT_THAT(answer.text, HasSubstr("GPU 0 of n1 is held by team/holder"));
  EXPECT_THAT(answer.text, HasSubstr("line 0 names GPU 1 of n1 too: both pods share it"));
  EXPECT_THAT(answer.text, HasSubstr("there is no GPU 5 of n2; it has 0,1"));
  EXPECT_THAT(answer.text, HasSubstr("\n4       n2     1      good\n"));
  EXPECT_EQ(ReportMap({.map = *model::ParseSchedulingMap("0=n2:0")}, Drawn()).code, kExitDone);
}

TEST_F(Reports, PlaceTellsWhereAPodWouldGoAndWhoWouldWaitThen) {
  model::Pod next = PodOf("next");
  next.requests.gpus = 2;
  auto events = SmallCluster();
  events.emplace_back(model::PodSeen{next});
  See(events);
  const PlaceQuestion question{
      .text =
          "{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: c, "
          "resources: {limits: {nvidia.com/gpu: 2}}}]}}"};
  const auto answer = ReportPlace(question, view_, options_, Drawn());
  EXPECT_THAT(TextOf(answer), HasSubstr("would go to n2 with GPUs 0,1\n"));
  EXPECT_THAT(TextOf(answer),
              HasSubstr("then these have to wait, which have a place now: team/next\n"));
  EXPECT_EQ(answer->code, kExitDone);
}

TEST_F(Reports, PlaceTakesAClaimTogetherWithItsPod) {
  const PlaceQuestion question{
      .text =
          "{apiVersion: gpu.scheduling/v1, kind: GpuClaim, metadata: {name: two}, spec: {devices: "
          "{count: 2}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: new, annotations: "
          "{gpu.scheduling/claim: two}}, spec: {containers: [{name: c}]}}\n"};
  EXPECT_THAT(TextOf(ReportPlace(question, view_, options_, Drawn())),
              HasSubstr("would go to n1 with GPUs 1,2\n"));
}

TEST_F(Reports, PlaceSaysWhyThereIsNoPlace) {
  const PlaceQuestion question{
      .text =
          "{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: c, "
          "resources: {limits: {nvidia.com/gpu: 8}}}]}}"};
  const auto answer = ReportPlace(question, view_, options_, Drawn());
  EXPECT_THAT(TextOf(answer), HasSubstr("no place\n"));
  EXPECT_EQ(answer->code, kExitNo);
}

}  // namespace
}  // namespace gs::kubectl_gpu
