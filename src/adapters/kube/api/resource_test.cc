#include "adapters/kube/api/resource.h"

#include <gtest/gtest.h>

namespace gs::kube {
namespace {

TEST(Resource, HasPathsAsTheApiWritesThem) {
  const Namespace team("team");
  EXPECT_EQ(CollectionPath(kPods, {}), "/api/v1/pods");
  EXPECT_EQ(CollectionPath(kPods, team), "/api/v1/namespaces/team/pods");
  EXPECT_EQ(CollectionPath(kClaims, {}), "/apis/gpu.scheduling/v1/gpuclaims");
  EXPECT_EQ(ObjectPath(kPods, team, "a", "binding"), "/api/v1/namespaces/team/pods/a/binding");
  EXPECT_EQ(ObjectPath(kNodes, {}, "n"), "/api/v1/nodes/n");
  EXPECT_EQ(TitleOf(kLeases), "leases.coordination.k8s.io");
  EXPECT_EQ(TitleOf(kPods), "pods");
}

}  // namespace
}  // namespace gs::kube
