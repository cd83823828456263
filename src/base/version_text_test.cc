#include "base/version_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gs {
namespace {

const std::vector<std::string> kTexts{"",
                                      "0",
                                      "00",
                                      "07",
                                      "7",
                                      "10",
                                      "9",
                                      "999999999999999999",
                                      "1000000000000000000",
                                      "99999999999999999999999999",
                                      "-1",
                                      "+1",
                                      "7a",
                                      " 7",
                                      "v1"};

TEST(VersionText, IsTheTextItWasMadeOf) {
  for (const std::string& text : kTexts) {
    EXPECT_EQ(VersionText(text).text(), text);
    EXPECT_EQ(VersionText(text).empty(), text.empty());
  }
}

TEST(VersionText, IsOrderedAsItsTextIs) {
  for (const std::string& a : kTexts) {
    for (const std::string& b : kTexts) {
      EXPECT_EQ(VersionText(a) <=> VersionText(b), a <=> b) << a << " and " << b;
      EXPECT_EQ(VersionText(a) == VersionText(b), a == b) << a << " and " << b;
    }
  }
}

TEST(VersionText, IsANumberWhereItIsPrintedAsOne) {
  EXPECT_EQ(VersionText("0").number(), 0U);
  EXPECT_EQ(VersionText("999999999999999999").number(), 999'999'999'999'999'999U);
  EXPECT_EQ(VersionText("1000000000000000000").number(), std::nullopt);
  EXPECT_EQ(VersionText("07").number(), std::nullopt);
  EXPECT_EQ(VersionText("").number(), std::nullopt);
}

TEST(VersionText, IsAsLargeAsAPointerAndEmptyOnceItWasMovedFrom) {
  EXPECT_EQ(sizeof(VersionText), sizeof(void*));
  VersionText from("42");
  EXPECT_EQ(VersionText(std::move(from)).text(), "42");
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): what the test is about
}

}  // namespace
}  // namespace gs
