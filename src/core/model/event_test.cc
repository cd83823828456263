#include "core/model/event.h"

#include <gtest/gtest.h>

#include <set>

namespace gs::model {
namespace {

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};

GpuLease SomeLease() {
  GpuLease lease;
  lease.name = LeaseName("gpu-n-0");
  lease.holders = {{kPod, {GpuId(0)}, AttemptId("t1")}};
  return lease;
}

TEST(Event, PrintsWhatWasSeen) {
  Pod pod;
  pod.ref = kPod;
  EXPECT_EQ(ToString(Event(PodSeen{pod})), "seen pod team/a Pending, requests nothing");
  EXPECT_EQ(ToString(Event(PodGone{kPod})), "gone pod team/a");
  Node node;
  node.name = NodeName("n");
  node.allocatable.memory_bytes = 3 << 20;
  node.allocatable_pods = 110;
  node.machine = Machine{};
  node.is_unschedulable = true;
  node.taints = {{"nvidia.com/gpu", "true", TaintEffect::kNoSchedule}};
  EXPECT_EQ(ToString(Event(NodeSeen{node})),
            "seen node n (memory 3Mi, 110 pods, 0 GPU(s) reported, unschedulable, "
            "nvidia.com/gpu=true:NoSchedule)");
  EXPECT_EQ(ToString(Event(NodeGone{NodeName("n")})), "gone node n");
  Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("pair");
  EXPECT_EQ(ToString(Event(ClaimSeen{claim})),
            "seen claim team/pair: 1 GPU(s), contiguous, Exclusive");
  EXPECT_EQ(ToString(Event(ClaimGone{Namespace("team"), ClaimName("pair")})),
            "gone claim team/pair");
  EXPECT_EQ(ToString(Event(LeaseSeen{SomeLease()})), "seen lease gpu-n-0 exclusive held by team/a");
  EXPECT_EQ(ToString(Event(LeaseGone{LeaseName("gpu-n-0"), LeaseUid("l1")})), "gone lease gpu-n-0");
}

TEST(Event, PrintsHowWritesEnded) {
  EXPECT_EQ(ToString(Event(LeaseAnswered{LeaseName("gpu-n-0"), AttemptId("t1"),
                                         WriteOutcome::kAlreadyExists})),
            "lease gpu-n-0 attempt t1: already exists");
  EXPECT_EQ(ToString(Event(BindAnswered{PodUid("u1"), AttemptId("t1"), WriteOutcome::kDone})),
            "bind u1 attempt t1: done");
  EXPECT_EQ(ToString(Event(TouchAnswered{PodUid("u1"), AttemptId("t1"), WriteOutcome::kDone,
                                         NodeName("n"), ResourceVersion("5")})),
            "touch u1 attempt t1: done on n");
  EXPECT_EQ(ToString(Event(ClaimStatusAnswered{Namespace("team"), ClaimName("pair"),
                                               WriteOutcome::kConflict})),
            "status of claim team/pair: conflict");
}

TEST(Event, EveryOutcomeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const auto last = static_cast<std::uint8_t>(WriteOutcome::kUnknown);
  for (std::uint8_t outcome = 0; outcome <= last; ++outcome) {
    names.insert(ToString(static_cast<WriteOutcome>(outcome)));
  }
  EXPECT_EQ(names.size(), last + 1U);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace gs::model
