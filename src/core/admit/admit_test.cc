#include "core/admit/admit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/admit/refusals.h"
#include "core/model/names.h"

namespace gs::admit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const EnvVariable kIds{"CUDA_VISIBLE_DEVICES", ValueSource::kAnnotation,
                       "gpu.scheduling/visible-devices"};
const EnvVariable kOrder{"CUDA_DEVICE_ORDER", ValueSource::kText, "PCI_BUS_ID"};
const EnvVariable kUuids{"NVIDIA_VISIBLE_DEVICES", ValueSource::kAnnotation,
                         "gpu.scheduling/uuids"};
const EnvVariable kNoIds{"CUDA_VISIBLE_DEVICES", ValueSource::kText, ""};
const EnvVariable kVoid{"NVIDIA_VISIBLE_DEVICES", ValueSource::kText, "void"};
const EnvVariable kMine{"MINE", ValueSource::kText, "$(CUDA_VISIBLE_DEVICES)"};
const EnvVariable kSecret{"SECRET", ValueSource::kOther, ""};

EnvVariable Text(std::string name, std::string value) {
  return {std::move(name), ValueSource::kText, std::move(value)};
}

Container Named(std::string name, std::vector<EnvVariable> env = {}, std::int64_t gpus = 0) {
  return {.name = std::move(name), .env = std::move(env), .gpus = gpus};
}

Review PodOf(std::vector<Container> containers, model::Labels annotations = {}) {
  Review review;
  review.action = Action::kCreate;
  review.scheduler = SchedulerName("gpu-scheduler");
  review.annotations = std::move(annotations);
  review.containers = std::move(containers);
  return review;
}

Review ClaimPod(std::vector<Container> containers) {
  return PodOf(std::move(containers), {{"gpu.scheduling/claim", "pair"}});
}

Policy Ours(Handover handover = Handover::kEnv, std::string taint = "") {
  return {SchedulerName("gpu-scheduler"), handover, std::move(taint)};
}

Patch PatchOf(const Review& review, const Policy& policy = Ours()) {
  const auto verdict = Admit(review, policy);
  const auto* refused = std::get_if<Refused>(&verdict);
  EXPECT_EQ(refused, nullptr) << refused->message;
  return refused == nullptr ? std::get<Patch>(verdict) : Patch{};
}

std::string RefusalOfPod(const Review& review, const Policy& policy = Ours()) {
  const auto verdict = Admit(review, policy);
  const auto* refused = std::get_if<Refused>(&verdict);
  return refused == nullptr ? "" : refused->message;
}

PatchStep AddAll(std::string path, std::vector<EnvVariable> env) {
  return {PatchVerb::kAdd, std::move(path), std::move(env)};
}
PatchStep Add(std::string path, EnvVariable variable) {
  return {PatchVerb::kAdd, std::move(path), std::move(variable)};
}
PatchStep Replace(std::string path, EnvVariable variable) {
  return {PatchVerb::kReplace, std::move(path), std::move(variable)};
}
PatchStep Remove(std::string path) { return {PatchVerb::kRemove, std::move(path), {}}; }

TEST(Admit, EveryContainerOfAClaimPodLooksItsIdsUp) {
  Review review = ClaimPod({Named("a"), Named("b")});
  review.init_containers = {Named("prepare")};
  EXPECT_THAT(PatchOf(review), ElementsAre(AddAll("/spec/initContainers/0/env", {kIds, kOrder}),
                                           AddAll("/spec/containers/0/env", {kIds, kOrder}),
                                           AddAll("/spec/containers/1/env", {kIds, kOrder})));
}

TEST(Admit, AMapPodIsServedAlike) {
  const auto review = PodOf({Named("a")}, {{"gpu-scheduling-map", "0=node1:0,1"}});
  EXPECT_THAT(PatchOf(review), ElementsAre(AddAll("/spec/containers/0/env", {kIds, kOrder})));
}

TEST(Admit, BehindADevicePluginAContainerCountsFromZero) {
  const auto review = ClaimPod({Named("works", {kVoid}, 3), Named("watches")});
  EXPECT_THAT(PatchOf(review),
              ElementsAre(Remove("/spec/containers/0/env/0"),
                          Add("/spec/containers/0/env/0", Text("CUDA_VISIBLE_DEVICES", "0,1,2")),
                          AddAll("/spec/containers/1/env", {kNoIds, kVoid})));
}

TEST(Admit, AnInitContainerThatRequestsGpusMakesThePodACountedOne) {
  Review review = PodOf({Named("a")});
  review.init_containers = {Named("warms-up", {}, 1)};
  EXPECT_THAT(PatchOf(review),
              ElementsAre(AddAll("/spec/initContainers/0/env", {Text("CUDA_VISIBLE_DEVICES", "0")}),
                          AddAll("/spec/containers/0/env", {kNoIds, kVoid})));
}

