#include "adapters/kube/fence/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using model::InFlightPod;
using model::ListInFlight;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Entries = std::vector<InFlightPod>;

const SchedulerName kWe("gpu-a");
const std::string kOurs = RecordKey(kWe);
const std::string kTheirs = RecordKey(SchedulerName("gpu-b"));
const PodUid kUid("u-a");

InFlightPod Entry(const std::string& name, const std::string& node, int gpu) {
  return {.pod = {Namespace("team"), PodName(name), PodUid("u-" + name)},
          .noted = ResourceVersion("5"),
          .gpus = {NodeName(node), {GpuId(gpu)}}};
}
const InFlightPod kEntry = Entry("a", "n1", 0);

ReleaseRecord Record(const std::string& scheduler, Entries entries, const std::string& settled) {
  ReleaseRecord record;
  record.scheduler = SchedulerName(scheduler);
  record.holder = {PodUid("pod-of-" + scheduler), "p"};
  record.duration = seconds(15);
  record.in_flight = std::move(entries);
  record.settled = ResourceVersion(settled);
  return record;
}

FenceLease Fence(Entries ours, Entries theirs) {
  FenceLease fence;
  fence.records[kOurs] = Record("gpu-a", std::move(ours), "10");
  fence.records[kTheirs] = Record("gpu-b", std::move(theirs), "20");
  return fence;
}

ListInFlight List(Entries entries, const std::string& view = "30") {
  return {.revision = 1, .in_flight = std::move(entries), .view = ResourceVersion(view)};
}

Listing Listed(const FenceLease& fence, const ListInFlight& list) {
  return ListOn(fence, {.scheduler = kWe, .list = list});
}

TEST(Listing, ListsWhatGoesTogetherWithWhatOthersList) {
  const Listing listing = Listed(Fence({}, {Entry("x", "n1", 1)}), List({kEntry}));
  EXPECT_EQ(listing.fence.records.at(kOurs).in_flight, Entries{kEntry});
  EXPECT_EQ(listing.fence.records.at(kTheirs).in_flight, Entries({Entry("x", "n1", 1)}));
  EXPECT_THAT(listing.refused, IsEmpty());
  EXPECT_FALSE(listing.is_held_back);
  EXPECT_TRUE(listing.has_changes);
}

TEST(Listing, RefusesWhatClashesWithAnotherRelease) {
  const Listing listing =
      Listed(Fence({}, {Entry("x", "n1", 0)}), List({kEntry, Entry("b", "n1", 1)}));
  EXPECT_EQ(listing.fence.records.at(kOurs).in_flight, Entries({Entry("b", "n1", 1)}));
  EXPECT_THAT(listing.refused, ElementsAre(kUid));
  EXPECT_FALSE(listing.is_held_back);
}

TEST(Listing, CountedGpusClashWithAllOfTheirNode) {
  InFlightPod counted = Entry("x", "n1", 7);
  counted.is_enforced = false;
  EXPECT_THAT(Listed(Fence({}, {counted}), List({kEntry})).refused, ElementsAre(kUid));
}

TEST(Listing, HoldsBackWhatWasDecidedOnAnOlderView) {
  const Listing listing =
      Listed(Fence({Entry("b", "n1", 1)}, {}), List({kEntry, Entry("b", "n1", 1)}, "19"));
  EXPECT_TRUE(listing.is_held_back);
  EXPECT_THAT(listing.refused, IsEmpty());
  EXPECT_FALSE(listing.has_changes);
  EXPECT_FALSE(Listed(Fence({}, {}), List({kEntry}, "20")).is_held_back);
  EXPECT_TRUE(Listed(Fence({}, {}), List({kEntry}, "")).is_held_back);
}

TEST(Listing, OurOwnSettledVersionCountsToo) {
  FenceLease fence = Fence({}, {});
  fence.records.at(kOurs).settled = ResourceVersion("31");
  EXPECT_TRUE(Listed(fence, List({kEntry})).is_held_back);
}

