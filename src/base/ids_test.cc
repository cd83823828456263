#include "base/ids.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

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
  const std::unordered_set<PodUid> seen{PodUid("uid-1"), PodUid("uid-1")};
  EXPECT_EQ(seen.size(), 1U);
  std::ostringstream out;
  out << NodeName("node-a") << ':' << GpuId(3);
  EXPECT_EQ(out.str(), "node-a:3");
}

// UIDs compare their first bytes before their texts, and nobody may notice.
TEST(Ids, OfPodsAreOrderedAsTheirTexts) {
  const std::vector<std::string> texts{"",        "a",        "ab",        std::string("ab\0", 3),
                                       "abcdefg", "abcdefgh", "abcdefghi", "abcdefgj",
                                       "b",       "\x7f",     "\x80",      "\xff"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      EXPECT_EQ(PodUid(a) <=> PodUid(b), a <=> b) << a << " and " << b;
      EXPECT_EQ(PodUid(a) == PodUid(b), a == b) << a << " and " << b;
    }
  }
}

TEST(Ids, ThatWereMovedFromAreLikeThoseThatNeverWere) {
  PodUid from("0f3a");
  const PodUid to = std::move(from);
  EXPECT_EQ(to, PodUid("0f3a"));
  EXPECT_EQ(from, PodUid());  // NOLINT(bugprone-use-after-move): the point
  EXPECT_TRUE(from.empty());
}

}  // namespace
}  // namespace gs
