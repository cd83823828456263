#include "adapters/kube/election/rivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"

namespace gs::kube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ElectionSeat Seat(const std::string& ns, const std::string& scheduler) {
  return {Namespace(ns), SchedulerName(scheduler), Namespace(ns)};
}

ElectionLease LeaseOf(const ElectionSeat& seat) {
  ElectionLease lease;
  lease.ns = seat.ns;
  lease.name = ElectionLeaseName(seat.scheduler);
  lease.scheduler = seat.scheduler;
  lease.lock_namespace = seat.lock_namespace;
  return lease;
}

std::string Why(const ElectionSeat& own, const ElectionSeat& other) {
  const std::array leases{LeaseOf(own), LeaseOf(other)};
  return WhyNotReady(own, leases).value_or("");
}

TEST(Rivals, ASchedulerAloneIsReady) {
  EXPECT_EQ(Why(Seat("a", "one"), Seat("a", "one")), "");
  EXPECT_EQ(WhyNotReady(Seat("a", "one"), {}), std::nullopt);
}

TEST(Rivals, DifferentNamesShareALockNamespace) {
  EXPECT_EQ(Why(Seat("a", "one"), Seat("a", "two")), "");
  EXPECT_EQ(Why(Seat("a", "two"), Seat("a", "one")), "");
}

TEST(Rivals, OfTwoLockNamespacesTheLaterIsNotReadyAndIsToldTheOther) {
  EXPECT_EQ(Why(Seat("a", "one"), Seat("b", "two")), "");
  EXPECT_THAT(Why(Seat("b", "two"), Seat("a", "one")),
              AllOf(HasSubstr("set locks.namespace to a here"), Not(HasSubstr("scheduler.name")),
                    HasSubstr("If that release is gone, delete its Lease")));
}

TEST(Rivals, OfTwoWithOneNameTheLaterIsNotReadyAndIsToldToChangeIt) {
  ElectionSeat later = Seat("b", "one");
  later.lock_namespace = Namespace("a");
  EXPECT_THAT(Why(later, Seat("a", "one")),
              AllOf(HasSubstr("scheduler.name"), Not(HasSubstr("locks.namespace"))));
  EXPECT_EQ(Why(Seat("a", "one"), later), "");
}

TEST(Rivals, WithTheSameNameAndOtherLocksBothValuesAreNamed) {
  EXPECT_THAT(Why(Seat("b", "one"), Seat("a", "one")),
              AllOf(HasSubstr("set locks.namespace to a"), HasSubstr("scheduler.name")));
}

TEST(Rivals, ALeaseThatNobodyWroteToCountsByItsNameAndPlace) {
  ElectionLease fresh = LeaseOf(Seat("a", "gpu-scheduler"));
  fresh.scheduler = {};
  fresh.lock_namespace = {};
  const std::array leases{fresh};
  EXPECT_THAT(WhyNotReady(Seat("b", "gpu-scheduler"), leases).value_or(""),
              AllOf(HasSubstr("set locks.namespace to a"), HasSubstr("scheduler.name")));
  EXPECT_EQ(WhyNotReady(Seat("a", "gpu-scheduler"), leases), std::nullopt);
}

std::string ListOf(const std::vector<ElectionLease>& leases) {
  return R"({"kind":"LeaseList","metadata":{"resourceVersion":"9"},"items":[)" +
         text::Join(leases, ",", EncodeElectionLease) + "]}";
}

TEST(Releases, NothingIsKnownBeforeOurOwnLeaseIsThere) {
  const ElectionSeat own = Seat("a", "one");
  const auto early = ReadReleases(7, own, ListOf({LeaseOf(Seat("a", "two"))}));
  EXPECT_EQ(early.number, 7U);
  EXPECT_FALSE(early.is_known);
  EXPECT_THAT(early.why_not, HasSubstr("is not there yet"));
  const auto later = ReadReleases(8, own, ListOf({LeaseOf(own)}));
  EXPECT_EQ(later, (model::ReleasesChecked{8, true, "", {}}));
}

TEST(Releases, ThoseThatShareOurLocksAreNeighboursAndNotWeOurselves) {
  const ElectionSeat own = Seat("a", "one");
  const auto checked = ReadReleases(
      1, own, ListOf({LeaseOf(own), LeaseOf(Seat("a", "two")), LeaseOf(Seat("b", "three"))}));
  EXPECT_EQ(checked.neighbours, std::set{SchedulerName("two")});
  EXPECT_EQ(checked.why_not, "");
}

TEST(Releases, ARivalIsNamed) {
  const ElectionSeat own = Seat("b", "two");
  const auto checked = ReadReleases(1, own, ListOf({LeaseOf(own), LeaseOf(Seat("a", "one"))}));
  EXPECT_TRUE(checked.is_known);
  EXPECT_THAT(checked.why_not, HasSubstr("set locks.namespace to a here"));
}

TEST(Releases, AListThatCannotBeReadSaysNothing) {
  for (const char* text : {"", "{}", R"({"metadata":{"resourceVersion":"1"},"items":[7]})"}) {
    const auto checked = ReadReleases(1, Seat("a", "one"), text);
    EXPECT_FALSE(checked.is_known) << text;
    EXPECT_NE(checked.why_not, "") << text;
  }
}

TEST(Releases, AreAskedForByLabelInAllNamespaces) {
  EXPECT_EQ(ReleasesPath(),
            "/apis/coordination.k8s.io/v1/leases?labelSelector=gpu.scheduling%2Frole%3Delection");
}

}  // namespace
}  // namespace gs::kube
