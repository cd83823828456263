#include "adapters/recording/recording.h"

#include <gtest/gtest.h>

namespace gs::recording {
namespace {

using model::Kind;
using model::SelectorOperator;

constexpr TimePoint kAt{std::chrono::nanoseconds(1'700'000'000'123'456'789)};

// With something in every member.
model::Pod EveryMemberOfAPod() {
  model::Pod pod;
  pod.ref = {Namespace("ml"), PodName("train-0"), PodUid("uid-1")};
  pod.resource_version = ResourceVersion("12");
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.node = NodeName("node-a");
  pod.phase = model::PodPhase::kRunning;
  pod.is_terminating = true;
  pod.priority = -5;
  pod.created = kAt;
  pod.controller = model::Controller{"StatefulSet", ControllerUid("c")};
  pod.labels = {{"app", "web"}, {"tier", ""}};
  pod.annotations = {{"gpu.scheduling/claim", "four"}};
  pod.requests = {.cpu_milli = 500, .memory_bytes = 1, .gpus = 2, .others = {{"x/y", 3}}};
  const model::LabelSelector selector{{{"app", SelectorOperator::kNotIn, {"a", "b"}}}};
  const model::PodAffinityTerm near{selector, {Namespace("ml")}, model::LabelSelector{}, "zone"};
  pod.rules =
      model::PlacementRules{.node_selector = {{"gpu", "a100"}},
                            .node_affinity = {{.labels = selector.requirements, .fields = {}}},
                            .preferred_nodes = {{.weight = 7, .term = {}}},
                            .pod_affinity = {near},
                            .spread = {{.topology_key = "zone",
                                        .max_skew = 2,
                                        .min_domains = 3,
                                        .selector = selector,
                                        .honours_affinity = false,
                                        .honours_taints = true}},
                            .tolerations = {{.key = "k",
                                             .value = "v",
                                             .op = model::TolerationOperator::kExists,
                                             .effect = model::TaintEffect::kNoExecute}},
                            .gates = {"g"},
                            .unsupported = {"spec.resourceClaims"}};
  pod.ties = model::PodTies{.host_ports = {{.ip = "10.0.0.1", .protocol = "UDP", .port = 53}},
                            .anti_affinity = {near},
                            .volumes = {{.claim = "data", .is_made_for_pod = true}},
                            .disks = {{.kind = "rbd", .id = "pool/image", .is_read_only = true}}};
  pod.nominated_node = NodeName("node-b");
  pod.scheduled = {model::ConditionStatus::kFalse, "Unschedulable", "why", kAt};
  pod.has_visible_devices_variable = true;
  pod.had_running_container = true;
  return pod;
}

model::Machine MachineWithLinks() {
  model::Machine machine;
  machine.devices.resize(3);
  for (int i = 0; i < 3; ++i) machine.devices[static_cast<std::size_t>(i)].id = GpuId(i);
  machine.devices[1].uuid = GpuUuid("GPU-1");
  machine.devices[1].numa_node = 0;
  machine.devices[2].health = model::Health::kUnhealthy;
  machine.links = model::LinkMatrix(3);
  machine.links.Set(0, 2, {.kind = model::LinkKind::kNvLink, .count = 4, .bandwidth_gbps = 100});
  return machine;
}

model::InFlightPod InFlight() {
  return {.pod = EveryMemberOfAPod().ref,
          .noted = ResourceVersion("7"),
          .gpus = {NodeName("node-a"), {GpuId(0), GpuId(5)}},
          .mode = model::AllocationMode::kMap,
          .controller = ControllerUid("c"),
          .is_enforced = false};
}

std::vector<model::Event> Events() {
  const model::Volume volume{.name = "pv",
                             .labels = {{"zone", "a"}},
                             .node_affinity = std::vector<model::NodeSelectorTerm>{},
                             .access_modes = {"ReadWriteOnce"},
                             .bytes = 1LL << 40};
  return {model::PodSeen{EveryMemberOfAPod()},
          model::NodeSeen{{.name = NodeName("node-a"),
                           .labels = {{"zone", "a"}},
                           .taints = {{.key = "gpu", .value = "yes"}},
                           .is_unschedulable = true,
                           .allocatable = {.cpu_milli = 1},
                           .allocatable_pods = 110,
                           .gpu_capacity = 8,
                           .machine = {}}},
          model::MachineSeen{NodeName("node-a"), MachineWithLinks(), ResourceVersion("3")},
          model::StorageSeen{volume},
          model::StorageSeen{
              model::NodeDrivers{.node = NodeName("n"), .limits = {{"a", 3}, {"b", std::nullopt}}}},
          model::StorageGone{.kind = Kind::kVolumeClaim, .ns = Namespace("ml"), .name = "data"},
          model::LeadershipWon{.transitions = 4,
                               .is_list_known = false,
                               .unresolved = {EveryMemberOfAPod().ref},
                               .inherited = {InFlight()},
                               .settled = ResourceVersion("9")},
          model::InFlightListed{.revision = 3, .refused = {PodUid("uid-1")}},
          model::TouchAnswered{.pod = PodUid("uid-1"),
                               .attempt = AttemptId("l-1"),
                               .outcome = model::WriteOutcome::kAlreadyExists,
                               .retry_after = std::chrono::seconds(3)},
          model::FenceSeen{.others = {{.in_flight = InFlight(),
                                       .is_silent = true,
                                       .scheduler = SchedulerName("other")}},
                           .settled = ResourceVersion("8")},
          model::FenceStanding{"another release leads"}};
}

std::vector<model::Command> Commands() {
  model::Allocation allocation;
  allocation.gpus = {NodeName("node-a"), {GpuId(3), GpuId(1)}};
  allocation.mode = model::AllocationMode::kMap;
  allocation.is_enforced = false;
  return {
      model::ListInFlight{.revision = 2,
                          .in_flight = {InFlight()},
                          .view = ResourceVersion("12"),
                          .settled = ResourceVersion("11"),
                          .dropped = {InFlight()},
                          .is_settling = true},
      model::BindPod{EveryMemberOfAPod().ref, ResourceVersion("12"), AttemptId("l-2"), allocation},
      model::SetUnschedulable{
          EveryMemberOfAPod().ref, {model::ReasonToken::kGpuHeld, "held \"by\" b\n"}, kAt}};
}

TEST(Recording, ARunReadsBackAsItWas) {
  const auto run = DecodeRun(EncodeRun(kAt, true, Events(), Commands()));
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(*run, (recording::Run{kAt, true, Events(), Commands()}));
}

TEST(Recording, ARunIsOneLine) {
  EXPECT_EQ(EncodeRun(kAt, true, Events(), Commands()).find('\n'), std::string::npos);
}

TEST(Recording, WhatHasItsDefaultIsLeftOut) {
  EXPECT_EQ(EncodeRun(kAt, false, {model::NodeGone{NodeName("n")}}, {}),
            R"({"at":1700000000123456789,"events":[{"NodeGone":{"node":"n"}}]})");
}

TEST(Recording, TheHeaderReadsBack) {
  Header header;
  header.program_version = "0.1.0";
  header.options.scheduler = SchedulerName("mine");
  header.options.leader = "me";
  header.options.ask.share_cap = 9;
  header.options.rules.touch_all = false;
  const auto read = DecodeHeader(EncodeHeader(header));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->program_version, "0.1.0");
  EXPECT_EQ(read->options.scheduler, SchedulerName("mine"));
  EXPECT_EQ(read->options.leader, "me");
  EXPECT_EQ(read->options.ask.share_cap, 9);
  EXPECT_FALSE(read->options.rules.touch_all);
}

TEST(Recording, ForeignFilesAreRefusedWithAdvice) {
  for (const char* line : {"", "hello", "{}", "[]", R"({"gpu-scheduler-recording":3})",
                           R"({"gpu-scheduler-recording":1})"}) {
    const auto read = DecodeHeader(line);
    ASSERT_FALSE(read) << line;
    EXPECT_NE(read.error().advice(), "") << line;
  }
}

// Written when releases looked for each other and GPUs had locks.
TEST(Recording, TheFormatBeforeIsStillRead) {
  const auto header = DecodeHeader(
      R"({"gpu-scheduler-recording":1,"version":"0.1.0","options":{"scheduler":"mine","leader":"me",)"
      R"("release_check_period":15000000000,"rules":{"touch_seen":true,"list_kept":true,"fresh":true}}})");
  ASSERT_TRUE(header) << header.error();
  EXPECT_EQ(header->options.scheduler, SchedulerName("mine"));
  const auto run = DecodeRun(
      R"({"at":1,"events":[{"ReleasesChecked":{"number":2}},{"LeadershipWon":{"transitions":4,"takeover":"9"}}],)"
      R"("commands":[{"CheckReleases":{"number":3}},{"ListInFlight":{"revision":1,"pods":[]}}]})");
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->events, std::vector<model::Event>{model::LeadershipWon{.transitions = 4}});
  EXPECT_EQ(run->commands, std::vector<model::Command>{model::ListInFlight{.revision = 1}});
}

TEST(Recording, ABadRunSaysWhere) {
  const auto read = DecodeRun(R"({"at":1,"events":[{"PodSeen":{"pod":{"priority":"high"}}}]})");
  ASSERT_FALSE(read);
  EXPECT_EQ(ToString(read.error()),
            "events: item 1: PodSeen: pod: priority: expected a whole number that fits");
}

TEST(Recording, WhatIsNotKnownIsRefused) {
  EXPECT_FALSE(DecodeRun(R"({"at":1,"events":[{"PodMoved":{}}]})"));
  EXPECT_FALSE(DecodeRun(R"({"at":1,"mood":"good"})"));
  EXPECT_FALSE(DecodeRun(R"({"at":1,"events":[{"ViewReached":{"kind":"unicorns"}}]})"));
}

}  // namespace
}  // namespace gs::recording