TEST(Admit, WhatAPartOfAGpuIsCalledIsLeftToItsPlugin) {
  Container part = Named("part", {kVoid, kMine});
  part.has_gpu_parts = true;
  EXPECT_THAT(PatchOf(PodOf({part, Named("other")})),
              ElementsAre(Remove("/spec/containers/0/env/0"),
                          AddAll("/spec/containers/1/env", {kNoIds, kVoid})));
}

TEST(Admit, APodWithoutGpusSeesNone) {
  EXPECT_THAT(PatchOf(PodOf({Named("a")})),
              ElementsAre(AddAll("/spec/containers/0/env", {kNoIds, kVoid})));
}

TEST(Admit, WhatTheUserSetIsReplacedWhereItStandsAndOnce) {
  const auto review = ClaimPod({Named("a", {kMine, Text("CUDA_VISIBLE_DEVICES", "7"), kSecret,
                                            Text("CUDA_VISIBLE_DEVICES", "6"), kIds})});
  EXPECT_THAT(
      PatchOf(review),
      ElementsAre(Replace("/spec/containers/0/env/1", kIds), Remove("/spec/containers/0/env/4"),
                  Remove("/spec/containers/0/env/3"), Add("/spec/containers/0/env/0", kOrder)));
}

TEST(Admit, NewVariablesComeBeforeThoseThatMayReferToThem) {
  EXPECT_THAT(
      PatchOf(ClaimPod({Named("a", {kMine})})),
      ElementsAre(Add("/spec/containers/0/env/0", kOrder), Add("/spec/containers/0/env/0", kIds)));
}

TEST(Admit, NvidiaVisibleDevicesStaysInADirectContainer) {
  const EnvVariable all = Text("NVIDIA_VISIBLE_DEVICES", "all");
  EXPECT_THAT(PatchOf(ClaimPod({Named("a", {kIds, kOrder, all})})), IsEmpty());
}

TEST(Admit, ByUuidTheRuntimeIsToldAndCudaIsNot) {
  const auto review = ClaimPod({Named("a", {Text("CUDA_VISIBLE_DEVICES", "0"), kMine})});
  EXPECT_THAT(
      PatchOf(review, Ours(Handover::kUuid)),
      ElementsAre(Remove("/spec/containers/0/env/0"), Add("/spec/containers/0/env/0", kUuids)));
}

TEST(Admit, OnlyNewEphemeralContainersAreChanged) {
  Review review = ClaimPod({Named("a")});
  review.action = Action::kAddEphemeralContainers;
  review.node = NodeName("node-a");
  review.annotations.Set("gpu.scheduling/allocated", "node-a:0");
  review.ephemeral_containers = {Named("debug-1"), Named("debug-2")};
  review.ephemeral_containers[0].is_new = false;
  EXPECT_THAT(PatchOf(review, Ours(Handover::kEnv, "nvidia.com/gpu")),
              ElementsAre(AddAll("/spec/ephemeralContainers/1/env", {kIds, kOrder})));
}

TEST(Admit, PodsOfOthersAndOtherActionsPassUntouched) {
  Review review = PodOf({Named("a")}, {{"gpu-scheduling-map", "nonsense"}});
  review.scheduler = SchedulerName("default-scheduler");
  EXPECT_THAT(PatchOf(review), IsEmpty());
  review.scheduler = SchedulerName("gpu-scheduler");
  review.action = Action::kOther;
  EXPECT_THAT(PatchOf(review), IsEmpty());
}

TEST(Admit, GpuPodsTolerateTheTaintOfGpuNodes) {
  const model::Toleration added{"nvidia.com/gpu", "", model::TolerationOperator::kExists,
                                model::TaintEffect::kNoSchedule};
  const Policy policy = Ours(Handover::kEnv, "nvidia.com/gpu");
  Review review = ClaimPod({Named("a", {kIds, kOrder})});
  EXPECT_THAT(PatchOf(review, policy),
              ElementsAre(PatchStep{PatchVerb::kAdd, "/spec/tolerations", std::vector{added}}));
  review.has_tolerations = true;
  review.tolerations = {{"nvidia.com/gpu", "true", model::TolerationOperator::kEqual, {}}};
  EXPECT_THAT(PatchOf(review, policy),
              ElementsAre(PatchStep{PatchVerb::kAdd, "/spec/tolerations/-", added}));
  review.tolerations = {added};
  EXPECT_THAT(PatchOf(review, policy), IsEmpty());
  review.tolerations = {{"", "", model::TolerationOperator::kExists, {}}};
  EXPECT_THAT(PatchOf(review, policy), IsEmpty());
  EXPECT_THAT(PatchOf(PodOf({Named("a", {kNoIds, kVoid})}), policy), IsEmpty());
}

