#include "adapters/kube/election/election_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using model::PodRef;
using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Pods = std::vector<PodRef>;

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u-a")};

ElectionSelf Self(const std::string& process) {
  return {.identity = {PodUid("pod-1"), process},
          .pod = PodName("scheduler-0"),
          .scheduler = SchedulerName("gpu-scheduler"),
          .lock_namespace = Namespace("locks")};
}

ElectionLease FromChart() {
  ElectionLease lease;
  lease.ns = Namespace("locks");
  lease.name = LeaseName("scheduler-leader");
  lease.uid = LeaseUid("l-1");
  lease.resource_version = ResourceVersion("1");
  return lease;
}

ElectionLease HeldByOther() {
  ElectionLease lease = FromChart();
  lease.holder = {PodUid("pod-2"), "other"};
  lease.holder_pod = PodName("scheduler-1");
  lease.transitions = 4;
  lease.duration = seconds(15);
  lease.in_flight = Pods{kPod};
  return lease;
}

ElectionAnswer Done(ElectionLease lease) {
  return {
      .outcome = WriteOutcome::kDone, .lease = std::move(lease), .reason = {}, .retry_after = {}};
}
ElectionAnswer Only(WriteOutcome outcome) {
  return {.outcome = outcome, .lease = {}, .reason = "because", .retry_after = {}};
}

// A process at times that a test sets.
class Process {
 public:
  // Far from zero, as boot clocks are.
  static constexpr Duration kStart = seconds(500);

  explicit Process(ElectionOptions options = {}) : steps_(Self("p-1"), options) {}

  ElectionStep Advance() {
    ElectionStep step = steps_.Advance(Now());
    for (auto& event : step.events) events_.push_back(std::move(event));
    return step;
  }
  void Pass(Duration time) { now_ += time; }
  void Answer(const ElectionAnswer& answer) { steps_.Answer(Now(), answer); }
  void ToWakeUp(const ElectionStep& step) { now_ = step.wake_at; }

  void Read(const ElectionAnswer& answer) {
    const ElectionStep step = Advance();
    ASSERT_TRUE(step.request && std::holds_alternative<ReadElection>(*step.request));
    Answer(answer);
  }
  // The lease of a PUT that must come now.
  ElectionLease Put() {
    const ElectionStep step = Advance();
    const auto* put = step.request ? std::get_if<PutElection>(&*step.request) : nullptr;
    EXPECT_NE(put, nullptr);
    return put ? put->lease : ElectionLease();
  }
  // As the server answers it.
  ElectionLease Stored(ElectionLease lease) {
    lease.resource_version = ResourceVersion(std::to_string(++version_));
    return lease;
  }
  ElectionLease PutDone() {
    ElectionLease stored = Stored(Put());
    Answer(Done(stored));
    return stored;
  }
  // Leads since now.
  ElectionLease Win(ElectionLease from = FromChart()) {
    Read(Done(from));
    return PutDone();
  }

  template <class Event>
  std::vector<Event> Told() {
    (void)Peek();
    std::vector<Event> told;
    for (const auto& event : events_) {
      if (const auto* found = std::get_if<Event>(&event)) told.push_back(*found);
    }
    return told;
  }
  std::string LostBecause() {
    const auto lost = Told<LeadershipLost>();
    return lost.size() == 1 ? lost.front().reason : std::to_string(lost.size()) + " times";
  }
  bool leads() const { return Now().since_boot < steps_.leads_until(); }
  ElectionSteps& steps() { return steps_; }
  ElectionTime Now() const { return {.since_boot = now_, .wall = TimePoint(seconds(7))}; }

 private:
  ElectionStep Peek() { return Advance(); }

  ElectionSteps steps_;
  Duration now_ = kStart;
  int version_ = 10;
  std::vector<model::Event> events_;
};

