#include "adapters/answers/place_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::answers {
namespace {

using testing::HasSubstr;

const TimePoint kNow{std::chrono::hours(24 * 365 * 50)};

Result<PlaceRequest> Read(const std::string& text) {
  return ReadPlaceRequest(text, kNow, Namespace("team"));
}

std::string Refusal(const std::string& text) {
  const auto request = Read(text);
  return request ? "read" : ToString(request.error());
}

constexpr const char* kPod = "{kind: Pod, spec: {containers: [{name: c}]}}\n";
constexpr const char* kClaim =
    "{kind: GpuClaim, metadata: {name: two}, spec: {devices: {count: 2}}}\n";

TEST(PlaceRequest, MakesUpWhatOnlyAStoredObjectHas) {
  const auto request = Read(kPod);
  ASSERT_TRUE(request.ok()) << request.error();
  EXPECT_EQ(request->pod.ref.ns, Namespace("team"));
  EXPECT_FALSE(request->pod.ref.name.empty());
  EXPECT_EQ(request->pod.created, kNow);
  EXPECT_FALSE(request->claim);
}

TEST(PlaceRequest, RequestsWhatIsLimitedUnlessMoreIsSaid) {
  const auto request = Read(
      "{kind: Pod, spec: {containers: ["
      "{name: a, resources: {limits: {nvidia.com/gpu: 2, cpu: 4}, requests: {cpu: 1}}},"
      "{name: b, resources: {limits: {nvidia.com/gpu: '1'}}}, {name: c, resources: {}}]}}");
  ASSERT_TRUE(request.ok()) << request.error();
  EXPECT_EQ(request->pod.requests.gpus, 3);
  EXPECT_EQ(request->pod.requests.cpu_milli, 1000);
}

TEST(PlaceRequest, TakesAClaimAloneOrWithThePodThatNamesItInAnyOrder) {
  const auto alone = Read(kClaim);
  ASSERT_TRUE(alone.ok()) << alone.error();
  EXPECT_EQ(alone->claim->devices.count, 2);
  for (const auto& [first, second] : {std::pair(kPod, kClaim), std::pair(kClaim, kPod)}) {
    const auto both = Read(std::string(first) + "---\n" + second);
    ASSERT_TRUE(both.ok()) << both.error();
    EXPECT_EQ(both->claim->devices.count, 2);
    EXPECT_EQ(both->pod.created, kNow);
  }
}

TEST(PlaceRequest, SaysWhatElseIsNotUnderstood) {
  EXPECT_THAT(Refusal(""), HasSubstr("the body is empty"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("the body is no object"));
  EXPECT_THAT(Refusal("kind: Job"), HasSubstr("expected Pod or GpuClaim, got Job"));
  EXPECT_THAT(Refusal(std::string(kPod) + "---\n" + kPod), HasSubstr("one is a GpuClaim"));
  EXPECT_THAT(Refusal(std::string(kPod) + "---\n" + kClaim + "---\n" + kPod),
              HasSubstr("more than two objects"));
  EXPECT_THAT(Refusal("{kind: Pod, spec: {nodeName: n1}}"), HasSubstr("on a node already"));
}

}  // namespace
}  // namespace gs::answers
