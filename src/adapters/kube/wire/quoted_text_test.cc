#include "adapters/kube/wire/quoted_text.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>
#include <cstddef>

namespace gs::kube {
namespace {

std::string Quoted(std::string_view text) {
  std::string json;
  AppendQuoted(text, json);
  return json;
}

TEST(AppendQuoted, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("plain text, longer than a word"), R"("plain text, longer than a word")");
  EXPECT_EQ(Quoted("a\"b\\c\n\x1f" + std::string(1, '\0')), R"("a\"b\\c\u000a\u001f\u0000")");
  EXPECT_EQ(Quoted("\x7f/'<&"), "\"\x7f/'<&\"");
}

TEST(AppendQuoted, LettersOfUtf8Stay) {
  for (const std::string text :
       {"é", "漢字", "😀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", "\xef\xbf\xbd"}) {
    EXPECT_EQ(Quoted(text), '"' + text + '"');
    EXPECT_EQ(Quoted("12345678" + text + "x"), "\"12345678" + text + "x\"");
  }
}

TEST(AppendQuoted, WhatIsNoUtf8IsReplacedByteForByte) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(Quoted("\xff"), '"' + mark + '"');
  EXPECT_EQ(Quoted("a\xc3"), "\"a" + mark + '"');
  EXPECT_EQ(Quoted("\xc0\xaf"), '"' + mark + mark + '"');             // a long form of '/'
  EXPECT_EQ(Quoted("\xed\xa0\x80"), '"' + mark + mark + mark + '"');  // half of a pair
  EXPECT_EQ(Quoted("\xe2\x82z"), '"' + mark + mark + "z\"");          // cut off
  EXPECT_EQ(Quoted("\xf5\x80"), '"' + mark + mark + '"');             // beyond the last letter
}

// Each byte, at each place of the eight that are looked at together.
TEST(AppendQuoted, EveryByteReadsBackFromEveryPlace) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t place = 0; place < 17; ++place) {
      std::string text(17, 'x');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(boost::json::parse(Quoted(text)).as_string(), text) << byte << " at " << place;
    }
  }
}

}  // namespace
}  // namespace gs::kube
