#include "base/ids.h"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>
#include <unordered_set>

namespace gs {
namespace {

TEST(Ids, OfDifferentKindsDoNotMix) {
  EXPECT_FALSE((std::is_convertible_v<NodeName, PodUid>));
  EXPECT_FALSE((std::is_convertible_v<std::string, NodeName>));
  EXPECT_FALSE((std::is_convertible_v<int, GpuId>));
}

TEST(Ids, CompareHashAndPrintLikeTheirValue) {
  EXPECT_LT(NodeName("a"), NodeName("b"));
  EXPECT_LT(GpuId(2), GpuId(10));
  const std::unordered_set<GpuUuid> seen{GpuUuid("GPU-1"), GpuUuid("GPU-1")};
  EXPECT_EQ(seen.size(), 1U);
  std::ostringstream out;
  out << NodeName("node-a") << ':' << GpuId(3);
  EXPECT_EQ(out.str(), "node-a:3");
}

}  // namespace
}  // namespace gs
