#include "core/model/command.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};

GpuLease SomeLease() {
  GpuLease lease;
  lease.name = LeaseName("gpu-n-0");
  lease.holders = {{kPod, {GpuId(0)}, AttemptId("t1")}};
  return lease;
}

TEST(Command, PrintsWhatIsAsked) {
  const AttemptId attempt("t1");
  EXPECT_EQ(ToString(Command(CreateLease{SomeLease(), attempt})),
            "create lease gpu-n-0 exclusive held by team/a");
  EXPECT_EQ(ToString(Command(UpdateLease{SomeLease(), attempt})),
            "update lease gpu-n-0 exclusive held by team/a");
  EXPECT_EQ(ToString(Command(
                DeleteLease{LeaseName("gpu-n-0"), LeaseUid("l1"), ResourceVersion("5"), attempt})),
            "delete lease gpu-n-0");
  Allocation allocation;
  allocation.gpus = {NodeName("n"), {GpuId(0)}};
  EXPECT_EQ(ToString(Command(BindPod{kPod, ResourceVersion("5"), attempt, allocation})),
            "bind team/a to n:0 exclusive");
  EXPECT_EQ(ToString(Command(TouchPod{kPod, attempt, "leader 1, touch 2"})), "touch team/a");
  EXPECT_EQ(ToString(Command(SetUnschedulable{kPod, {ReasonToken::kTooFewGpus, "1 of 2"}})),
            "mark team/a unschedulable, TooFewGpus: 1 of 2");
  ClaimStatus status;
  status.phase = ClaimPhase::kAllocated;
  status.allocated = "n:0";
  status.message = "1 pod holds GPUs";
  EXPECT_EQ(ToString(Command(WriteClaimStatus{Namespace("team"), ClaimName("pair"), status})),
            "write status of claim team/pair: Allocated n:0 (1 pod holds GPUs)");
  EXPECT_EQ(ToString(Command(RecordEvent{kPod, EventType::kWarning, "FailedScheduling", "no GPU"})),
            "record Warning FailedScheduling on team/a: no GPU");
}

}  // namespace
}  // namespace gs::model