// They were listed when it was right.
TEST(Listing, WhatIsListedStaysWhateverOthersDo) {
  const Listing listing = Listed(Fence({kEntry}, {Entry("x", "n1", 0)}), List({kEntry}, "1"));
  EXPECT_EQ(listing.fence.records.at(kOurs).in_flight, Entries{kEntry});
  EXPECT_THAT(listing.refused, IsEmpty());
  EXPECT_FALSE(listing.is_held_back);
  EXPECT_FALSE(listing.has_changes);
}

TEST(Listing, TheSamePodWithAnotherDecisionIsNew) {
  InFlightPod again = kEntry;
  again.noted = ResourceVersion("6");
  EXPECT_THAT(Listed(Fence({kEntry}, {Entry("x", "n1", 0)}), List({again})).refused,
              ElementsAre(kUid));
}

TEST(Listing, WhatWasRefusedOnceIsNotTriedAgain) {
  const ListInFlight list = List({kEntry});
  const Listing listing =
      ListOn(Fence({}, {}), {.scheduler = kWe, .list = list, .refused_before = {kUid}});
  EXPECT_THAT(listing.refused, ElementsAre(kUid));
  EXPECT_FALSE(listing.has_changes);
}

TEST(Listing, SettledNeverGoesBack) {
  ListInFlight list = List({});
  list.settled = ResourceVersion("9");
  EXPECT_EQ(Listed(Fence({}, {}), list).fence.records.at(kOurs).settled, ResourceVersion("10"));
  list.settled = ResourceVersion("11");
  EXPECT_EQ(Listed(Fence({}, {}), list).fence.records.at(kOurs).settled, ResourceVersion("11"));
}

TEST(Listing, NothingNewWhileARecordCannotBeRead) {
  FenceLease fence = Fence({Entry("b", "n1", 1)}, {});
  fence.unreadable["gpu.scheduling/release-x"] = "?";
  const Listing listing = Listed(fence, List({kEntry, Entry("b", "n1", 1)}));
  EXPECT_TRUE(listing.is_held_back);
  EXPECT_EQ(listing.fence, fence);
}

TEST(Listing, NothingNewWhileTheMarkStands) {
  FenceLease fence = Fence({}, {});
  fence.unsettled = "m";
  const ListInFlight list = List({kEntry});
  EXPECT_TRUE(ListOn(fence, {.scheduler = kWe, .list = list, .mark = "m"}).is_held_back);
  // Another mark than the one that was dealt with.
  const Listing other =
      ListOn(fence, {.scheduler = kWe, .list = list, .is_settled = true, .mark = "n"});
  EXPECT_TRUE(other.is_held_back);
  EXPECT_EQ(other.fence.unsettled, "m");
  const Listing settled =
      ListOn(fence, {.scheduler = kWe, .list = list, .is_settled = true, .mark = "m"});
  EXPECT_FALSE(settled.is_held_back);
  EXPECT_EQ(settled.fence.unsettled, std::nullopt);
  EXPECT_EQ(settled.fence.records.at(kOurs).in_flight, Entries{kEntry});
}

TEST(Listing, NothingNewWhileWeHaveToTouchWhatTheVersionBeforeLeft) {
  const ListInFlight list = List({kEntry});
  for (const bool is_lost : {false, true}) {
    FenceLease fence = Fence({}, {});
    ReleaseRecord& ours = fence.records.at(kOurs);
    ours.is_list_lost = is_lost;
    if (!is_lost) ours.unresolved = {kEntry.pod};
    EXPECT_TRUE(Listed(fence, list).is_held_back);
    const Listing settled = ListOn(fence, {.scheduler = kWe, .list = list, .is_settled = true});
    EXPECT_FALSE(settled.is_held_back);
    EXPECT_FALSE(settled.fence.records.at(kOurs).is_list_lost);
    EXPECT_TRUE(settled.fence.records.at(kOurs).unresolved.empty());
  }
}

