#include "core/pending/pending.h"

#include <gtest/gtest.h>

#include "core/model/names.h"

namespace gs::pending {
namespace {

using model::ReasonToken;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};
const model::Reason kNoGpus{ReasonToken::kTooFewGpus, "none free"};

model::Pod Pod(const std::string& name, std::int32_t priority = 0, int age = 0) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.priority = priority;
  pod.created = kNow - seconds(age);
  pod.requests.gpus = 1;
  return pod;
}

model::Pod WithClaim(const std::string& name, const std::string& claim) {
  model::Pod pod = Pod(name);
  pod.annotations.Set(model::names::kClaim, claim);
  return pod;
}

std::vector<std::string> NamesOf(const std::vector<PodUid>& pods) {
  std::vector<std::string> names;
  for (const PodUid& uid : pods) names.push_back(uid.text().substr(4));
  return names;
}

using Names = std::vector<std::string>;

TEST(Pending, TriesHigherPriorityFirstThenTheOlderThenByName) {
  Pending pending;
  pending.Put(Pod("young"));
  pending.Put(Pod("old", 0, 100));
  pending.Put(Pod("b-important", 5));
  pending.Put(Pod("a-important", 5));
  EXPECT_EQ(NamesOf(pending.Ready()), (Names{"a-important", "b-important", "old", "young"}));
}

