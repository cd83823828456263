// What a leader lists and hears of others, and what becomes of a fence whose lists are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/fence/fence_steps.h"
#include "adapters/kube/fence/process_for_test.h"

namespace gs::kube {
namespace {

using model::FenceSeen;
using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Entries = std::vector<model::InFlightPod>;

const model::InFlightPod kEntry = Entry("a", 0);
const ResourceVersion kView("100");

model::ListInFlight List(std::uint64_t revision, Entries entries) {
  return {.revision = revision, .in_flight = std::move(entries), .view = kView};
}

// Their record, listing this.
ReleaseRecord Listing(Entries entries, const std::string& settled = "") {
  ReleaseRecord record = HeldRecord(kThem);
  record.in_flight = std::move(entries);
  record.settled = ResourceVersion(settled);
  return record;
}

TEST(FenceList, IsWrittenAtOnceAndReportedWhenItIsStored) {
  Process process;
  process.Win();
  EXPECT_TRUE(process.HasNoRequest());
  process.steps().SetInFlight(List(1, {kEntry}));
  const FenceLease put = process.Put();
  EXPECT_EQ(Ours(put).in_flight, Entries{kEntry});
  // Lists that come meanwhile go together.
  process.steps().SetInFlight(List(2, {}));
  process.steps().SetInFlight(List(4, {kEntry, Entry("b", 1)}));
  process.steps().SetInFlight(List(3, {}));
  EXPECT_THAT(process.Told<InFlightListed>(), IsEmpty());
  process.Answer(Done(process.Stored(put)));
  EXPECT_THAT(Ours(process.PutDone()).in_flight, SizeIs(2));
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1}, {4}}));
  EXPECT_TRUE(process.HasNoRequest());
}

TEST(FenceList, WhatTheFenceSaysAlreadyIsNotWrittenAgain) {
  Process process;
  process.Win();
  process.steps().SetInFlight(List(1, {kEntry}));
  process.PutDone();
  model::ListInFlight newer = List(2, {kEntry});
  newer.view = ResourceVersion("101");
  process.steps().SetInFlight(newer);
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1}, {2}}));
}

// Whoever looks at the fence meets its own last write there.
TEST(FenceList, WhatWasToldIsNotToldAgainWhenTheFenceIsRead) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({Entry("x", 1)});
  process.Win(fence);
  process.steps().SetInFlight(List(1, {kEntry}));
  const FenceLease stored = process.PutDone();
  process.steps().SetInFlight(List(2, {kEntry}));
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(milliseconds(100));
  process.Read(Done(stored));
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1}, {2}}));
}

TEST(FenceList, WhatIsInheritedStaysUntilTheFirstList) {
  Process process;
  FenceLease fence = HeldByOther();
  Ours(fence).holder = {};
  EXPECT_EQ(Ours(process.Win(fence)).in_flight, Entries{kEntry});
  process.Pass(seconds(2));
  EXPECT_EQ(Ours(process.PutDone()).in_flight, Entries{kEntry});
  process.steps().SetInFlight(List(1, {}));
  EXPECT_THAT(Ours(process.PutDone()).in_flight, IsEmpty());
}

TEST(FenceList, AnUnknownWriteIsLookedUpBeforeAnythingElseIsWritten) {
  for (const bool is_stored : {true, false}) {
    Process process;
    const FenceLease before = process.Win();
    process.steps().SetInFlight(List(1, {kEntry}));
    const FenceLease written = process.Stored(process.Put());
    process.Answer(Only(WriteOutcome::kUnknown));
    process.steps().SetInFlight(List(2, {}));
    EXPECT_TRUE(process.HasNoRequest());
    process.Pass(seconds(1));
    process.Read(Done(is_stored ? written : before));
    EXPECT_THAT(process.Told<InFlightListed>(), SizeIs(1));
    EXPECT_EQ(process.Told<InFlightListed>().at(0).revision, is_stored ? 1U : 2U);
  }
}

