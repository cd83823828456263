#include "base/gpu_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>

namespace gs {
namespace {

using ::testing::ElementsAre;

std::string ErrorOf(std::string_view text) {
  const auto ids = ParseGpuIds(text);
  return ids ? "no error" : ToString(ids.error());
}

TEST(ParseGpuIds, ReadsIdsAndRangesInTheOrderWritten) {
  EXPECT_THAT(*ParseGpuIds("3"), ElementsAre(GpuId(3)));
  EXPECT_THAT(*ParseGpuIds("5-7,0,2-2"),
              ElementsAre(GpuId(5), GpuId(6), GpuId(7), GpuId(0), GpuId(2)));
}

TEST(ParseGpuIds, SkipsBlanksAroundIds) {
  EXPECT_THAT(*ParseGpuIds(" 0 ,\t1 , 4 - 5 "),
              ElementsAre(GpuId(0), GpuId(1), GpuId(4), GpuId(5)));
}

TEST(ParseGpuIds, NamesTheColumnOfTheMistake) {
  EXPECT_EQ(
      ErrorOf(""),
      "line 1, column 1: expected a GPU id, found the end of the text; write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("0,,1"),
            "line 1, column 3: expected a GPU id, found ','; write GPU ids as 0,1,2");
  EXPECT_EQ(
      ErrorOf("0,1,"),
      "line 1, column 5: expected a GPU id, found the end of the text; write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("0,1,0"), "line 1, column 5: GPU 0 is listed twice; write each GPU id once");
  EXPECT_EQ(ErrorOf("0-3,2"), "line 1, column 5: GPU 2 is listed twice; write each GPU id once");
  EXPECT_EQ(ErrorOf("4-2"),
            "line 1, column 3: the range runs backwards; write the smaller GPU id first");
  EXPECT_EQ(ErrorOf("0;1"),
            "line 1, column 2: expected ',' or '-' or the end of the list, found ';'; "
            "write GPU ids as 0,2,5-7");
}

TEST(ParseGpuIds, RefusesNegativeAndHugeIds) {
  EXPECT_EQ(ErrorOf("0,-1"),
            "line 1, column 3: -1 is out of range for a GPU id; write a number from 0 to 65535");
  EXPECT_EQ(ErrorOf("65536"),
            "line 1, column 1: 65536 is out of range for a GPU id; write a number from 0 to 65535");
  EXPECT_EQ(ParseGpuIds("0-65535")->size(), 65536U);
  EXPECT_EQ(
      ErrorOf("0-"),
      "line 1, column 3: expected a GPU id, found the end of the text; write GPU ids as 0,1,2");
}

TEST(TakeGpuIds, StopsAtARangeWhereRangesAreRefused) {
  TextCursor cursor("0,1-3");
  EXPECT_THAT(*TakeGpuIds(cursor, IdRanges::kRefused), ElementsAre(GpuId(0), GpuId(1)));
  EXPECT_EQ(cursor.peek(), '-');
}

RC_GTEST_PROP(ParseGpuIds, ReadsBackWhatWasPrinted, ()) {
  const auto numbers = *rc::gen::nonEmpty(
      rc::gen::unique<std::vector<std::int32_t>>(rc::gen::inRange(0, kMaxGpuId + 1)));
  std::vector<GpuId> ids;
  std::transform(numbers.begin(), numbers.end(), std::back_inserter(ids),
                 [](std::int32_t number) { return GpuId(number); });
  RC_ASSERT(*ParseGpuIds(PrintGpuIds(ids)) == ids);
}

}  // namespace
}  // namespace gs
