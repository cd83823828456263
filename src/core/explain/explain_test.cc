#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/explain/claim_report.h"
#include "core/explain/gpu_report.h"
#include "core/explain/pod_report.h"
#include "core/model/names.h"

namespace gs::explain {
namespace {

using cache::Evidence;
using model::AllocationMode;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const TimePoint kNow{std::chrono::hours(1)};
const NodeName kNode("n1");
const SchedulerName kOurs("gpu-scheduler");

model::Pod Pod(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = kOurs;
  pod.created = kNow - std::chrono::minutes(1);
  return pod;
}

model::Allocation Gpus(const model::Pod& pod, std::vector<std::int32_t> ids) {
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.gpus.node = kNode;
  for (const std::int32_t id : ids) allocation.gpus.ids.emplace_back(id);
  return allocation;
}

model::Pod Bound(model::Pod pod, const model::Allocation& allocation) {
  pod.node = kNode;
  pod.phase = model::PodPhase::kRunning;
  pod.had_running_container = true;
  pod.annotations = model::ResultAnnotations(allocation);
  return pod;
}

model::Machine Machine(std::int32_t gpus) {
  model::Machine machine;
  for (std::int32_t id = 0; id < gpus; ++id) {
    model::GpuDevice device;
    device.id = GpuId(id);
    device.uuid = GpuUuid("GPU-" + std::to_string(id));
    machine.devices.push_back(device);
  }
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

class Explain : public testing::Test {
 protected:
  Explain() : cache_({.scheduler = kOurs}) {
    model::Node node;
    node.name = kNode;
    node.allocatable.gpus = 8;
    node.gpu_capacity = 8;
    See(model::NodeSeen{node});
  }
  void See(const model::Event& event) { (void)cache_.Apply(event, kNow); }
  void SeeBound(const std::string& name, std::vector<std::int32_t> ids,
                AllocationMode mode = AllocationMode::kExclusive) {
    model::Allocation allocation = Gpus(Pod(name), std::move(ids));
    allocation.mode = mode;
    See(model::PodSeen{Bound(Pod(name), allocation)});
  }
  // Of the only node.
  std::vector<std::string> States() const {
    const auto reports = ReportGpus(cache_);
    EXPECT_THAT(reports, SizeIs(1));
    std::vector<std::string> states;
    for (const auto& device : reports.at(0).devices) states.emplace_back(ToString(device.state));
    return states;
  }

  cache::Cache cache_;
  pending::Pending pending_;
};

TEST_F(Explain, EveryGpuHasOneState) {
  model::Machine machine = Machine(5);
  machine.devices[4].health = model::Health::kUnhealthy;
  See(model::MachineSeen{kNode, machine, ResourceVersion("3")});
  SeeBound("a", {0});
  SeeBound("s", {1}, AllocationMode::kShared);
  SeeBound("gone", {2, 4});
  See(model::PodGone{Pod("gone").ref, ResourceVersion("9")});
  EXPECT_THAT(States(), ElementsAre("held", "shared", "releasing", "free", "unhealthy"));
  EXPECT_EQ(CountGpus(cache_).at(kNode), (GpuCounts{{GpuState::kFree, 1},
                                                    {GpuState::kHeld, 1},
                                                    {GpuState::kShared, 1},
                                                    {GpuState::kReleasing, 1},
                                                    {GpuState::kForeign, 0},
                                                    {GpuState::kUnhealthy, 1}}));
}

TEST_F(Explain, GpusOfOthersAreCountedOffTheFreeOnes) {
  model::Pod foreign = Pod("foreign");
  foreign.scheduler = SchedulerName("default-scheduler");
  foreign.node = kNode;
  foreign.requests.gpus = 3;
  See(model::PodSeen{foreign});
  const auto counts = CountGpus(cache_).at(kNode);
  EXPECT_EQ(counts.at(GpuState::kFree), 5);
  EXPECT_EQ(counts.at(GpuState::kForeign), 3);
  const NodeReport report = ReportGpus(cache_).at(0);
  EXPECT_EQ(report.foreign, 3);
  EXPECT_EQ(ToString(report.handover), "counted");
  EXPECT_FALSE(report.has_agent);
}

TEST_F(Explain, AHolderComesWithItsEvidence) {
  See(model::PodSeen{Pod("a")});
  model::Allocation allocation = Gpus(Pod("a"), {6});
  allocation.claim = ClaimName("one");
  cache_.Assume(PodUid("uid-a"), kNode, allocation);
  const DeviceReport device = ReportGpus(cache_).at(0).devices.at(6);
  EXPECT_EQ(device.device.id, GpuId(6));
  ASSERT_THAT(device.holders, SizeIs(1));
  EXPECT_EQ(device.holders[0].pod, Pod("a").ref);
  EXPECT_EQ(device.holders[0].claim, ClaimName("one"));
  EXPECT_THAT(device.holders[0].evidence, ElementsAre(Evidence::kAssumed));
}

TEST_F(Explain, NodesWithoutGpusAreLeftOut) {
  model::Node plain;
  plain.name = NodeName("n0");
  See(model::NodeSeen{plain});
  EXPECT_THAT(ReportGpus(cache_), SizeIs(1));
  EXPECT_THAT(CountGpus(cache_), SizeIs(1));
}

TEST_F(Explain, APodIsGatedWaitingInFlightOrBound) {
  model::Pod gated = Pod("gated");
  gated.rules->gates = {"quota"};
  model::Pod other = Pod("other");
  other.scheduler = SchedulerName("default-scheduler");
  model::Pod done = Pod("done");
  done.phase = model::PodPhase::kSucceeded;
  for (const auto& pod : {gated, other, done, Pod("waits"), Pod("flies")}) See(model::PodSeen{pod});
  SeeBound("stands", {0, 1});
  cache_.Assume(PodUid("uid-flies"), kNode, Gpus(Pod("flies"), {2}));
  pending_.Put(Pod("waits"), {}, kNow);
  (void)pending_.Sleep(PodUid("uid-waits"), {model::ReasonToken::kTooFewGpus, "none"}, kNow);

  const auto reports = ReportPods(cache_, pending_, kOurs);
  std::vector<std::string> said;
  for (const auto& report : reports) {
    said.push_back(report.pod.name.text() + " " + std::string(ToString(report.state)));
  }
  EXPECT_THAT(said, ElementsAre("flies in flight", "gated gated", "stands bound", "waits waiting"));
  EXPECT_EQ(reports[0].node, kNode);
  EXPECT_EQ(reports[2].allocation->gpus.ids.size(), 2U);
  EXPECT_EQ(reports[3].reason->message, "none");
  EXPECT_EQ(reports[3].wait, (pending::Wait{.since = kNow, .tries = 1}));
  EXPECT_EQ(CountGated(cache_, kOurs), 1U);
}

TEST_F(Explain, AClaimHasThePodsThatHoldThroughIt) {
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("pair");
  See(model::ClaimSeen{claim});
  for (const std::string name : {"b", "a"}) {
    model::Allocation allocation = Gpus(Pod(name), {name == "a" ? 0 : 1});
    allocation.claim = claim.name;
    See(model::PodSeen{Bound(Pod(name), allocation)});
  }
  model::Pod waits = Pod("c");
  waits.annotations.Set(model::names::kClaim, "pair");
  model::Pod elsewhere = Pod("d");
  elsewhere.annotations.Set(model::names::kClaim, "missing");
  See(model::PodSeen{waits});
  See(model::PodSeen{elsewhere});
  const auto reports = ReportClaims(cache_);
  ASSERT_THAT(reports, SizeIs(1));
  ASSERT_THAT(reports[0].holders, SizeIs(2));
  EXPECT_EQ(reports[0].holders[0].pod.name, PodName("a"));
  EXPECT_EQ(reports[0].waiting, 1U);
}

}  // namespace
}  // namespace gs::explain
