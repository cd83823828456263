#include "programs/scheduler/pod_removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "adapters/json/parse.h"
#include "adapters/kube/write/server_for_test.h"

namespace gs::scheduler {
namespace {

using ::testing::HasSubstr;

constexpr Duration kTimeout = std::chrono::seconds(10);

UnseenPod Unseen(bool is_of_job) {
  return {.pod = {Namespace("team"), PodName("a"), PodUid("u1")},
          .version = ResourceVersion("7"),
          .controller = ControllerUid("c"),
          .is_of_job = is_of_job};
}

http::Response Answer(const http::Request& request) {
  const bool is_patch = request.method == http::Method::kPatch;
  return {
      .status = 200,
      .headers = {},
      .body = is_patch ? R"({"metadata":{"name":"a","uid":"u1","resourceVersion":"8"}})" : "{}"};
}

TEST(RemovePod, DeletesThePodAsItWasSeen) {
  kube::ServerForTest server(Answer);
  ASSERT_TRUE(RemovePod(server.client(), Unseen(false), kTimeout).ok());
  const auto requests = server.Await(1);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, http::Method::kDelete);
  EXPECT_EQ(requests[0].target, "/api/v1/namespaces/team/pods/a");
  EXPECT_THAT(requests[0].body, HasSubstr(R"({"uid":"u1","resourceVersion":"7"})"));
}

TEST(RemovePod, AJobDoesNotCountItsPodAsFailed) {
  kube::ServerForTest server(Answer);
  ASSERT_TRUE(RemovePod(server.client(), Unseen(true), kTimeout).ok());
  const auto requests = server.Await(2);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, http::Method::kPatch);
  EXPECT_EQ(requests[0].target, "/api/v1/namespaces/team/pods/a/status?fieldManager=gpu-scheduler");
  EXPECT_EQ(*json::ParseJson(requests[0].body),
            *json::ParseJson(R"({"metadata":{"uid":"u1","resourceVersion":"7",
                "$deleteFromPrimitiveList/finalizers":["batch.kubernetes.io/job-tracking"]}})"));
  EXPECT_EQ(requests[1].method, http::Method::kDelete);
  EXPECT_THAT(requests[1].body, HasSubstr(R"({"uid":"u1","resourceVersion":"8"})"));
}

TEST(RemovePod, AJobsPodThatHasChangedIsLeftAlone) {
  kube::ServerForTest server([](const http::Request&) {
    return http::Response{.status = 409,
                          .headers = {},
                          .body = R"({"kind":"Status","reason":"Conflict","message":"changed"})"};
  });
  const auto done = RemovePod(server.client(), Unseen(true), kTimeout);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(ToString(done.error()), HasSubstr("409 Conflict: changed"));
  EXPECT_EQ(server.Await(1).size(), 1U);
}

}  // namespace
}  // namespace gs::scheduler
