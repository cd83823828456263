#include "adapters/kube/write/write_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "adapters/json/parse.h"

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

ObjectTarget Lease(std::string name) {
  return {.resource = kLeases, .ns = Namespace("locks"), .name = std::move(name)};
}

std::string TypeOf(const WriteRequest& write) {
  const std::string* type = write.request.headers.Find("Content-Type");
  return type == nullptr ? "" : *type;
}

TEST(WriteRequest, CreatesInTheCollection) {
  const auto write = CreateRequest(kLeases, Namespace("locks"), "{}");
  ASSERT_TRUE(write.ok()) << write.error();
  EXPECT_EQ(write->request.method, http::Method::kPost);
  EXPECT_EQ(write->request.target,
            "/apis/coordination.k8s.io/v1/namespaces/locks/leases?fieldManager=gpu-scheduler");
  EXPECT_EQ(TypeOf(*write), "application/json");
  EXPECT_EQ(write->request.body, "{}");
  EXPECT_EQ(write->verb, WriteVerb::kCreate);
}

TEST(WriteRequest, UpdatesTheObjectOrItsStatus) {
  const auto whole = UpdateRequest(Lease("gpu-a-0"), "{}", "an agent");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->request.method, http::Method::kPut);
  EXPECT_EQ(whole->request.target,
            "/apis/coordination.k8s.io/v1/namespaces/locks/leases/gpu-a-0?fieldManager=an%20agent");
  EXPECT_EQ(whole->verb, WriteVerb::kOther);

  const auto status = UpdateRequest(
      {.resource = kNodeStatuses, .ns = {}, .name = "node-a", .subresource = "status"}, "{}");
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->request.target,
            "/apis/gpu.scheduling/v1/gpunodestatuses/node-a/status?fieldManager=gpu-scheduler");
}

TEST(WriteRequest, PostsToASubresourceWhereNothingExistsAlready) {
  const auto write = PostRequest({kPods, Namespace("team"), "a", "binding"}, "{}");
  ASSERT_TRUE(write.ok());
  EXPECT_EQ(write->request.method, http::Method::kPost);
  EXPECT_EQ(write->request.target,
            "/api/v1/namespaces/team/pods/a/binding?fieldManager=gpu-scheduler");
  EXPECT_EQ(write->verb, WriteVerb::kOther);
}

TEST(WriteRequest, EveryPatchSaysWhatItIs) {
  struct Case {
    PatchKind kind;
    const char* type;
    const char* query;
  };
  const Case cases[] = {
      {PatchKind::kMerge, "application/merge-patch+json", "?fieldManager=m"},
      {PatchKind::kJson, "application/json-patch+json", "?fieldManager=m"},
      {PatchKind::kStrategic, "application/strategic-merge-patch+json", "?fieldManager=m"},
      {PatchKind::kApply, "application/apply-patch+yaml", "?fieldManager=m"},
      {PatchKind::kForcedApply, "application/apply-patch+yaml", "?fieldManager=m&force=true"},
  };
  for (const auto& [kind, type, query] : cases) {
    const auto write = PatchRequest({kNodes, Namespace(), "n", "status"}, kind, "{}", "m");
    ASSERT_TRUE(write.ok()) << write.error();
    EXPECT_EQ(write->request.method, http::Method::kPatch);
    EXPECT_EQ(write->request.target, "/api/v1/nodes/n/status" + std::string(query));
    EXPECT_EQ(TypeOf(*write), type);
  }
}

TEST(WriteRequest, DeletesUnderPreconditions) {
  const auto body = [](const Preconditions& wanted, std::optional<std::chrono::seconds> grace) {
    const auto write = DeleteRequest(Lease("gpu-a-0"), wanted, grace);
    EXPECT_EQ(write->request.method, http::Method::kDelete);
    EXPECT_EQ(write->request.target,
              "/apis/coordination.k8s.io/v1/namespaces/locks/leases/gpu-a-0");
    return *json::ParseJson(write->request.body);
  };
  EXPECT_EQ(body({"u1", ResourceVersion("7")}, std::chrono::seconds(0)),
            *json::ParseJson(R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,
                                 "preconditions":{"uid":"u1","resourceVersion":"7"}})"));
  EXPECT_EQ(body({}, {}), *json::ParseJson(R"({"apiVersion":"v1","kind":"DeleteOptions"})"));
}

TEST(WriteRequest, ANameCannotChangeThePath) {
  for (const auto* name : {"", ".", "..", "a/b", "../a", "a?b", "a%2fb", "a#b", "a b", "A", "a\r\n",
                           "a/../../secrets"}) {
    EXPECT_FALSE(DeleteRequest(Lease(name), {}).ok()) << name;
    EXPECT_FALSE(UpdateRequest(Lease(name), "{}").ok()) << name;
    EXPECT_FALSE(PatchRequest(Lease(name), PatchKind::kMerge, "{}").ok()) << name;
    EXPECT_FALSE(PostRequest(Lease(name), "{}").ok()) << name;
    EXPECT_FALSE(CreateRequest(kLeases, Namespace(name), "{}").ok()) << name;
    EXPECT_FALSE(DeleteRequest({kLeases, Namespace(name), "a"}, {}).ok()) << name;
  }
}

TEST(WriteRequest, ARefusalShowsTheName) {
  EXPECT_THAT(ToString(DeleteRequest(Lease("a/b"), {}).error()), HasSubstr("name \"a/b\": "));
  EXPECT_THAT(ToString(DeleteRequest({kNodes, Namespace("team"), "n"}, {}).error()),
              HasSubstr("nodes have no namespace, got \"team\""));
}

RC_GTEST_PROP(WriteRequest, APathAlwaysEndsWithTheName, (std::string name)) {
  const auto write = DeleteRequest(Lease(name), {});
  if (!write) return;
  RC_ASSERT(!name.empty());
  RC_ASSERT(write->request.target ==
            "/apis/coordination.k8s.io/v1/namespaces/locks/leases/" + name);
  RC_ASSERT(std::ranges::count(write->request.target, '/') == 7);
}

}  // namespace
}  // namespace gs::kube
