#include "adapters/kube/write/recent_map.h"

#include <gtest/gtest.h>

namespace gs::kube {
namespace {

TEST(RecentMap, WhatWasNotUsedForLongestGivesWay) {
  RecentMap<int> map(2);
  map.Put("a", 1);
  map.Put("b", 2);
  ASSERT_NE(map.Find("a"), nullptr);
  map.Put("c", 3);
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(*map.Find("a"), 1);
  EXPECT_EQ(*map.Find("c"), 3);
  EXPECT_EQ(map.size(), 2U);
}

TEST(RecentMap, ReplacesAndErases) {
  RecentMap<int> map(2);
  map.Put("a", 1);
  EXPECT_EQ(map.Put("a", 2), 2);
  EXPECT_EQ(map.size(), 1U);
  map.Erase("a");
  map.Erase("a");
  EXPECT_EQ(map.Find("a"), nullptr);
  EXPECT_EQ(map.size(), 0U);
}

}  // namespace
}  // namespace gs::kube
