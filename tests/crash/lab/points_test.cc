#include "tests/crash/lab/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/write/command_requests.h"

namespace gs::crash {
namespace {

using http::Method;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const SchedulerName kOurs("gpu-scheduler");
const SchedulerName kOther("other");
const Namespace kHome("home");
const Namespace kFence("kube-system");

kube::ReleaseRecord RecordOf(const SchedulerName& scheduler, const std::vector<std::string>& pods) {
  kube::ReleaseRecord record;
  record.scheduler = scheduler;
  record.ns = kHome;
  record.holder = {.pod = PodUid("p"), .process = "1"};
  record.transitions = 1;
  for (const std::string& pod : pods) {
    record.in_flight.push_back(
        {.pod = {.ns = Namespace("team"), .name = PodName(pod), .uid = PodUid("uid-" + pod)},
         .noted = ResourceVersion("1"),
         .gpus = {.node = NodeName("n"), .ids = {GpuId(0)}}});
  }
  return record;
}

std::string FenceOf(const std::vector<kube::ReleaseRecord>& records) {
  kube::FenceLease fence{
      .metadata = {.ns = kFence, .name = LeaseName(std::string(kube::kFenceName))}};
  for (const auto& record : records) fence.records[kube::RecordKey(record.scheduler)] = record;
  return EncodeFenceLease(fence);
}

http::Request FenceRequest(Method method, std::string body) {
  return {.method = method,
          .target = kube::ObjectPath(kube::kLeases, kFence, std::string(kube::kFenceName)),
          .headers = {},
          .body = std::move(body)};
}

class Points : public ::testing::Test {
 protected:
  std::vector<Point> Put(const std::vector<kube::ReleaseRecord>& records) {
    return finder_.BeforeWrite(FenceRequest(Method::kPut, FenceOf(records)));
  }
  std::vector<Point> Put(const std::vector<std::string>& pods) {
    return Put(std::vector{RecordOf(kOurs, pods)});
  }
  void Stored(const std::vector<kube::ReleaseRecord>& records) {
    const http::Response response{.status = 200, .headers = {}, .body = FenceOf(records)};
    EXPECT_THAT(finder_.OnAnswer(FenceRequest(Method::kGet, ""), response), IsEmpty());
  }
  void Stored(const std::vector<std::string>& pods) { Stored(std::vector{RecordOf(kOurs, pods)}); }

  PointFinder finder_{kOurs};
};

TEST_F(Points, AListedPodIsAListWriteAndOneTakenOffAnUnlistWrite) {
  Stored(std::vector<std::string>{});
  EXPECT_THAT(Put(std::vector<std::string>{}), IsEmpty());  // a renewal
  EXPECT_THAT(Put(std::vector<std::string>{"a", "b"}), ElementsAre(Point::kListWrite));
  Stored(std::vector<std::string>{"a", "b"});
  EXPECT_THAT(Put(std::vector<std::string>{"a", "b"}), IsEmpty());
  EXPECT_THAT(Put(std::vector<std::string>{"b"}), ElementsAre(Point::kUnlistWrite));
  EXPECT_THAT(Put(std::vector<std::string>{"b", "c"}),
              ElementsAre(Point::kListWrite, Point::kUnlistWrite));
}

TEST_F(Points, ATakeoverIsTold) {
  kube::ReleaseRecord record = RecordOf(kOurs, {"a"});
  Stored(std::vector{record});
  ++record.transitions;
  EXPECT_THAT(Put(std::vector{record}), ElementsAre(Point::kTakeoverWrite));
  EXPECT_THAT(finder_.BeforeWrite(FenceRequest(Method::kPost, FenceOf({record}))),
              ElementsAre(Point::kTakeoverWrite))
      << "also of a fence that is made anew";
}

TEST_F(Points, WhatOtherReleasesListIsTheirs) {
  const auto ours = RecordOf(kOurs, {"a"});
  Stored(std::vector{ours, RecordOf(kOther, {"x"})});
  EXPECT_THAT(Put(std::vector{ours, RecordOf(kOther, {"y"})}), IsEmpty());
}

TEST_F(Points, WritesOfTheCommitAreTold) {
  const kube::CommandContext context{kHome};
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
  model::BindPod bind{pod, ResourceVersion("7"), {}, {}};
  EXPECT_THAT(finder_.BeforeWrite(write(bind)), IsEmpty()) << "a pod without GPUs is not listed";
  bind.allocation.gpus = {.node = NodeName("n"), .ids = {GpuId(0)}};
  const http::Request binding = write(bind);
  EXPECT_THAT(finder_.BeforeWrite(binding), ElementsAre(Point::kBindingWrite));
  EXPECT_THAT(finder_.OnAnswer(binding, {.status = 201}), ElementsAre(Point::kBindingAnswer));
}

TEST_F(Points, WhatIsReadOrSaidToPeopleIsNoPoint) {
  const kube::CommandContext context{kHome};
  const model::PodRef pod{.ns = Namespace("team"), .name = PodName("a"), .uid = PodUid("u")};
  const auto unschedulable = kube::RequestOf(model::SetUnschedulable{pod, {}}, context);
  ASSERT_TRUE(unschedulable.ok()) << unschedulable.error();
  EXPECT_THAT(finder_.BeforeWrite(unschedulable->request), IsEmpty());
  EXPECT_THAT(finder_.BeforeWrite({.target = "/api/v1/pods"}), IsEmpty());
  EXPECT_THAT(finder_.BeforeWrite(FenceRequest(Method::kGet, "")), IsEmpty());
}

TEST(PointNames, AreReadBack) {
  for (const char* name : {"takeover-write", "list-write", "unlist-write", "lease-write",
                           "binding-write", "binding-answer", "touch-write"}) {
    const auto point = ParsePoint(name);
    ASSERT_TRUE(point) << name;
    EXPECT_EQ(ToString(*point), name);
  }
  EXPECT_FALSE(ParsePoint("lunch"));
}

}  // namespace
}  // namespace gs::crash
