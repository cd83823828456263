#include "core/commit/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const LeaseName kLeaseOfGpu0 = model::LeaseNameOf(kNode, GpuId(0));

// Bound, and without GPUs, as most pods are.
model::Pod Plain(const std::string& name) {
  model::Pod pod = PodNamed(name, "1");
  pod.node = kNode;
  return pod;
}

model::GpuLease LeaseNaming(const model::Pod& pod) {
  return Stored(LeaseFor(pod, AllocationOf(pod, {0}), GpuId(0), "t"), "5");
}

TEST(Observed, KeepsNoRecordOfAPodThatIsBoundWithoutGpus) {
  Observed observed(kOurs);
  EXPECT_THAT(observed.SeePod(Plain("a")), IsEmpty());
  EXPECT_THAT(observed.SeePod(Plain("a")), IsEmpty());
  EXPECT_EQ(observed.FindPod(Plain("a").ref.uid), nullptr);
  EXPECT_FALSE(observed.IsGone(Plain("a").ref.uid));
  EXPECT_TRUE(observed.pods().empty());
}

TEST(Observed, TellsTheNewestVersionAtWhichAPodWithGpusOrPartsOfThemWasFirstSeenBound) {
  Observed observed(kOurs);
  (void)observed.SeePod(Plain("a"));
  EXPECT_EQ(observed.NewestBound(), ResourceVersion());
  const model::Pod whole = PodNamed("whole", "1");
  (void)observed.SeePod(Bound(whole, AllocationOf(whole, {0}), "9"));
  EXPECT_EQ(observed.NewestBound(), ResourceVersion("9"));
  model::Pod part = Plain("part");
  part.requests.others.emplace("nvidia.com/mig-1g.5gb", 1);
  part.resource_version = ResourceVersion("10");
  (void)observed.SeePod(part);
  EXPECT_EQ(observed.NewestBound(), ResourceVersion("10"));
  part.resource_version = ResourceVersion("11");
  (void)observed.SeePod(part);
  (void)observed.PodIsGone(part.ref.uid);
  EXPECT_EQ(observed.NewestBound(), ResourceVersion("10"));
}

TEST(Observed, KnowsAPodWithoutGpusOnceALeaseNamesIt) {
  Observed observed(kOurs);
  const model::Pod pod = Plain("a");
  (void)observed.SeePod(pod);
  observed.SeeLease(LeaseNaming(pod));
  const KnownPod* known = observed.FindPod(pod.ref.uid);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->ref, pod.ref);
  EXPECT_TRUE(known->is_holding());
  EXPECT_EQ(known->allocation, nullptr);
  EXPECT_THAT(observed.SeePod(pod), ElementsAre(kLeaseOfGpu0));
  EXPECT_EQ(observed.FindPod(pod.ref.uid)->node, kNode);
  EXPECT_THAT(observed.PodIsGone(pod.ref.uid), ElementsAre(kLeaseOfGpu0));
  EXPECT_TRUE(observed.IsGone(pod.ref.uid));
}

TEST(Observed, KnowsAPodThatALeaseNamedBefore) {
  Observed observed(kOurs);
  const model::Pod pod = Plain("a");
  observed.SeeLease(LeaseNaming(pod));
  EXPECT_THAT(observed.SeePod(pod), ElementsAre(kLeaseOfGpu0));
  EXPECT_NE(observed.FindPod(pod.ref.uid), nullptr);
  // Nobody names it any more, which is noticed when it is seen again.
  ASSERT_TRUE(observed.LeaseIsGone(kLeaseOfGpu0, LeaseNaming(pod).uid));
  (void)observed.SeePod(pod);
  EXPECT_EQ(observed.FindPod(pod.ref.uid), nullptr);
}

TEST(Observed, DoesNotBelieveGpusThatAreWrittenOnAPodAfterItWasBound) {
  const model::Pod pod = Plain("a");
  const model::Pod edited = Bound(pod, AllocationOf(pod, {0}), "2");
  for (const bool is_named : {false, true}) {
    Observed observed(kOurs);
    (void)observed.SeePod(pod);
    if (is_named) observed.SeeLease(LeaseNaming(pod));
    (void)observed.SeePod(edited);
    EXPECT_THAT(observed.HoldersOf(kLeaseOfGpu0), IsEmpty());
    if (is_named) EXPECT_EQ(observed.FindPod(pod.ref.uid)->allocation, nullptr);
  }
  Observed first_seen_so(kOurs);
  (void)first_seen_so.SeePod(edited);
  EXPECT_EQ(first_seen_so.HoldersOf(kLeaseOfGpu0).size(), 1U);
}

TEST(Observed, RemembersThatAPodHasEnded) {
  Observed observed(kOurs);
  model::Pod pod = Plain("a");
  (void)observed.SeePod(pod);
  pod.phase = model::PodPhase::kSucceeded;
  (void)observed.SeePod(pod);
  observed.SeeLease(LeaseNaming(pod));
  EXPECT_TRUE(observed.FindPod(pod.ref.uid)->is_terminal);
  // What cannot change back does not, whatever is shown.
  (void)observed.SeePod(Plain("a"));
  EXPECT_TRUE(observed.FindPod(pod.ref.uid)->is_terminal);
}

TEST(Observed, ShowsAPodThatHasJustBeenBound) {
  Observed observed(kOurs);
  const model::Pod pod = PodNamed("a", "1");
  (void)observed.SeePod(pod);
  EXPECT_FALSE(observed.FindPod(pod.ref.uid)->is_bound);
  (void)observed.SeePod(Plain("a"));
  ASSERT_NE(observed.FindPod(pod.ref.uid), nullptr);
  EXPECT_TRUE(observed.FindPod(pod.ref.uid)->is_bound);
  (void)observed.SeePod(Plain("a"));
  EXPECT_EQ(observed.FindPod(pod.ref.uid), nullptr);
  // An answer that comes late changes nothing.
  EXPECT_THAT(observed.PodIsBound(pod.ref, AllocationOf(pod, {0})), IsEmpty());
  EXPECT_THAT(observed.HoldersOf(kLeaseOfGpu0), IsEmpty());
}

TEST(Observed, ForgetsAPodWithoutGpusThatIsGone) {
  Observed observed(kOurs);
  (void)observed.SeePod(Plain("a"));
  EXPECT_THAT(observed.PodIsGone(Plain("a").ref.uid), IsEmpty());
  // The same UID would be another pod now, so what was known of it is not.
  observed.SeeLease(LeaseNaming(Plain("a")));
  EXPECT_EQ(observed.FindPod(Plain("a").ref.uid), nullptr);
}

}  // namespace
}  // namespace gs::commit