TEST(FenceList, AWriteThatWasNotFoundIsSentAgainFromTheVersionThatWasRead) {
  Process process;
  const FenceLease before = process.Win();
  process.steps().SetInFlight(List(1, {kEntry}));
  const FenceLease late = process.Put();
  process.Answer(Only(WriteOutcome::kUnknown));
  process.Pass(seconds(1));
  process.Read(Done(before));
  const FenceLease again = process.Put();
  // Only one of the two can succeed.
  EXPECT_EQ(again.metadata.resource_version, late.metadata.resource_version);
  EXPECT_GT(Ours(again).write, Ours(late).write);
  // The late one came first.
  process.Answer(Only(WriteOutcome::kConflict));
  const FenceLease stored = process.Stored(late);
  process.Read(Done(stored));
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1}}));
  process.Pass(seconds(2));
  EXPECT_EQ(process.Put().metadata.resource_version, stored.metadata.resource_version);
  EXPECT_THAT(process.Told<LeadershipLost>(), IsEmpty());
}

TEST(FenceList, WhatClashesInTheVersionThatIsReplacedIsRefused) {
  Process process;
  FenceLease fence = process.Win();
  process.steps().SetInFlight(List(1, {kEntry, Entry("b", 1)}));
  // Another release was quicker.
  Theirs(fence) = Listing({Entry("x", 0)});
  process.Meet(fence);
  const FenceLease stored = process.PutDone();
  EXPECT_EQ(Ours(stored).in_flight, Entries{Entry("b", 1)});
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1, {kEntry.pod.uid}}}));
  // Not even when the other is gone: whoever asked was told no.
  process.Pass(seconds(2));
  fence = stored;
  Theirs(fence) = Listing({}, "90");
  process.Meet(fence);
  EXPECT_EQ(Ours(process.PutDone()).in_flight, Entries{Entry("b", 1)});
  // Asked again, it may be.
  process.steps().SetInFlight(List(2, {kEntry}));
  EXPECT_EQ(Ours(process.PutDone()).in_flight, Entries{kEntry});
}

TEST(FenceList, AListOnAnOlderViewWaitsForANewerOne) {
  Process process;
  FenceLease fence = process.Win();
  process.steps().SetInFlight(List(1, {kEntry}));
  Theirs(fence) = Listing({}, "101");
  process.Meet(fence);
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_THAT(process.Told<InFlightListed>(), IsEmpty());
  // Renewals go on without it.
  process.Pass(seconds(2));
  EXPECT_THAT(Ours(process.PutDone()).in_flight, IsEmpty());
  EXPECT_THAT(process.Told<InFlightListed>(), IsEmpty());
  model::ListInFlight newer = List(2, {kEntry});
  newer.view = ResourceVersion("101");
  process.steps().SetInFlight(newer);
  EXPECT_EQ(Ours(process.PutDone()).in_flight, Entries{kEntry});
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{2}}));
}

TEST(FenceList, WhatIsTakenOffDoesNotWaitForAView) {
  Process process;
  FenceLease fence = process.Win();
  process.steps().SetInFlight(List(1, {kEntry}));
  fence = process.PutDone();
  process.steps().SetInFlight(List(2, {Entry("b", 1)}));
  Theirs(fence) = Listing({}, "101");
  process.Meet(fence);
  EXPECT_THAT(Ours(process.PutDone()).in_flight, IsEmpty());
  EXPECT_THAT(process.Told<InFlightListed>(), SizeIs(1));
}

TEST(FenceList, NothingIsListedBesideARecordThatCannotBeRead) {
  Process process;
  FenceLease fence = process.Win();
  fence.unreadable[RecordKey(kThem)] = "?";
  process.steps().SetInFlight(List(1, {kEntry}));
  process.Meet(fence);
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(seconds(2));
  // Its release has written it again.
  fence.unreadable.clear();
  Theirs(fence) = Listing({});
  process.Meet(fence);
  EXPECT_EQ(Ours(process.PutDone()).in_flight, Entries{kEntry});
}