TEST(ElectionOptions, MustLeaveTimeToTryAgain) {
  EXPECT_TRUE(CheckElectionOptions({}).ok());
  const auto why = [](int lease, int deadline, int retry) {
    const auto fine = CheckElectionOptions({.lease = milliseconds(lease),
                                            .renew_deadline = milliseconds(deadline),
                                            .retry = milliseconds(retry)});
    return fine ? "" : ToString(fine.error());
  };
  EXPECT_THAT(why(10, 10, 2), HasSubstr("lease (10ms) must be longer than the renew deadline"));
  EXPECT_THAT(why(15, 12, 10), HasSubstr("1.2 times the retry period (10ms)"));
  EXPECT_THAT(why(15, 10, 0), HasSubstr("longer than 0"));
}

TEST(ElectionSteps, TakesAFreeLeaseAtOnce) {
  Process process;
  const ElectionLease lease = process.Win();
  EXPECT_EQ(lease.holder, Self("p-1").identity);
  EXPECT_EQ(lease.uid, LeaseUid("l-1"));
  EXPECT_EQ(lease.transitions, 1);
  EXPECT_EQ(lease.duration, seconds(15));
  EXPECT_EQ(process.Told<LeadershipWon>(),
            (std::vector<LeadershipWon>{{.transitions = 1,
                                         .takeover = lease.resource_version,
                                         .is_list_known = true,
                                         .unresolved = {}}}));
  EXPECT_TRUE(process.leads());
}

TEST(ElectionSteps, WaitsUntilAHolderWasSilentForTheWholeLease) {
  Process process;
  const Duration start = process.Now().since_boot;
  ElectionStep step = process.Advance();
  int reads = 0;
  while (step.request && std::holds_alternative<ReadElection>(*step.request)) {
    ++reads;
    process.Answer(Done(HeldByOther()));
    step = process.Advance();
    if (step.request) break;
    process.ToWakeUp(step);
    step = process.Advance();
  }
  EXPECT_EQ(process.Now().since_boot - start, seconds(15));
  EXPECT_EQ(reads, 9);
  const auto& put = std::get<PutElection>(*step.request).lease;
  EXPECT_EQ(put.resource_version, ResourceVersion("1"));
  EXPECT_EQ(put.transitions, 5);
  EXPECT_EQ(put.in_flight, InFlightList(Pods{kPod}));  // kept for whoever comes if we crash now
  process.Answer(Done(process.Stored(put)));
  EXPECT_EQ(process.Told<LeadershipWon>().at(0).unresolved, Pods{kPod});
}

TEST(ElectionSteps, EveryRenewalStartsTheWaitAgainAndAnEditDoesNot) {
  Process process;
  ElectionLease lease = HeldByOther();
  process.Read(Done(lease));
  process.Pass(seconds(14));
  lease.write = 2;
  lease.resource_version = ResourceVersion("2");
  process.Read(Done(lease));
  process.Pass(seconds(14));
  lease.other_labels["edited"] = "yes";
  lease.resource_version = ResourceVersion("3");
  process.Read(Done(lease));
  EXPECT_EQ(process.Advance().request.has_value(), false);
  process.Pass(seconds(1));
  process.Read(Done(lease));
  EXPECT_EQ(process.Put().resource_version, ResourceVersion("3"));
}

TEST(ElectionSteps, ALongerLeaseOfTheHolderCounts) {
  Process process;
  ElectionLease lease = HeldByOther();
  lease.duration = seconds(60);
  process.Read(Done(lease));
  process.Pass(seconds(59));
  process.Read(Done(lease));
  EXPECT_FALSE(process.Advance().request.has_value());
  process.Pass(seconds(1));
  process.Read(Done(lease));
  (void)process.Put();
}

TEST(ElectionSteps, AnEarlierProcessOfTheSamePodIsSomebodyElse) {
  Process process;
  ElectionLease lease = HeldByOther();
  lease.holder = {PodUid("pod-1"), "p-0"};
  process.Read(Done(lease));
  EXPECT_FALSE(process.Advance().request.has_value());
}

