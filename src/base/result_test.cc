#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace gs {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error(ErrorKind::kInvalid, std::to_string(number) + " is odd");
  return number / 2;
}

TEST(Result, HoldsTheValue) {
  const auto half = Half(8);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(*half, 4);
}

TEST(Result, HoldsTheError) {
  const auto half = Half(7);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(half.error().message(), "7 is odd");
}

TEST(Result, MovesOutValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> owned(std::make_unique<int>(3));
  const std::unique_ptr<int> number = std::move(owned).value();
  EXPECT_EQ(*number, 3);
}

TEST(Result, AddsContextOnlyToErrors) {
  EXPECT_EQ(*Half(2).Within("outer"), 1);
  EXPECT_EQ(ToString(Half(3).Within("inner").Within("outer").error()), "outer: inner: 3 is odd");
}

TEST(Result, WithoutValueIsSuccessByDefault) {
  EXPECT_TRUE(Result<void>().ok());
  EXPECT_FALSE(Result<void>(Error(ErrorKind::kInternal, "no")).ok());
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorStops) {
  EXPECT_DEATH((void)*Half(3), "check failed");
}

TEST(Error, PrintsContextPlaceMessageAndAdvice) {
  const auto error = Error(ErrorKind::kInvalid, "expected '='")
                         .At({2, 5})
                         .Advise("write index=node:ids")
                         .Within("gpu-scheduling-map")
                         .Within("pod a/b");
  EXPECT_EQ(ToString(error),
            "pod a/b: gpu-scheduling-map: line 2, column 5: expected '='; write index=node:ids");
}

}  // namespace
}  // namespace gs