TEST(FenceSeenTest, IsToldBeforeTheLeadAndWhenThereAreNews) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({Entry("x", 1)}, "90");
  fence = process.Win(fence);
  FenceStep step = process.Advance();
  ASSERT_EQ(process.Heard<FenceSeen>(),
            (std::vector<FenceSeen>{{.others = {{.in_flight = Entry("x", 1), .scheduler = kThem}},
                                     .settled = ResourceVersion("90")}}));
  ASSERT_EQ(process.Heard<LeadershipWon>().size(), 1U);
  // While others commit, they are looked at often.
  EXPECT_EQ(step.wake_at - process.Now().since_boot, milliseconds(100));
  process.ToWakeUp(step);
  process.Read(Done(fence));
  EXPECT_THAT(process.Told<FenceSeen>(), SizeIs(1));
  process.ToWakeUp(process.Advance());
  Theirs(fence).in_flight.clear();
  Theirs(fence).settled = ResourceVersion("95");
  process.Read(Done(process.Stored(fence)));
  EXPECT_EQ(process.Told<FenceSeen>().back(), (FenceSeen{.settled = ResourceVersion("95")}));
  // Now nobody has to be looked at before the next renewal.
  step = process.Advance();
  EXPECT_EQ(step.wake_at, Process::kStart + seconds(2));
}

TEST(FenceSeenTest, ComesBeforeAnAnswerThatRestsOnIt) {
  Process process;
  FenceLease fence = process.Win();
  process.steps().SetInFlight(List(1, {kEntry}));
  Theirs(fence) = Listing({Entry("x", 0)});
  process.Meet(fence);
  (void)process.Put();
  EXPECT_THAT(process.Heard<FenceSeen>(), SizeIs(1));
  EXPECT_THAT(process.Heard<InFlightListed>(), IsEmpty());
}

// Looks at the fence for that long, and renews.
void KeepLeading(Process& process, FenceLease& fence, Duration time) {
  const Duration until = process.Now().since_boot + time;
  for (FenceStep step = process.Advance(); step.request || step.wake_at <= until;
       step = process.Advance()) {
    if (!step.request) {
      process.ToWakeUp(step);
      continue;
    }
    if (const auto* put = std::get_if<PutFence>(&*step.request)) fence = process.Stored(put->fence);
    process.Answer(Done(fence));
  }
  process.Pass(until - process.Now().since_boot);
}

TEST(FenceSilence, EntriesOfASilentReleaseAreToldTouchedAndTaken) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({Entry("x", 0), Entry("y", 1)}, "90");
  fence = process.Win(fence);
  KeepLeading(process, fence, seconds(29));
  EXPECT_FALSE(process.Heard<FenceSeen>().back().others[0].is_silent);
  KeepLeading(process, fence, seconds(1));
  EXPECT_TRUE(process.Heard<FenceSeen>().back().others[0].is_silent);
  // One of them could be touched, and was found bound at 95.
  model::ListInFlight list = List(1, {});
  list.dropped = {Entry("x", 0)};
  list.settled = ResourceVersion("95");
  process.steps().SetInFlight(list);
  fence = process.PutDone();
  (void)process.Advance();
  EXPECT_EQ(Theirs(fence).in_flight, Entries{Entry("y", 1)});
  EXPECT_FALSE(Theirs(fence).is_held());
  EXPECT_EQ(Ours(fence).settled, ResourceVersion("95"));
  // That we have written it is no sign of its life.
  EXPECT_EQ(
      process.Heard<FenceSeen>().back(),
      (FenceSeen{.others = {{.in_flight = Entry("y", 1), .is_silent = true, .scheduler = kThem}},
                 .settled = ResourceVersion("90")}));
}

