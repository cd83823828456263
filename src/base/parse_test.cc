#include "base/parse.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace gs {
namespace {

TEST(ParseInteger, ReadsTheWholeRange) {
  EXPECT_EQ(*ParseInt64("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(*ParseInt64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*ParseInt32("-2147483648"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(*ParseInt32("007"), 7);
}

TEST(ParseInteger, RefusesWhatIsOutOfRange) {
  EXPECT_FALSE(ParseInt64("9223372036854775808").ok());
  EXPECT_FALSE(ParseInt32("2147483648").ok());
  EXPECT_EQ(ToString(ParseInt32("-1", {0, 9}).error()),
            "line 1, column 1: -1 is out of range for an integer; write a number from 0 to 9");
}

TEST(ParseInteger, RefusesEverythingButDigitsAndMinus) {
  for (const auto* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "--1", "one"}) {
    EXPECT_FALSE(ParseInt64(text).ok()) << text;
  }
  EXPECT_EQ(ToString(ParseInt64("12x").error()),
            "line 1, column 3: expected a digit or the end, found 'x'");
}

TEST(ParseInteger, ShortensEndlessNumbersInItsMessage) {
  EXPECT_LT(ToString(ParseInt64(std::string(100000, '9')).error()).size(), 200U);
}

TEST(TakeInteger, StopsBehindTheLastDigit) {
  TextCursor cursor("12,3");
  EXPECT_EQ(*TakeInteger(cursor, "a number", {}), 12);
  EXPECT_EQ(cursor.peek(), ',');
}

TEST(TakeInteger, NamesThePlaceWhereTheNumberBegins) {
  TextCursor cursor("a99999");
  ASSERT_TRUE(cursor.Take('a'));
  const auto number = TakeInteger(cursor, "a GPU id", {0, 65535});
  EXPECT_EQ(number.error().place(), (TextPlace{1, 2}));
}

RC_GTEST_PROP(ParseInteger, ReadsBackWhatWasPrinted, (std::int64_t number)) {
  RC_ASSERT(*ParseInt64(std::to_string(number)) == number);
}

}  // namespace
}  // namespace gs
