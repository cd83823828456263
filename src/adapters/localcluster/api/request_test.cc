#include "adapters/localcluster/api/request.h"

#include <gtest/gtest.h>

namespace gs::localcluster {
namespace {

ResourcePath Path(std::string group, std::string ns, std::string plural, std::string name = "",
                  std::string part = "") {
  return {.group = std::move(group),
          .version = "v1",
          .ns = std::move(ns),
          .plural = std::move(plural),
          .name = std::move(name),
          .subresource = std::move(part)};
}

TEST(ResourcePath, ComesWithAndWithoutANamespace) {
  EXPECT_EQ(ParseResourcePath("/api/v1/pods"), Path("", "", "pods"));
  EXPECT_EQ(ParseResourcePath("/api/v1/namespaces/a/pods/b/status"),
            Path("", "a", "pods", "b", "status"));
  EXPECT_EQ(ParseResourcePath("/apis/apps/v1/namespaces/a/deployments"),
            Path("apps", "a", "deployments"));
  EXPECT_EQ(ParseResourcePath("/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab"),
            Path("rbac.authorization.k8s.io", "", "clusterroles", "a:b"));
}

TEST(ResourcePath, ANamespaceIsAnObjectToo) {
  EXPECT_EQ(ParseResourcePath("/api/v1/namespaces"), Path("", "", "namespaces"));
  EXPECT_EQ(ParseResourcePath("/api/v1/namespaces/a"), Path("", "", "namespaces", "a"));
  EXPECT_EQ(ParseResourcePath("/api/v1/namespaces/a/finalize"),
            Path("", "", "namespaces", "a", "finalize"));
}

TEST(ResourcePath, OthersAreNone) {
  EXPECT_EQ(ParseResourcePath("/api/v1"), std::nullopt);
  EXPECT_EQ(ParseResourcePath("/metrics"), std::nullopt);
  EXPECT_EQ(ParseResourcePath("/api/v1/namespaces/a/pods/b/c/d"), std::nullopt);
}

TEST(Query, IsDecoded) {
  const Query query("watch=1&limit=5&a=b%20c&flag&bad=%zz");
  EXPECT_TRUE(query.Flag("watch"));
  EXPECT_TRUE(query.Flag("flag"));
  EXPECT_FALSE(query.Flag("none"));
  EXPECT_EQ(query.Number("limit"), 5);
  EXPECT_EQ(query.Number("a"), std::nullopt);
  EXPECT_EQ(query.Text("a"), "b c");
  EXPECT_FALSE(query.Has("bad"));
}

}  // namespace
}  // namespace gs::localcluster
