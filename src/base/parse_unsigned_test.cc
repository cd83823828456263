#include "base/parse_unsigned.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gs {
namespace {

TEST(ParseUint64, ReadsTheWholeRange) {
  EXPECT_EQ(*ParseUint64("0"), 0U);
  EXPECT_EQ(*ParseUint64("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(*ParseUint64("007"), 7U);
}

TEST(ParseUint64, RefusesEverythingElse) {
  for (const auto* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(ParseUint64(text).ok()) << text;
  }
  EXPECT_EQ(ToString(ParseUint64("one").error()),
            "expected a whole number below 2^64, got \"one\"");
  EXPECT_LT(ToString(ParseUint64(std::string(10000, '9')).error()).size(), 100U);
}

}  // namespace
}  // namespace gs
