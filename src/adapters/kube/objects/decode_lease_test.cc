#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/encode_lease.h"

namespace gs::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::GpuLease SharedLease() {
  model::GpuLease lease;
  lease.node = NodeName("node-a");
  lease.gpu = GpuId(3);
  lease.name = model::LeaseNameOf(lease.node, lease.gpu);
  lease.uid = LeaseUid("l-1");
  lease.resource_version = ResourceVersion("9");
  lease.scheduler = SchedulerName("gpu-scheduler");
  lease.mode = model::AllocationMode::kMap;
  lease.controller = ControllerUid("s-1");
  for (const char* name : {"a", "b"}) {
    lease.holders.push_back(
        {.pod = {Namespace("team"), PodName(name), PodUid(std::string("u-") + name)},
         .plan = {GpuId(3), GpuId(1)},
         .attempt = AttemptId("7")});
  }
  return lease;
}

TEST(DecodeLease, ReadsBackWhatWasWritten) {
  const auto lease = SharedLease();
  const auto again = DecodeLease(EncodeLease(lease, Namespace("gpu")));
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_EQ(*again, lease);
}

TEST(EncodeLease, ShowsPeopleTheHolder) {
  const std::string json = EncodeLease(SharedLease(), Namespace("gpu"));
  EXPECT_THAT(json, HasSubstr(R"("holderIdentity":"team/a +1")"));
  EXPECT_THAT(json, HasSubstr(R"("gpu.scheduling/managed":"true")"));
}

TEST(EncodeLease, GoesWithItsRelease) {
  const auto owner = ClusterRoleOwner("gpu-scheduler", "o-1");
  EXPECT_THAT(EncodeLease(SharedLease(), Namespace("gpu"), owner),
              HasSubstr(R"("ownerReferences":[{"apiVersion":"rbac.authorization.k8s.io/v1",)"
                        R"("kind":"ClusterRole","name":"gpu-scheduler","uid":"o-1"}])"));
  EXPECT_THAT(EncodeLease(SharedLease(), Namespace("gpu")), Not(HasSubstr("ownerReferences")));
}

TEST(EncodeLease, LeavesOutWhatDoesNotFitOrIsNotKnown) {
  auto lease = SharedLease();
  lease.node = NodeName(std::string(64, 'n'));
  lease.uid = LeaseUid();
  lease.resource_version = ResourceVersion();
  const std::string json = EncodeLease(lease, Namespace("gpu"));
  EXPECT_THAT(json, HasSubstr(R"("labels":{"gpu.scheduling/managed":"true"})"));
  EXPECT_THAT(json, Not(HasSubstr("resourceVersion")));
  EXPECT_EQ(DecodeLease(json)->node, lease.node);
}

std::string Refusal(const std::string& annotations) {
  const auto lease =
      DecodeLease(R"({"metadata":{"name":"gpu-a-0","annotations":{)" + annotations + "}}}");
  return lease ? "accepted" : ToString(lease.error());
}

TEST(DecodeLease, RefusesLocksOfOthers) {
  EXPECT_THAT(Refusal(""),
              HasSubstr("lease gpu-a-0: metadata.annotations.gpu.scheduling/lease-format"));
  EXPECT_THAT(Refusal(R"("gpu.scheduling/lease-format":"2")"),
              HasSubstr("expected format 1, got \"2\""));
}

TEST(DecodeLease, NamesTheMistake) {
  const std::string start =
      R"("gpu.scheduling/lease-format":"1","gpu.scheduling/node":"a","gpu.scheduling/scheduler":"s",)";
  EXPECT_THAT(Refusal(start + R"("gpu.scheduling/gpu":"x")"), HasSubstr("gpu.scheduling/gpu: "));
  EXPECT_THAT(Refusal(start + R"("gpu.scheduling/gpu":"1","gpu.scheduling/mode":"some")"),
              HasSubstr("expected exclusive, shared or map"));
}

// Somebody has edited it: then its owner has to see that it is not as it should be.
TEST(DecodeLease, HoldersThatCannotBeReadAreNone) {
  const std::string start =
      R"({"metadata":{"name":"gpu-a-1","annotations":{"gpu.scheduling/lease-format":"1",)"
      R"("gpu.scheduling/node":"a","gpu.scheduling/scheduler":"s","gpu.scheduling/gpu":"1",)"
      R"("gpu.scheduling/mode":"exclusive")";
  for (const char* holders :
       {"", R"(,"gpu.scheduling/holders":"nonsense")", R"(,"gpu.scheduling/holders":"[{}]")",
        R"(,"gpu.scheduling/holders":"{}")",
        R"(,"gpu.scheduling/holders":"[{\"namespace\":\"n\",\"name\":\"p\",\"uid\":7}]")"}) {
    const auto lease = DecodeLease(start + holders + "}}}");
    ASSERT_TRUE(lease.ok()) << holders << ": " << lease.error();
    EXPECT_EQ(lease->gpu, GpuId(1));
    EXPECT_TRUE(lease->holders.empty()) << holders;
  }
}

}  // namespace
}  // namespace gs::kube