TEST(ElectionSteps, AMissingLeaseIsMadeAnewAndItsListIsNotKnown) {
  Process process;
  process.Read(Only(WriteOutcome::kNotFound));
  const ElectionStep step = process.Advance();
  ElectionLease made = process.Stored(std::get<CreateElection>(*step.request).lease);
  EXPECT_EQ(made.in_flight, InFlightList(UnreadableList()));
  EXPECT_TRUE(made.is_held());
  made.uid = LeaseUid("l-2");
  process.Answer(Done(made));
  // The old leader may not have noticed yet.
  EXPECT_FALSE(process.Advance().request.has_value());
  EXPECT_FALSE(process.leads());
  process.Pass(seconds(15));
  process.Read(Done(made));
  process.PutDone();
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
}

TEST(ElectionSteps, AFreshLeaseInPlaceOfOneThatVanishedIsNotTrusted) {
  Process process;
  process.Read(Done(HeldByOther()));
  process.Pass(seconds(2));
  ElectionLease fresh = FromChart();
  fresh.uid = LeaseUid("l-2");
  fresh.in_flight = UnreadableList{};
  process.Read(Done(fresh));
  EXPECT_FALSE(process.Advance().request.has_value());
  process.Pass(seconds(15));
  process.Read(Done(fresh));
  const ElectionLease lease = process.PutDone();
  EXPECT_EQ(lease.in_flight, InFlightList(UnreadableList()));
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
}

TEST(ElectionSteps, AnUnreadableListIsKeptUntilTheFirstListOfOurOwn) {
  Process process;
  ElectionLease lease = FromChart();
  lease.in_flight = UnreadableList{.format = "2", .pods = "x"};
  EXPECT_EQ(process.Win(lease).in_flight, lease.in_flight);
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
  process.Pass(seconds(2));
  EXPECT_EQ(process.PutDone().in_flight, lease.in_flight);
  process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
  EXPECT_EQ(process.PutDone().in_flight, InFlightList(Pods{kPod}));
}

TEST(ElectionSteps, WritesAListAtOnceAndReportsItWhenItIsStored) {
  Process process;
  process.Win();
  EXPECT_FALSE(process.Advance().request.has_value());
  process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
  const ElectionLease put = process.Put();
  EXPECT_EQ(put.in_flight, InFlightList(Pods{kPod}));
  // Lists that come meanwhile go together.
  process.steps().SetInFlight({.revision = 2, .pods = {}});
  process.steps().SetInFlight({.revision = 4, .pods = {kPod}});
  process.steps().SetInFlight({.revision = 3, .pods = {}});
  EXPECT_TRUE(process.Told<InFlightListed>().empty());
  process.Answer(Done(process.Stored(put)));
  EXPECT_EQ(process.PutDone().in_flight, InFlightList(Pods{kPod}));
  EXPECT_EQ(process.Told<InFlightListed>(), (std::vector<InFlightListed>{{1}, {4}}));
  EXPECT_FALSE(process.Advance().request.has_value());
}

TEST(ElectionSteps, RenewsEveryRetryPeriodAndSaysNothing) {
  Process process;
  process.Win();
  for (int i = 0; i < 10; ++i) {
    process.ToWakeUp(process.Advance());
    process.PutDone();
  }
  EXPECT_EQ(process.Now().since_boot - Process::kStart, seconds(20));
  EXPECT_TRUE(process.leads());
  EXPECT_TRUE(process.Told<InFlightListed>().empty());
}

TEST(ElectionSteps, LeadsFromTheMomentOfSendingAndNotOfTheAnswer) {
  Process process;
  process.Read(Done(FromChart()));
  const ElectionLease lease = process.Stored(process.Put());
  process.Pass(seconds(4));
  process.Answer(Done(lease));
  EXPECT_EQ(process.steps().leads_until(), Process::kStart + seconds(10));
}

