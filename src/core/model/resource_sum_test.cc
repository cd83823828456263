#include "core/model/resource_sum.h"

#include <gtest/gtest.h>

#include <limits>

namespace gs::model {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(ResourceSum, IsExactWhereTheSumIsMoreThanCanBeRead) {
  const Resources absurd{
      .cpu_milli = kMost, .memory_bytes = kMost, .gpus = kMost, .others = {{"a.com/b", kMost}}};
  const Resources small{.cpu_milli = 1, .memory_bytes = 2, .gpus = 3, .others = {{"a.com/b", 4}}};
  ResourceSum sum;
  sum.Add(absurd);
  sum.Add(absurd);
  sum.Add(small);
  EXPECT_EQ(sum.cpu_milli, kMost);
  EXPECT_EQ(sum.Other("a.com/b"), kMost);
  sum.Remove(absurd);
  EXPECT_EQ(sum.memory_bytes, kMost);
  sum.Remove(absurd);
  EXPECT_EQ(sum.cpu_milli, 1);
  EXPECT_EQ(sum.memory_bytes, 2);
  EXPECT_EQ(sum.gpus, 3);
  EXPECT_EQ(sum.Other("a.com/b"), 4);
  sum.Remove(small);
  EXPECT_EQ(sum.cpu_milli, 0);
  EXPECT_TRUE(sum.others.empty());
}

TEST(ResourceSum, KeepsNoNamesOfNothing) {
  ResourceSum sum;
  sum.Add({.others = {{"a.com/b", 0}}});
  EXPECT_TRUE(sum.others.empty());
  EXPECT_EQ(sum.Other("a.com/b"), 0);
}

}  // namespace
}  // namespace gs::model
