#include "core/commit/in_flight_list.h"

#include <gtest/gtest.h>

#include <string>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::InFlightPod;
using model::ListInFlight;

const ResourceVersion kView("100");

InFlightPod Entry(const std::string& name) {
  const model::Pod pod = PodNamed(name, "90");
  return EntryOf(pod, AllocationOf(pod, {0}));
}

PodUid Uid(const std::string& name) { return PodUid("uid-" + name); }

ResourceVersion Version(const std::string& version) { return ResourceVersion(version); }

// As a commit uses it: what succeeds has to be seen.
class InFlightListTest : public testing::Test {
 protected:
  // Lists the pod, and the fence holds it.
  void AddStored(const std::string& name) {
    const auto revision = list_.Add(Entry(name));
    (void)list_.TakeChange(kView);
    list_.Listed(revision);
  }

  InFlightList list_{/*waits_for_sight=*/true};
};

TEST_F(InFlightListTest, NothingIsSaidWhereNothingHasChanged) {
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
  EXPECT_EQ(list_.TakeChange(Version("101")), std::nullopt);
  EXPECT_EQ(list_.Add(Entry("a")), 1U);
  EXPECT_TRUE(list_.TakeChange(kView));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
}

TEST_F(InFlightListTest, ChangesAreOneListWithTheViewTheyRestOn) {
  EXPECT_EQ(list_.Add(Entry("a")), 1U);
  EXPECT_EQ(list_.Add(Entry("b")), 1U);
  EXPECT_EQ(list_.TakeChange(kView),
            (ListInFlight{.revision = 1, .in_flight = {Entry("a"), Entry("b")}, .view = kView}));
  EXPECT_EQ(list_.Add(Entry("c")), 2U);
}

TEST_F(InFlightListTest, ANewerViewIsToldWhileThereIsSomethingThatIsNotStored) {
  const auto revision = list_.Add(Entry("a"));
  (void)list_.TakeChange(kView);
  const auto newer = list_.TakeChange(Version("105"));
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->revision, 2U);
  EXPECT_EQ(newer->view, Version("105"));
  list_.Listed(revision);
  EXPECT_EQ(list_.TakeChange(Version("110")), std::nullopt);
}

TEST_F(InFlightListTest, AnOlderRevisionIsNoNews) {
  (void)list_.Add(Entry("a"));
  (void)list_.TakeChange(kView);
  list_.Listed(1);
  (void)list_.Add(Entry("b"));
  (void)list_.TakeChange(kView);
  list_.Listed(2);
  list_.Listed(1);
  EXPECT_EQ(list_.TakeChange(Version("105")), std::nullopt);
}

TEST_F(InFlightListTest, ABoundPodStaysUntilItWasSeenAndLeavesTheVersionBehind) {
  AddStored("a");
  list_.Succeeded(Uid("a"));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
  list_.SeenBound(Uid("a"), Version("120"));
  EXPECT_EQ(list_.TakeChange(kView),
            (ListInFlight{.revision = 2, .view = kView, .settled = Version("120")}));
}

TEST_F(InFlightListTest, ItMayBeSeenBeforeItIsKnownToHaveSucceeded) {
  AddStored("a");
  list_.SeenBound(Uid("a"), Version("120"));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
  list_.SeenBound(Uid("a"), Version("130"));  // the first time counts
  list_.Succeeded(Uid("a"));
  EXPECT_EQ(list_.TakeChange(kView),
            (ListInFlight{.revision = 2, .view = kView, .settled = Version("120")}));
}

TEST_F(InFlightListTest, APodThatSomebodyElseHasBoundLeavesTheVersionBehindToo) {
  AddStored("a");
  list_.SeenBound(Uid("a"), Version("120"));
  list_.Remove(Uid("a"));
  EXPECT_EQ(list_.TakeChange(kView)->settled, Version("120"));
}