TEST(ElectionSteps, ATakeoverThatIsAnsweredTooLateDoesNotLead) {
  Process process;
  process.Read(Done(FromChart()));
  const ElectionLease lease = process.Stored(process.Put());
  process.Pass(seconds(10));
  process.Answer(Done(lease));
  EXPECT_TRUE(process.Told<LeadershipWon>().empty());
  EXPECT_FALSE(process.leads());
}

TEST(ElectionSteps, AnUnknownTakeoverIsLookedUp) {
  Process process;
  process.Read(Done(FromChart()));
  const ElectionLease lease = process.Stored(process.Put());
  process.Answer(Only(WriteOutcome::kUnknown));
  EXPECT_TRUE(process.Told<LeadershipWon>().empty());
  process.Pass(seconds(2));
  process.Read(Done(lease));
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
  EXPECT_EQ(process.steps().leads_until(), Process::kStart + seconds(10));
}

TEST(ElectionSteps, AnUnknownWriteIsLookedUpBeforeAnythingElseIsWritten) {
  for (const bool is_stored : {true, false}) {
    Process process;
    const ElectionLease before = process.Win();
    process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
    const ElectionLease written = process.Stored(process.Put());
    process.Answer(Only(WriteOutcome::kUnknown));
    process.steps().SetInFlight({.revision = 2, .pods = {}});
    EXPECT_FALSE(process.Advance().request.has_value());
    process.Pass(seconds(1));
    process.Read(Done(is_stored ? written : before));
    EXPECT_EQ(process.Told<InFlightListed>().size(), is_stored ? 1U : 0U);
  }
}

TEST(ElectionSteps, AWriteThatWasNotFoundIsSentAgainFromTheVersionThatWasRead) {
  Process process;
  const ElectionLease before = process.Win();
  process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
  const ElectionLease late = process.Put();
  process.Answer(Only(WriteOutcome::kUnknown));
  process.Pass(seconds(1));
  process.Read(Done(before));
  const ElectionLease again = process.Put();
  EXPECT_EQ(again.resource_version, late.resource_version);  // only one of the two can succeed
  EXPECT_GT(again.write, late.write);
  // The late one came first.
  process.Answer(Only(WriteOutcome::kConflict));
  process.Pass(seconds(1));
  const ElectionLease stored = process.Stored(late);
  process.Read(Done(stored));
  EXPECT_EQ(process.Put().resource_version, stored.resource_version);
  EXPECT_TRUE(process.Told<LeadershipLost>().empty());
}

TEST(ElectionSteps, AnEditBySomebodyElseIsNoLoss) {
  Process process;
  ElectionLease lease = process.Win();
  process.Pass(seconds(2));
  (void)process.Put();
  process.Answer(Only(WriteOutcome::kConflict));
  process.Pass(seconds(1));
  lease.other_annotations["note"] = "hello";
  process.Read(Done(process.Stored(lease)));
  EXPECT_EQ(process.PutDone().other_annotations.at("note"), "hello");
  EXPECT_TRUE(process.leads());
}

TEST(ElectionSteps, LosesToAnotherHolderOnce) {
  Process process;
  process.Win();
  process.Pass(seconds(2));
  (void)process.Put();
  process.Answer(Only(WriteOutcome::kConflict));
  process.Pass(seconds(1));
  process.Read(Done(HeldByOther()));
  EXPECT_EQ(process.LostBecause(), "the election Lease is held by scheduler-1");
  process.Pass(seconds(60));
  EXPECT_EQ(process.Told<LeadershipLost>().size(), 1U);
  EXPECT_FALSE(process.Advance().request.has_value());
  EXPECT_TRUE(process.steps().is_over());
}

TEST(ElectionSteps, LosesWhenTheLeaseIsDeletedOrReplaced) {
  for (const bool is_replaced : {false, true}) {
    Process process;
    ElectionLease lease = process.Win();
    process.Pass(seconds(2));
    (void)process.Put();
    process.Answer(Only(WriteOutcome::kConflict));
    process.Pass(seconds(1));
    lease.uid = LeaseUid("l-2");
    process.Read(is_replaced ? Done(lease) : Only(WriteOutcome::kNotFound));
    EXPECT_THAT(process.LostBecause(), HasSubstr("was deleted"));
    EXPECT_FALSE(process.leads());
  }
}