TEST(Pending, APodWithoutAPlaceSleepsUntilSomethingCanHelp) {
  Pending pending;
  pending.Put(Pod("a"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  EXPECT_TRUE(pending.Ready().empty());
  EXPECT_EQ(pending.ReasonOf(PodUid("uid-a"))->token, ReasonToken::kTooFewGpus);
  pending.Wake(Help::kClaim, Namespace("team"), ClaimName("other"));
  EXPECT_TRUE(pending.Ready().empty());
  pending.Wake(Help::kRoom);
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
  EXPECT_EQ(pending.ReasonOf(PodUid("uid-a")), nullptr);
}

TEST(Pending, AClaimWakesThoseThatNameItAndNobodyElse) {
  Pending pending;
  pending.Put(WithClaim("a", "pair"));
  pending.Put(WithClaim("b", "quad"));
  const model::Reason missing{ReasonToken::kClaimMissing, "no claim"};
  (void)pending.Sleep(PodUid("uid-a"), missing, kNow);
  (void)pending.Sleep(PodUid("uid-b"), missing, kNow);
  pending.Wake(Help::kRoom);
  EXPECT_TRUE(pending.Ready().empty());
  pending.Wake(Help::kClaim, Namespace("elsewhere"), ClaimName("pair"));
  EXPECT_TRUE(pending.Ready().empty());
  pending.Wake(Help::kClaim, Namespace("team"), ClaimName("pair"));
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
}

TEST(Pending, WhatIsWrongWithThePodIsMendedOnlyByChangingIt) {
  Pending pending;
  pending.Put(Pod("a"));
  (void)pending.Sleep(PodUid("uid-a"), {ReasonToken::kMapInvalid, "line 1"}, kNow);
  pending.Wake(Help::kNode);
  EXPECT_TRUE(pending.Ready().empty());
  pending.Put(Pod("a"));  // a mere change of its status
  EXPECT_TRUE(pending.Ready().empty());
  pending.Put(WithClaim("a", "pair"));
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
}

TEST(Pending, TimeIsABackstop) {
  Pending pending({.backstop = seconds(60)});
  pending.Put(Pod("a"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  ASSERT_EQ(pending.NextWake(), kNow + seconds(60));
  pending.Tick(kNow + seconds(59));
  EXPECT_TRUE(pending.Ready().empty());
  pending.Tick(kNow + seconds(60));
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
  EXPECT_EQ(pending.NextWake(), std::nullopt);
}

TEST(Pending, AFailedAttemptWaitsTwiceAsLongEachTimeUpToALimit) {
  Pending pending({.first_backoff = seconds(1), .longest_backoff = seconds(4)});
  pending.Put(Pod("a"));
  const PodUid uid("uid-a");
  for (const int expected : {1, 2, 4, 4}) {
    pending.Retry(uid, kNow);
    EXPECT_EQ(pending.NextWake(), kNow + seconds(expected));
    pending.Wake(Help::kRoom);  // a backoff is not shortened
    EXPECT_TRUE(pending.Ready().empty());
    pending.Tick(kNow + seconds(expected));
    EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
  }
}

// Pods that keep away from each other change each other's chances whenever one of them fails.
TEST(Pending, WhoeverBacksOffGoesOnDoingSoWhateverItChangesInto) {
  Pending pending;
  const PodUid uid("uid-a");
  pending.Put(Pod("a"));
  pending.Retry(uid, kNow);
  pending.Put(Pod("a"), "against 1");
  pending.Put(WithClaim("a", "pair"));
  EXPECT_EQ(pending.Next(), std::nullopt);
  EXPECT_EQ(pending.NextWake(), kNow + seconds(1));
  pending.Tick(kNow + seconds(1));
  EXPECT_EQ(pending.Next(), uid);
  pending.Retry(uid, kNow);  // failures are remembered over changes
  EXPECT_EQ(pending.NextWake(), kNow + seconds(2));
}

TEST(Pending, AClassSleepsAndWakesAsOne) {
  Pending pending;
  pending.Put(Pod("a"));
  pending.Put(Pod("b"));
  pending.Put(WithClaim("c", "pair"));
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-a"), kNoGpus, kNow)), (Names{"a", "b"}));
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"c"});
  EXPECT_EQ(pending.Next(), PodUid("uid-c"));
  pending.Wake(Help::kRoom);
  EXPECT_EQ(NamesOf(pending.Ready()), (Names{"a", "b", "c"}));
}

TEST(Pending, AClassThatSleepsAgainTellsItsFirstAndTheNewOnesAlone) {
  Pending pending;
  for (const char* name : {"a", "b", "c"}) pending.Put(Pod(name));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Wake(Help::kRoom);
  pending.Launch(PodUid("uid-a"));
  pending.Put(Pod("d"));
  pending.Put(Pod("e"));
  pending.Remove(PodUid("uid-e"));
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-b"), kNoGpus, kNow)), (Names{"b", "d"}));
  pending.Wake(Help::kRoom);
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-b"), kNoGpus, kNow)), Names{"b"});
}

TEST(Pending, AnotherReasonIsToldToAllAndSoIsAnOldOne) {
  Pending pending;
  for (const char* name : {"a", "b"}) pending.Put(Pod(name));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Wake(Help::kRoom);
  const model::Reason other{ReasonToken::kTooFewResources, "no CPU"};
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-a"), other, kNow)), (Names{"a", "b"}));
  pending.Wake(Help::kRoom);
  const TimePoint later = kNow + std::chrono::minutes(5);
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-a"), other, later)), (Names{"a", "b"}));
}

TEST(Pending, AReasonIsRecentForAWhileAndWhileOnlyRoomIsFreed) {
  Pending pending;
  pending.Put(Pod("a"));
  EXPECT_EQ(pending.RecentReasonOf(PodUid("uid-a"), kNow), nullptr);
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Wake(Help::kRoom);
  ASSERT_NE(pending.RecentReasonOf(PodUid("uid-a"), kNow), nullptr);
  EXPECT_EQ(*pending.RecentReasonOf(PodUid("uid-a"), kNow), kNoGpus);
  EXPECT_EQ(pending.RecentReasonOf(PodUid("uid-a"), kNow + seconds(10)), nullptr);
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Wake(Help::kNode);
  EXPECT_EQ(pending.RecentReasonOf(PodUid("uid-a"), kNow), nullptr);
}

TEST(Pending, WhoJoinsASleepingClassSleepsAndIsMentionedOnce) {
  Pending pending;
  pending.Put(Pod("a"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Put(Pod("b"));
  EXPECT_TRUE(pending.Ready().empty());
  EXPECT_EQ(pending.ReasonOf(PodUid("uid-b"))->token, ReasonToken::kTooFewGpus);
  EXPECT_EQ(NamesOf(pending.TakeLateSleepers()), Names{"b"});
  EXPECT_TRUE(pending.TakeLateSleepers().empty());
}

TEST(Pending, WhoIsSetApartIsAClassOfItsOwn) {
  Pending pending;
  pending.Put(Pod("a"));
  pending.Put(Pod("b"), "rejected");
  EXPECT_EQ(NamesOf(pending.Sleep(PodUid("uid-b"), kNoGpus, kNow)), Names{"b"});
  EXPECT_EQ(NamesOf(pending.Ready()), Names{"a"});
  pending.Put(Pod("b"));
  EXPECT_EQ(NamesOf(pending.Ready()), (Names{"a", "b"}));
}

TEST(Pending, ALaunchedPodIsNotTriedUntilItHasFailed) {
  Pending pending;
  const PodUid uid("uid-a");
  pending.Put(Pod("a"));
  pending.Launch(uid);
  pending.Put(Pod("a"));
  pending.Put(WithClaim("a", "pair"));
  pending.Wake(Help::kRoom);
  EXPECT_EQ(pending.Next(), std::nullopt);
  EXPECT_EQ(pending.ReasonOf(uid), nullptr);
  pending.Retry(uid, kNow);
  pending.Tick(kNow + seconds(1));
  EXPECT_EQ(pending.Next(), uid);
  pending.Launch(uid);
  pending.Retry(uid, kNow);  // failures are remembered over launches
  EXPECT_EQ(pending.NextWake(), kNow + seconds(2));
  pending.Remove(uid);
  EXPECT_EQ(pending.NextWake(), std::nullopt);
}

TEST(Pending, AChangeOfPriorityChangesTheOrder) {
  Pending pending;
  pending.Put(Pod("a"));
  pending.Put(Pod("b"));
  pending.Put(Pod("b", 7));
  EXPECT_EQ(NamesOf(pending.Ready()), (Names{"b", "a"}));
  EXPECT_EQ(pending.size(), 2U);
}

TEST(Pending, ARemovedPodLeavesNothing) {
  Pending pending;
  pending.Put(Pod("a"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Remove(PodUid("uid-a"));
  pending.Remove(PodUid("uid-a"));
  EXPECT_EQ(pending.size(), 0U);
  EXPECT_EQ(pending.NextWake(), std::nullopt);
}

TEST(AskClass, PodsThatAskTheSameAreOneClass) {
  EXPECT_EQ(ClassOf(Pod("a", 3)).key, ClassOf(Pod("b", 3)).key);
  EXPECT_NE(ClassOf(Pod("a")).key, ClassOf(Pod("b", 3)).key) << "a reservation binds only one";
  EXPECT_EQ(ClassOf(WithClaim("a", "pair")).key, ClassOf(WithClaim("b", "pair")).key);
  EXPECT_NE(ClassOf(WithClaim("a", "pair")).key, ClassOf(WithClaim("a", "quad")).key);
  auto told = WithClaim("a", "pair");
  told.has_visible_devices_variable = true;
  EXPECT_NE(ClassOf(WithClaim("a", "pair")).key, ClassOf(told).key);
  model::Pod other = Pod("a");
  other.requests.cpu_milli = 1;
  EXPECT_NE(ClassOf(other).key, ClassOf(Pod("a")).key);
  model::Pod selective = Pod("a");
  selective.rules->node_selector.Set("zone", "a");
  EXPECT_NE(ClassOf(selective).key, ClassOf(Pod("a")).key);
}

TEST(AskClass, WhatAPodSaysAboutOthersAndWhetherItIsOneOfThemHasASay) {
  model::PodAffinityTerm web;
  web.selector = {{{"app", model::SelectorOperator::kIn, {"web"}}}};
  web.topology_key = "zone";
  model::Pod near = Pod("a");
  near.rules->pod_affinity = {web};
  model::Pod apart = Pod("a");
  apart.ties->anti_affinity = {web};
  model::Pod spread = Pod("a");
  spread.rules->spread = {{.topology_key = "zone", .selector = web.selector}};
  model::Pod port = Pod("a");
  port.ties->host_ports = {{.port = 80}};
  for (const model::Pod& pod : {near, apart, spread, port}) {
    EXPECT_NE(ClassOf(pod).key, ClassOf(Pod("a")).key);
    model::Pod twin = pod;
    twin.labels.Set("index", "7");
    EXPECT_EQ(ClassOf(pod).key, ClassOf(twin).key);
  }
  for (model::Pod pod : {near, spread}) {
    const std::string before = ClassOf(pod).key;
    pod.labels.Set("app", "web");
    EXPECT_NE(ClassOf(pod).key, before);
    const std::string here = ClassOf(pod).key;
    pod.ref.ns = Namespace("elsewhere");
    EXPECT_NE(ClassOf(pod).key, here);
  }
}

TEST(Pending, WakesTheClassesThatAreSaidToBeHelped) {
  Pending pending;
  for (const char* name : {"a", "b"}) pending.Put(Pod(name));
  pending.Put(WithClaim("c", "pair"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  (void)pending.Sleep(PodUid("uid-c"), kNoGpus, kNow);
  pending.WakeIf([](const PodUid& pod) { return pod == PodUid("uid-a"); });
  EXPECT_EQ(NamesOf(pending.Ready()), (Names{"a", "b"}));
  EXPECT_EQ(NamesOf(pending.All()), (Names{"a", "b", "c"}));
}

TEST(AskClass, AMapMakesAClassPerIndexAndOwner) {
  const auto mapped = [](const std::string& name) {
    model::Pod pod = Pod(name);
    pod.annotations.Set(model::names::kMap, "0=n:0\n1=n:1");
    return pod;
  };
  EXPECT_NE(ClassOf(mapped("a-0")).key, ClassOf(mapped("a-1")).key);
  EXPECT_TRUE(ClassOf(mapped("a-0")).uses_gpus);
}

TEST(Pending, CountsHowPodsWait) {
  Pending pending;
  for (const char* name : {"a", "b"}) pending.Put(Pod(name));
  for (const char* name : {"c", "d", "e"}) pending.Put(WithClaim(name, "pair"));
  (void)pending.Sleep(PodUid("uid-a"), kNoGpus, kNow);
  pending.Launch(PodUid("uid-c"));
  pending.Retry(PodUid("uid-d"), kNow);
  EXPECT_EQ(
      pending.Count(),
      (PendingCounts{
          .ready = 1, .backing_off = 1, .launched = 1, .asleep = {{ReasonToken::kTooFewGpus, 2}}}));
}

TEST(Pending, KnowsSinceWhenAPodWaitsAndHowOftenItWasTried) {
  const PodUid a("uid-a");
  Pending pending;
  pending.Put(Pod("a"), {}, kNow);
  EXPECT_EQ(pending.WaitOf(a), (Wait{.since = kNow, .tries = 0}));
  (void)pending.Sleep(a, kNoGpus, kNow);
  pending.Put(Pod("late"), {}, kNow + seconds(1));
  pending.Wake(Help::kRoom);
  (void)pending.Sleep(a, kNoGpus, kNow);
  EXPECT_EQ(pending.WaitOf(a).tries, 2);
  EXPECT_EQ(pending.WaitOf(PodUid("uid-late")), (Wait{.since = kNow + seconds(1), .tries = 1}));
  pending.Wake(Help::kRoom);
  pending.Launch(a);
  EXPECT_EQ(pending.WaitOf(a).tries, 2);
  pending.Retry(a, kNow);
  pending.Put(Pod("a", 7), {}, kNow + seconds(9));
  EXPECT_EQ(pending.WaitOf(a).since, kNow);
}

}  // namespace
}  // namespace gs::pending