TEST(Listing, TakesTouchedPodsFromSilentReleasesOnly) {
  const FenceLease fence = Fence({}, {Entry("x", "n1", 0), Entry("y", "n1", 1)});
  ListInFlight list = List({});
  list.dropped = {Entry("x", "n1", 0)};
  EXPECT_EQ(Listed(fence, list).fence, fence);
  const Listing listing = ListOn(fence, {.scheduler = kWe, .list = list, .silent = {kTheirs}});
  const ReleaseRecord& theirs = listing.fence.records.at(kTheirs);
  EXPECT_EQ(theirs.in_flight, Entries({Entry("y", "n1", 1)}));
  EXPECT_EQ(theirs.settled, ResourceVersion("20"));
  // Whoever held it finds out.
  EXPECT_FALSE(theirs.is_held());
}

// Its release has listed it again, with another version of the pod.
TEST(Listing, ATouchOfAnEarlierEntryTakesNothing) {
  const FenceLease fence = Fence({}, {Entry("x", "n1", 0)});
  ListInFlight list = List({});
  list.dropped = {Entry("x", "n1", 0)};
  list.dropped[0].noted = ResourceVersion("4");
  EXPECT_FALSE(ListOn(fence, {.scheduler = kWe, .list = list, .silent = {kTheirs}}).has_changes);
}

// In the version that is replaced it is still listed.
TEST(Listing, WhatIsTakenFromASilentReleaseIsNotGivenAwayInTheSameWrite) {
  ListInFlight list = List({kEntry});
  list.dropped = {Entry("x", "n1", 0)};
  const Listing listing = ListOn(Fence({}, {Entry("x", "n1", 0)}),
                                 {.scheduler = kWe, .list = list, .silent = {kTheirs}});
  EXPECT_THAT(listing.refused, ElementsAre(kUid));
}

TEST(Listing, ADeadReleaseWithoutPodsLeavesItsSettledVersion) {
  const ListInFlight list = List({});
  const Listing listing = ListOn(
      Fence({}, {}), {.scheduler = kWe, .list = list, .silent = {kTheirs}, .dead = {kTheirs}});
  EXPECT_FALSE(listing.fence.records.contains(kTheirs));
  EXPECT_EQ(listing.fence.records.at(kOurs).settled, ResourceVersion("20"));
}

TEST(Listing, ADeadReleaseThatHasSomethingToSayStays) {
  const ListInFlight list = List({});
  FenceLease lost = Fence({}, {});
  lost.records.at(kTheirs).is_list_lost = true;
  for (const FenceLease& fence : {Fence({}, {kEntry}), lost}) {
    EXPECT_TRUE(ListOn(fence, {.scheduler = kWe, .list = list, .dead = {kTheirs}})
                    .fence.records.contains(kTheirs));
  }
}

// An update that is too large would be refused as a whole, and the lead with it.
TEST(Listing, WhatDoesNotFitIsHeldBack) {
  ListInFlight list = List({});
  for (int i = 0; i < 128; ++i) {
    InFlightPod entry = Entry(std::to_string(i), std::string(253, 'n'), i);
    entry.pod.name = PodName(std::string(253, 'p'));
    entry.pod.ns = Namespace(std::string(63, 's'));
    list.in_flight.push_back(entry);
  }
  FenceLease fence = Fence({}, {});
  for (int round = 0; round < 5; ++round) {
    const Listing listing = Listed(fence, list);
    EXPECT_TRUE(listing.is_held_back);
    EXPECT_LT(AnnotationBytes(listing.fence), kMaxAnnotationBytes);
    EXPECT_GT(listing.fence.records.at(kOurs).in_flight.size(), 60U);
    EXPECT_EQ(listing.has_changes, round == 0);
    fence = listing.fence;
  }
}

TEST(Listing, ReleasesBeyondTheFourthShareWhatIsLeft) {
  FenceLease fence = Fence({}, {});
  fence.metadata.annotations["large"] = std::string(kMaxAnnotationBytes - 17UL * 1024, 'x');
  const Listing listing = Listed(fence, List({kEntry}));
  EXPECT_FALSE(listing.is_held_back);
  fence.metadata.annotations["large"] = std::string(kMaxAnnotationBytes - 16UL * 1024, 'x');
  EXPECT_TRUE(Listed(fence, List({kEntry})).is_held_back);
}

}  // namespace
}  // namespace gs::kube
