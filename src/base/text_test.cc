#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace gs::text {
namespace {

using ::testing::ElementsAre;

enum class Colour { kRed, kGreen, kBlue };

constexpr std::array kColours{
    std::pair{Colour::kRed, std::string_view("Red")},
    std::pair{Colour::kGreen, std::string_view("Green")},
};

TEST(Text, TrimsBlanksTabsAndLineEnds) {
  EXPECT_EQ(Trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trim(" \t\r\n"), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(Text, SplitsAndKeepsEmptyFields) {
  EXPECT_THAT(Split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

TEST(Text, JoinsWhatItSplit) {
  const auto print = [](std::string_view field) { return std::string(field); };
  EXPECT_EQ(Join(Split("a,,b,", ','), ",", print), "a,,b,");
  EXPECT_EQ(Join(std::array<std::string_view, 0>{}, ",", print), "");
}

TEST(Text, ComparesAndLowersAsciiLettersOnly) {
  EXPECT_TRUE(EqualsIgnoringCase("NVLink", "nvlink"));
  EXPECT_FALSE(EqualsIgnoringCase("NVLink", "nvlin"));
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));
  EXPECT_EQ(ToLower("Node-A_\xC4"), "node-a_\xC4");
}

TEST(Text, ClassifiesCharacters) {
  EXPECT_TRUE(IsDigit('0') && IsDigit('9') && !IsDigit('a') && !IsDigit('/'));
  EXPECT_TRUE(IsLower('a') && IsLower('z') && !IsLower('A'));
  EXPECT_TRUE(IsUpper('A') && IsUpper('Z') && !IsUpper('['));
}

TEST(Text, NamesEnumeratorsFromATable) {
  EXPECT_EQ(NameOf(kColours, Colour::kGreen), "Green");
  EXPECT_EQ(NameOf(kColours, Colour::kBlue), "?");
  EXPECT_EQ(ValueOf(kColours, "gREEN"), Colour::kGreen);
  EXPECT_EQ(ValueOf(kColours, "Blue"), std::nullopt);
  EXPECT_EQ(NamesOf(kColours), "Red, Green");
}

}  // namespace
}  // namespace gs::text
