#include "adapters/kube/watch/watch_request.h"

#include <gtest/gtest.h>

#include <chrono>

namespace gs::kube {
namespace {

TEST(WatchRequest, AListIsAlwaysAnsweredFromTheStore) {
  const auto request = ListRequest({.resource = kPods}, 500, "");
  EXPECT_EQ(request.method, http::Method::kGet);
  EXPECT_EQ(request.target, "/api/v1/pods?limit=500");
}

TEST(WatchRequest, OnlyBuiltInKindsMayBeProtobuf) {
  const auto accept = [](const http::Request& request) {
    const std::string* header = request.headers.Find("Accept");
    return header == nullptr ? "" : *header;
  };
  const std::string either = "application/vnd.kubernetes.protobuf,application/json;q=0.9";
  for (const auto& resource : {kPods, kNodes, kLeases, kNamespaces, kVolumeClaims, kCsiNodes}) {
    EXPECT_EQ(accept(ListRequest({.resource = resource}, 500, "x")), either) << resource.plural;
  }
  for (const auto& resource : {kClaims, kNodeStatuses, Resource{"example", "v1", "pods"}}) {
    EXPECT_EQ(accept(ListRequest({.resource = resource}, 500, "")), "") << resource.plural;
  }
  EXPECT_EQ(accept(WatchRequest({.resource = kPods}, ResourceVersion("7"), {})), either);
  EXPECT_EQ(accept(WatchRequest({.resource = kClaims}, ResourceVersion("7"), {})), "");
}

TEST(WatchRequest, FurtherPagesCarryTheToken) {
  EXPECT_EQ(ListRequest({.resource = kNodes}, 2, "a=&b").target,
            "/api/v1/nodes?limit=2&continue=a%3D%26b");
}

TEST(WatchRequest, SelectorsAreEncoded) {
  const Collection locks{.resource = kLeases,
                         .ns = Namespace("locks"),
                         .label_selector = "a/b=true,!c",
                         .field_selector = "metadata.name!=x"};
  const std::string path =
      "/apis/coordination.k8s.io/v1/namespaces/locks/leases?labelSelector=a%2Fb%3Dtrue%2C%21c"
      "&fieldSelector=metadata.name%21%3Dx";
  EXPECT_EQ(ListRequest(locks, 500, "").target, path + "&limit=500");
  EXPECT_EQ(WatchRequest(locks, ResourceVersion("7"), std::chrono::minutes(5)).target,
            path + "&watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300");
}

}  // namespace
}  // namespace gs::kube