TEST(ElectionSteps, LosesWhenItCannotRenewAndSaysWhy) {
  Process process;
  process.Win();
  process.Pass(seconds(2));
  for (int i = 0; i < 20 && process.leads(); ++i) {
    const ElectionStep step = process.Advance();
    if (step.request) {
      EXPECT_LE(process.Now().since_boot + step.timeout, Process::kStart + seconds(10));
      process.Answer(Only(WriteOutcome::kRefused));
    } else {
      process.ToWakeUp(step);
    }
  }
  EXPECT_EQ(process.LostBecause(), "the election Lease was not renewed within 10s: because");
  EXPECT_EQ(process.Now().since_boot, Process::kStart + seconds(10));
}

TEST(ElectionSteps, AMachineThatSleptLosesBeforeItWrites) {
  Process process;
  process.Win();
  process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
  process.Pass(seconds(10));
  EXPECT_FALSE(process.Advance().request.has_value());
  EXPECT_THAT(process.LostBecause(), HasSubstr("not renewed within 10s"));
}

TEST(ElectionSteps, AnAnswerAfterTheDeadlineDoesNotHelp) {
  Process process;
  process.Win();
  process.Pass(seconds(9));
  const ElectionLease lease = process.Stored(process.Put());
  process.Pass(seconds(1));
  process.Answer(Done(lease));
  EXPECT_THAT(process.LostBecause(), HasSubstr("not renewed within 10s"));
}

TEST(ElectionSteps, ResigningFreesTheLeaseAndEndsTheLeadFirst) {
  Process process;
  process.Win();
  process.steps().Resign();
  const ElectionStep step = process.Advance();
  EXPECT_EQ(process.LostBecause(), "resigned");
  EXPECT_FALSE(process.leads());
  const ElectionLease& lease = std::get<PutElection>(*step.request).lease;
  EXPECT_FALSE(lease.is_held());
  EXPECT_GT(lease.transitions, 0);
  EXPECT_EQ(lease.in_flight, InFlightList(Pods()));
  process.Answer(Only(WriteOutcome::kUnknown));
  EXPECT_TRUE(process.steps().is_over());
  EXPECT_FALSE(process.Advance().request.has_value());

  Process next;
  next.Read(Done(lease));
  (void)next.Put();  // without waiting
}

TEST(ElectionSteps, ResigningWithPodsInFlightLeavesThemListed) {
  Process process;
  process.Win();
  process.steps().SetInFlight({.revision = 1, .pods = {kPod}});
  process.PutDone();
  process.steps().Resign();
  EXPECT_FALSE(process.Advance().request.has_value());
  EXPECT_THAT(process.LostBecause(), HasSubstr("left to the next leader"));
}

TEST(ElectionSteps, ACandidateThatResignsIsJustGone) {
  Process process;
  process.Read(Done(HeldByOther()));
  process.steps().Resign();
  EXPECT_FALSE(process.Advance().request.has_value());
  EXPECT_TRUE(process.steps().is_over());
  EXPECT_TRUE(process.Told<LeadershipLost>().empty());
}

TEST(ElectionSteps, TriesSoonAfterATroubleAndThenMoreRarely) {
  Process process;
  std::vector<Duration> waits;
  for (int i = 0; i < 6; ++i) {
    process.Read(Only(WriteOutcome::kNotExecuted));
    const ElectionStep step = process.Advance();
    waits.push_back(step.wake_at - process.Now().since_boot);
    process.ToWakeUp(step);
  }
  EXPECT_EQ(waits, (std::vector<Duration>{milliseconds(125), milliseconds(250), milliseconds(500),
                                          seconds(1), seconds(2), seconds(2)}));
}

}  // namespace
}  // namespace gs::kube
