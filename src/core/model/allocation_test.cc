#include "core/model/allocation.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

Allocation Pair() {
  Allocation allocation;
  allocation.pod = PodUid("u1");
  allocation.gpus = {NodeName("node-a"), {GpuId(0), GpuId(1)}};
  return allocation;
}

TEST(Allocation, AnnotationReadsBack) {
  EXPECT_EQ(AllocatedAnnotation(Pair()), "node-a:0,1");
  EXPECT_EQ(*ParseAllocatedAnnotation(AllocatedAnnotation(Pair())), Pair().gpus);
}

TEST(Allocation, AForgedAnnotationSaysWhichOneItIs) {
  EXPECT_EQ(ToString(ParseAllocatedAnnotation("node-a").error()),
            "gpu.scheduling/allocated: line 1, column 7: expected ':' after the node name, found "
            "the end of the text; write node:ids, such as node-a:0,1");
}

TEST(Allocation, PrintsByWhatRight) {
  Allocation allocation = Pair();
  EXPECT_EQ(ToString(allocation), "node-a:0,1 exclusive");
  allocation.mode = AllocationMode::kShared;
  allocation.claim = ClaimName("pair");
  allocation.is_enforced = false;
  EXPECT_EQ(ToString(allocation), "node-a:0,1 shared through claim pair (planned)");
}

TEST(Allocation, ModesReadBack) {
  for (const auto mode :
       {AllocationMode::kExclusive, AllocationMode::kShared, AllocationMode::kMap}) {
    EXPECT_EQ(ParseAllocationMode(ToString(mode)), mode);
  }
}

}  // namespace
}  // namespace gs::model
