#include "tests/crash/lab/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/election/election_lease.h"
#include "adapters/kube/write/command_requests.h"

namespace gs::crash {
namespace {

using http::Method;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const LeaseName kElection = kube::ElectionLeaseName(SchedulerName("gpu-scheduler"));
const Namespace kLocks("locks");

std::string ElectionListing(const std::vector<std::string>& pods) {
  kube::ElectionLease lease;
  lease.ns = kLocks;
  lease.name = kElection;
  std::vector<model::PodRef> refs;
  for (const std::string& pod : pods) {
    refs.push_back({.ns = Namespace("team"), .name = PodName(pod), .uid = PodUid("uid-" + pod)});
  }
  lease.in_flight = std::move(refs);
  return kube::EncodeElectionLease(lease);
}

http::Request ElectionRequest(Method method, const std::vector<std::string>& pods) {
  return {.method = method,
          .target = kube::ObjectPath(kube::kLeases, kLocks, kElection.text()),
          .headers = {},
          .body = method == Method::kGet ? "" : ElectionListing(pods)};
}

class Points : public ::testing::Test {
 protected:
  std::vector<Point> Put(const std::vector<std::string>& pods) {
    return finder_.BeforeWrite(ElectionRequest(Method::kPut, pods));
  }
  void Stored(const std::vector<std::string>& pods) {
    const http::Response response{.status = 200, .headers = {}, .body = ElectionListing(pods)};
    EXPECT_THAT(finder_.OnAnswer(ElectionRequest(Method::kGet, {}), response), IsEmpty());
  }

  PointFinder finder_{kElection};
};

TEST_F(Points, AListedPodIsAListWriteAndOneTakenOffARelease) {
  Stored({});
  EXPECT_THAT(Put({}), IsEmpty());  // a renewal
  EXPECT_THAT(Put({"a", "b"}), ElementsAre(Point::kListWrite));
  Stored({"a", "b"});
  EXPECT_THAT(Put({"a", "b"}), IsEmpty());
  EXPECT_THAT(Put({"b"}), ElementsAre(Point::kReleaseWrite));
  EXPECT_THAT(Put({"b", "c"}), ElementsAre(Point::kListWrite, Point::kReleaseWrite));
}

TEST_F(Points, ATakeoverListsNothingOfItsOwn) {
  Stored({"a"});
  EXPECT_THAT(Put({"a"}), IsEmpty());
  EXPECT_THAT(Put({}), ElementsAre(Point::kReleaseWrite));
}

TEST_F(Points, WritesOfTheCommitAreTold) {
  const kube::CommandContext context{kLocks};
  const model::PodRef pod{.ns = Namespace("team"), .name = PodName("a"), .uid = PodUid("u")};
  model::GpuLease lease;
  lease.name = LeaseName("gpu-n-0");
  const auto write = [&](const auto& command) {
    const auto request = kube::RequestOf(command, context);
    EXPECT_TRUE(request.ok()) << request.error();
    return request->request;
  };
  EXPECT_THAT(finder_.BeforeWrite(write(model::CreateLease{lease, {}})),
              ElementsAre(Point::kLeaseWrite));
  EXPECT_THAT(finder_.BeforeWrite(write(model::TouchPod{pod, {}, "one"})),
              ElementsAre(Point::kTouchWrite));
  const http::Request binding = write(model::BindPod{pod, ResourceVersion("7"), {}, {}});
  EXPECT_THAT(finder_.BeforeWrite(binding), ElementsAre(Point::kBindingWrite));
  EXPECT_THAT(finder_.OnAnswer(binding, {.status = 201}), ElementsAre(Point::kBindingAnswer));
}

TEST_F(Points, WhatIsReadOrSaidToPeopleIsNoPoint) {
  const kube::CommandContext context{kLocks};
  const model::PodRef pod{.ns = Namespace("team"), .name = PodName("a"), .uid = PodUid("u")};
  const auto unschedulable = kube::RequestOf(model::SetUnschedulable{pod, {}}, context);
  ASSERT_TRUE(unschedulable.ok()) << unschedulable.error();
  EXPECT_THAT(finder_.BeforeWrite(unschedulable->request), IsEmpty());
  EXPECT_THAT(finder_.BeforeWrite({.target = "/api/v1/pods"}), IsEmpty());
  EXPECT_THAT(finder_.BeforeWrite(ElectionRequest(Method::kGet, {})), IsEmpty());
}

TEST(PointNames, AreReadBack) {
  for (const char* name : {"list-write", "release-write", "lease-write", "binding-write",
                           "binding-answer", "touch-write"}) {
    const auto point = ParsePoint(name);
    ASSERT_TRUE(point) << name;
    EXPECT_EQ(ToString(*point), name);
  }
  EXPECT_FALSE(ParsePoint("lunch"));
}

}  // namespace
}  // namespace gs::crash