TEST(Refuse, AMapThatCannotBeReadWithLineAndColumn) {
  const auto review = PodOf({Named("a")}, {{"gpu-scheduling-map", "0=node1:0\n1 node2:1"}});
  EXPECT_THAT(RefusalOfPod(review),
              AllOf(HasSubstr("gpu-scheduling-map"), HasSubstr("line 2, column 3")));
}

TEST(Refuse, AMapTogetherWithAClaim) {
  const auto review =
      PodOf({Named("a")}, {{"gpu-scheduling-map", "0=node1:0"}, {"gpu.scheduling/claim", "pair"}});
  EXPECT_THAT(RefusalOfPod(review), HasSubstr("remove one"));
}

TEST(Refuse, ANameThatNoClaimCanHave) {
  const auto review = PodOf({Named("a")}, {{"gpu.scheduling/claim", "My Claim"}});
  EXPECT_THAT(RefusalOfPod(review),
              AllOf(HasSubstr("gpu.scheduling/claim"), HasSubstr("GpuClaim")));
}

TEST(Refuse, EveryAnnotationThatOnlyTheSchedulerMayWrite) {
  for (const auto* name : {"gpu.scheduling/allocated", "gpu.scheduling/visible-devices",
                           "gpu.scheduling/uuids", "gpu.scheduling/allocation"}) {
    EXPECT_THAT(RefusalOfPod(PodOf({Named("a")}, {{name, ""}})),
                AllOf(HasSubstr(name), HasSubstr("remove it")));
  }
}

TEST(Refuse, ANodeThatIsChosenAlready) {
  Review review = ClaimPod({Named("a")});
  review.node = NodeName("node-a");
  EXPECT_THAT(RefusalOfPod(review), AllOf(HasSubstr("spec.nodeName"), HasSubstr("node-a")));
}

TEST(Refuse, SharedGpusBehindADevicePlugin) {
  Review review = ClaimPod({Named("a", {}, 1)});
  EXPECT_EQ(RefusalOfPod(review), "");
  review.exclusivity = model::Exclusivity::kShared;
  EXPECT_THAT(RefusalOfPod(review), AllOf(HasSubstr("pair"), HasSubstr("remove nvidia.com/gpu")));
}

TEST(Refuse, UuidsBehindADevicePlugin) {
  EXPECT_THAT(RefusalOfPod(PodOf({Named("a", {}, 1)}), Ours(Handover::kUuid)),
              HasSubstr("remove nvidia.com/gpu"));
}

TEST(Refuse, PrivilegedContainersOnlyWhereUuidsAreToIsolate) {
  Review review = ClaimPod({Named("a")});
  review.init_containers = {Named("root")};
  review.init_containers[0].is_privileged = true;
  EXPECT_EQ(RefusalOfPod(review), "");
  EXPECT_THAT(RefusalOfPod(review, Ours(Handover::kUuid)),
              AllOf(HasSubstr("root"), HasSubstr("privileged")));
  Review without_gpus = PodOf(review.init_containers);
  EXPECT_EQ(RefusalOfPod(without_gpus, Ours(Handover::kUuid)), "");
}

TEST(Refuse, AnEphemeralContainerThatWouldSeeEveryGpu) {
  Review review = ClaimPod({Named("a")});
  review.action = Action::kAddEphemeralContainers;
  review.ephemeral_containers = {Named("debug")};
  review.ephemeral_containers[0].is_privileged = true;
  EXPECT_THAT(RefusalOfPod(review, Ours(Handover::kUuid)), HasSubstr("debug"));
  review.ephemeral_containers[0].is_new = false;
  EXPECT_EQ(RefusalOfPod(review, Ours(Handover::kUuid)), "");
}

TEST(Refuse, MoreGpusThanAnyMachineHas) {
  EXPECT_THAT(RefusalOfPod(PodOf({Named("big", {}, 1'000'000'000)})),
              AllOf(HasSubstr("big"), HasSubstr("1000000000")));
}

// The API server refuses GPUs there only after webhooks were asked.
TEST(Refuse, MoreGpusThanAnyMachineHasForAnEphemeralContainer) {
  Review review = PodOf({Named("a", {}, 1)});
  review.action = Action::kAddEphemeralContainers;
  review.ephemeral_containers = {Named("debug", {}, kMaxGpusOfContainer + 1)};
  EXPECT_THAT(RefusalOfPod(review), AllOf(HasSubstr("debug"), HasSubstr("1025")));
  review.ephemeral_containers[0].gpus = kMaxGpusOfContainer;
  EXPECT_EQ(RefusalOfPod(review), "");
}

}  // namespace
}  // namespace gs::admit
