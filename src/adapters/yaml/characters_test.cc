#include "adapters/yaml/characters.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::yaml {
namespace {

TEST(Characters, AllowsUtf8AndTheThreeUsualControls) {
  EXPECT_EQ(FindForbiddenByte(""), std::nullopt);
  EXPECT_EQ(FindForbiddenByte("a\tb\r\n~"), std::nullopt);
  EXPECT_EQ(FindForbiddenByte("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xEF\xBF\xBD"), std::nullopt);
}

TEST(Characters, FindsControlCharacters) {
  EXPECT_EQ(FindForbiddenByte(std::string("ab\0c", 4)), 2U);
  EXPECT_EQ(FindForbiddenByte("abc\x04"), 3U);
  EXPECT_EQ(FindForbiddenByte("\x7F"), 0U);
}

TEST(Characters, FindsWhatIsNotUtf8) {
  EXPECT_EQ(FindForbiddenByte("a\x80"), 1U);             // continuation without a lead
  EXPECT_EQ(FindForbiddenByte("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(FindForbiddenByte("\xE0\x80\x80"), 0U);      // overlong
  EXPECT_EQ(FindForbiddenByte("\xED\xA0\x80"), 0U);      // surrogate
  EXPECT_EQ(FindForbiddenByte("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(FindForbiddenByte("\xE2\x82"), 0U);          // cut off
  EXPECT_EQ(FindForbiddenByte("\xF0\x9F\x98("
                              "x"),
            0U);  // broken in the middle
}

TEST(Characters, KnowsUtf8WithControls) {
  EXPECT_TRUE(IsUtf8("a\x04\xC3\xA9"));
  EXPECT_FALSE(IsUtf8("a\x85"));
}

TEST(Characters, DropsOneByteOrderMark) {
  EXPECT_EQ(WithoutByteOrderMark("\xEF\xBB\xBF"
                                 "a: 1"),
            "a: 1");
  EXPECT_EQ(WithoutByteOrderMark("a"), "a");
}

}  // namespace
}  // namespace gs::yaml
