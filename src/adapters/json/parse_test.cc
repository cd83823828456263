#include "adapters/json/parse.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

namespace gs::json {
namespace {

std::string RefusalOf(std::string_view text) {
  const auto value = ParseJson(text);
  return value ? "accepted: " + boost::json::serialize(*value) : ToString(value.error());
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const std::string text =
      R"({"a":[1,-2,3.5,true,null],"b":{"c":"x\ny"},"d":18446744073709551615})";
  const auto value = ParseJson(" \n" + text + "\n ");
  ASSERT_TRUE(value.ok()) << value.error();
  EXPECT_EQ(value->at("a").as_array().size(), 5U);
  EXPECT_EQ(value->at("b").at("c"), "x\ny");
  EXPECT_EQ(value->at("d").as_uint64(), UINT64_MAX);
  EXPECT_EQ(ParseJson(boost::json::serialize(*value)), value);
}

TEST(ParseJson, NamesLineAndColumnOfASyntaxError) {
  const auto value = ParseJson("{\n  \"a\": 1,\n  \"b\": x\n}");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().place(), (TextPlace{3, 8}));
  EXPECT_EQ(RefusalOf("{\n  \"a\": 1,\n  \"b\": x\n}"),
            "line 3, column 8: not valid JSON: syntax error");
}

TEST(ParseJson, RefusesATextThatEndsEarlyOrGoesOn) {
  EXPECT_EQ(RefusalOf(""), "line 1, column 1: not valid JSON: incomplete JSON");
  EXPECT_EQ(RefusalOf("[1, 2"), "line 1, column 6: not valid JSON: incomplete JSON");
  EXPECT_EQ(RefusalOf("{} {}"),
            "line 1, column 4: not valid JSON: more text after the end of the value");
}

TEST(ParseJson, RefusesAKeyThatAppearsTwiceInOneObject) {
  EXPECT_EQ(RefusalOf(R"({"a": {"b": 1}, "b": 2, "a": 3})"),
            "line 1, column 27: the key \"a\" appears twice in one object");
  // The same key in two objects is fine, and escapes do not hide a repetition.
  EXPECT_TRUE(ParseJson(R"([{"a": 1}, {"a": {"a": 2}}])").ok());
  EXPECT_FALSE(ParseJson(R"({"ab": 1, "\u0061b": 2})").ok());
}

TEST(ParseJson, RefusesWhatIsTooDeepOrTooLarge) {
  EXPECT_TRUE(ParseJson(std::string(64, '[') + std::string(64, ']')).ok());
  const std::string deep(100000, '[');
  EXPECT_EQ(RefusalOf(deep),
            "line 1, column 65: nested deeper than 64 levels, which is the most that is read");
  EXPECT_EQ(ToString(ParseJson("[1,2,3]", {.max_bytes = 5}).error()),
            "the text has 7 bytes; at most 5 are read");
}

TEST(ParseJson, RefusesNumbersThatWouldBecomeInfinite) {
  EXPECT_EQ(RefusalOf("[1e999]"), "line 1, column 7: a number beyond the range of a double");
}

TEST(ParseJson, RefusesWhatIsNotUtf8) { EXPECT_FALSE(ParseJson("\"\xff\"").ok()); }

TEST(ParseJson, CountsLinesAndColumnsFromOne) {
  EXPECT_EQ(PlaceAt("ab\nc", 0), (TextPlace{1, 1}));
  EXPECT_EQ(PlaceAt("ab\nc", 3), (TextPlace{2, 1}));
  EXPECT_EQ(PlaceAt("ab\nc", 99), (TextPlace{2, 2}));
}

}  // namespace
}  // namespace gs::json
