#include "core/model/allocation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

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

TEST(Allocation, TheBindingWritesAllFourAnnotations) {
  Allocation allocation = Pair();
  allocation.uuids = {GpuUuid("GPU-a"), GpuUuid("GPU-b")};
  allocation.mode = AllocationMode::kShared;
  allocation.claim = ClaimName("pair");
  allocation.controller = ControllerUid("c1");
  EXPECT_EQ(ResultAnnotations(allocation),
            (Labels{{"gpu.scheduling/allocated", "node-a:0,1"},
                    {"gpu.scheduling/visible-devices", "0,1"},
                    {"gpu.scheduling/uuids", "GPU-a,GPU-b"},
                    {"gpu.scheduling/allocation",
                     "v1 mode=shared enforced=true claim=pair controller=c1"}}));
}

TEST(Allocation, UnknownUuidsAreWrittenAsEmptySoThatForgedOnesDoNotStay) {
  const Labels annotations = ResultAnnotations(Pair());
  EXPECT_EQ(*annotations.Find("gpu.scheduling/uuids"), "");
  EXPECT_EQ(*ParseResultAnnotations(PodUid("u1"), annotations), Pair());
}

TEST(Allocation, APodWithoutGpusGetsNoAnnotations) {
  Allocation allocation = Pair();
  allocation.gpus.ids.clear();
  EXPECT_EQ(ResultAnnotations(allocation), Labels());
}

std::string RefusalOf(const std::string& right, const std::string& uuids = "") {
  const auto read = ParseResultAnnotations(PodUid("u1"), {{"gpu.scheduling/allocated", "n:0,1"},
                                                          {"gpu.scheduling/uuids", uuids},
                                                          {"gpu.scheduling/allocation", right}});
  return read ? "read" : ToString(read.error());
}

TEST(Allocation, ReadsOnlyWhatItWouldWrite) {
  EXPECT_EQ(RefusalOf("v1 mode=map enforced=true"), "read");
  for (const auto* right :
       {"", "v1", "v2 mode=map enforced=true", "v1 mode=map", "v1 enforced=true", "v1mode=map",
        "v1 mode=Map enforced=true", "v1 mode=both enforced=true", "v1 mode=map enforced=yes",
        "v1 enforced=true mode=map", "v1 mode=map enforced=true ", "v1 mode=map enforced=true x=y",
        "v1 mode=map enforced=true claim=", "v1 mode=map enforced=true claim=Pair",
        "v1 mode=map enforced=true controller=", "v1 mode=map enforced=true enforced=true",
        "v1 mode=map  enforced=true", " v1 mode=map enforced=true"}) {
    EXPECT_NE(RefusalOf(right), "read") << right;
  }
}

TEST(Allocation, ARefusalNamesAnnotationAndColumn) {
  EXPECT_EQ(RefusalOf("v2 mode=map enforced=true"),
            "gpu.scheduling/allocation: line 1, column 1: expected 'v1', found 'v'; only the "
            "scheduler writes this annotation; another version of it may have");
  EXPECT_EQ(RefusalOf("v1 mode=map enforced=true", "GPU-a"),
            "gpu.scheduling/uuids: 1 UUIDs for 2 GPUs");
}

TEST(Allocation, AControllerCannotPretendToBeAnotherField) {
  Allocation allocation = Pair();
  allocation.mode = AllocationMode::kMap;
  allocation.controller = ControllerUid("c1 enforced=false claim=x");
  EXPECT_EQ(*ParseResultAnnotations(PodUid("u1"), ResultAnnotations(allocation)), allocation);
}

// Any allocation that can exist.
rc::Gen<Allocation> Allocations() {
  return rc::gen::exec([] {
    Allocation allocation = Pair();
    const auto count = *rc::gen::inRange<std::int32_t>(1, 9);
    allocation.gpus.ids.clear();
    for (std::int32_t id = 0; id < count; ++id) allocation.gpus.ids.emplace_back(id);
    std::reverse(allocation.gpus.ids.begin(), allocation.gpus.ids.begin() + count / 2);
    if (*rc::gen::arbitrary<bool>()) {
      for (const GpuId id : allocation.gpus.ids) {
        allocation.uuids.emplace_back("GPU-" + std::to_string(id.number()));
      }
    }
    allocation.mode = *rc::gen::element(AllocationMode::kExclusive, AllocationMode::kShared,
                                        AllocationMode::kMap);
    allocation.claim = *rc::gen::element(ClaimName(), ClaimName("pair"), ClaimName("a.b-c"));
    allocation.controller = ControllerUid(*rc::gen::arbitrary<std::string>());
    allocation.is_enforced = *rc::gen::arbitrary<bool>();
    return allocation;
  });
}

RC_GTEST_PROP(Allocation, ReadsBackWhatItPrints, ()) {
  const Allocation allocation = *Allocations();
  const auto read = ParseResultAnnotations(allocation.pod, ResultAnnotations(allocation));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == allocation);
}

RC_GTEST_PROP(Allocation, NoTwoTextsMeanTheSame, (std::string tail)) {
  const std::string text = "v1 mode=map enforced=true" + tail;
  Labels annotations = ResultAnnotations(Pair());
  annotations.Set("gpu.scheduling/allocation", text);
  const auto read = ParseResultAnnotations(PodUid("u1"), annotations);
  if (read) RC_ASSERT(RightAnnotation(*read) == text);
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