TEST_F(InFlightListTest, WhatCanNeverBeBoundLeavesNothingBehind) {
  AddStored("a");
  list_.SeenBound(Uid("a"), {});  // not seen
  list_.Remove(Uid("a"));
  EXPECT_EQ(list_.TakeChange(kView), (ListInFlight{.revision = 2, .view = kView}));
  list_.Remove(Uid("a"));
  list_.Succeeded(Uid("a"));
  list_.SeenBound(Uid("a"), Version("120"));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
}

TEST_F(InFlightListTest, SettledNeverGoesBack) {
  list_.Settle(Version("120"));
  list_.Settle(Version("9"));
  list_.Settle({});
  (void)list_.Add(Entry("a"));
  EXPECT_EQ(list_.TakeChange(kView)->settled, Version("120"));
}

TEST_F(InFlightListTest, WhatIsInheritedIsSaidInEveryList) {
  list_.Inherit(Entry("a"));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt) << "it is stored already";
  (void)list_.Add(Entry("b"));
  EXPECT_EQ(list_.TakeChange(kView)->in_flight, (std::vector{Entry("a"), Entry("b")}));
  list_.Remove(Uid("a"));
  EXPECT_EQ(list_.TakeChange(kView)->in_flight, (std::vector{Entry("b")}));
}

TEST_F(InFlightListTest, WhatIsDroppedIsSaidUntilItIsOff) {
  list_.Drop(Entry("a"));
  EXPECT_EQ(list_.TakeChange(kView)->dropped, (std::vector{Entry("a")}));
  list_.Drop(Entry("a"));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt);
  list_.KeepDropped({Entry("a"), Entry("c")});
  EXPECT_TRUE(list_.IsDropped(Entry("a")));
  list_.KeepDropped({});
  EXPECT_FALSE(list_.IsDropped(Entry("a")));
  EXPECT_EQ(list_.TakeChange(kView), std::nullopt) << "nobody has to be told";
  (void)list_.Add(Entry("b"));
  EXPECT_TRUE(list_.TakeChange(kView)->dropped.empty());
}

TEST_F(InFlightListTest, AnotherEntryForTheSamePodIsNotTheOneThatWasDropped) {
  list_.Drop(Entry("a"));
  InFlightPod later = Entry("a");
  later.noted = Version("95");
  EXPECT_FALSE(list_.IsDropped(later));
  list_.KeepDropped({later});
  EXPECT_FALSE(list_.IsDropped(Entry("a")));
}

TEST_F(InFlightListTest, TheFenceStaysSettledOnceItIsSaid) {
  EXPECT_EQ(list_.SettleFence(), 1U);
  EXPECT_TRUE(list_.TakeChange(kView)->is_settling);
  (void)list_.Add(Entry("a"));
  EXPECT_TRUE(list_.TakeChange(kView)->is_settling);
}

TEST_F(InFlightListTest, ThereIsRoomFor128) {
  for (std::size_t i = 0; i < InFlightList::kMaxPods; ++i) {
    EXPECT_TRUE(list_.has_room());
    (void)list_.Add(Entry(std::to_string(i)));
  }
  EXPECT_FALSE(list_.has_room());
  list_.Succeeded(Uid("0"));
  EXPECT_FALSE(list_.has_room()) << "it was not seen yet";
  list_.Remove(Uid("1"));
  EXPECT_TRUE(list_.has_room());
}

TEST(InFlightListWithoutSettled, ABoundPodIsTakenOffAtOnceAndLeavesNothingBehind) {
  InFlightList list{/*waits_for_sight=*/false};
  (void)list.Add(Entry("a"));
  (void)list.TakeChange(kView);
  list.SeenBound(Uid("a"), Version("120"));
  list.Succeeded(Uid("a"));
  EXPECT_EQ(list.TakeChange(kView), (ListInFlight{.revision = 2, .view = kView}));
}

}  // namespace
}  // namespace gs::commit