TEST(FenceSilence, ASignOfLifeKeepsWhatIsListed) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({Entry("x", 0)});
  fence = process.Win(fence);
  KeepLeading(process, fence, seconds(30));
  model::ListInFlight list = List(1, {});
  list.dropped = {Entry("x", 0)};
  process.steps().SetInFlight(list);
  ++Theirs(fence).write;
  fence = process.Meet(fence);
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_FALSE(process.Heard<FenceSeen>().back().others[0].is_silent);
  KeepLeading(process, fence, seconds(4));
  EXPECT_THAT(Theirs(fence).in_flight, SizeIs(1));
}

TEST(FenceSilence, ALongLeaseOfTheOtherCounts) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({Entry("x", 0)});
  Theirs(fence).duration = seconds(60);
  fence = process.Win(fence);
  KeepLeading(process, fence, seconds(119));
  EXPECT_FALSE(process.Heard<FenceSeen>().back().others[0].is_silent);
  KeepLeading(process, fence, seconds(1));
  EXPECT_TRUE(process.Heard<FenceSeen>().back().others[0].is_silent);
}

TEST(FenceSilence, AReleaseThatIsGoneLeavesTheFenceAfterTenMinutes) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Theirs(fence) = Listing({}, "90");
  fence = process.Win(fence);
  process.steps().SetInFlight(List(1, {}));
  KeepLeading(process, fence, minutes(10) - seconds(1));
  EXPECT_TRUE(fence.records.contains(RecordKey(kThem)));
  KeepLeading(process, fence, seconds(4));
  EXPECT_FALSE(fence.records.contains(RecordKey(kThem)));
  EXPECT_EQ(Ours(fence).settled, ResourceVersion("90"));
}

TEST(UnsettledFence, AMarkThatStandsIsKeptUntilWeHaveDealtWithIt) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  fence.unsettled = "m";
  EXPECT_EQ(process.Win(fence).unsettled, "m");
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
  process.Pass(seconds(2));
  EXPECT_EQ(process.PutDone().unsettled, "m");
  process.steps().SetInFlight(List(1, {kEntry}));
  EXPECT_TRUE(process.HasNoRequest());
  model::ListInFlight settling = List(2, {});
  settling.is_settling = true;
  process.steps().SetInFlight(settling);
  process.steps().SetInFlight(List(3, {kEntry}));  // what was settling once stays so
  const FenceLease stored = process.PutDone();
  EXPECT_EQ(stored.unsettled, std::nullopt);
  EXPECT_EQ(Ours(stored).in_flight, Entries{kEntry});
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{3}}));
}

TEST(UnsettledFence, AnotherReleaseMayTakeTheMarkOff) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  fence.unsettled = "m";
  fence = process.Win(fence);
  process.Pass(seconds(2));
  fence.unsettled.reset();
  process.Meet(fence);
  EXPECT_EQ(process.PutDone().unsettled, std::nullopt);
  EXPECT_TRUE(process.leads());
}

// What its release has in flight is known to nobody, and only a new leader touches all pods.
TEST(UnsettledFence, ALeaderThatFindsANewMarkStartsOver) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  fence.unsettled = "m";
  fence = process.Win(fence);
  process.Pass(seconds(2));
  fence.unsettled = "n";
  process.Meet(fence);
  EXPECT_THAT(process.LostBecause(), HasSubstr("all has to be checked anew"));
}

TEST(UnsettledFence, OurOwnRecordThatCannotBeReadIsWaitedForAndMarksTheFence) {
  Process process;
  FenceLease fence = FenceWith({HeldRecord(kThem)});
  fence.unreadable[RecordKey(kUs)] = "?";
  process.Read(Done(fence));
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(seconds(14));
  process.Read(Done(fence));
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(seconds(1));
  process.Read(Done(fence));
  const FenceLease stored = process.PutDone();
  EXPECT_TRUE(stored.unreadable.empty());
  EXPECT_TRUE(stored.unsettled.has_value());
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
}

}  // namespace
}  // namespace gs::kube
