#include "adapters/json/object_reader.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

namespace gs::json {
namespace {

constexpr IntegerRange kIds{.min = 0, .max = 65535};

// A little format of its own: every kind of field once.
std::string RefusalOf(std::string_view text, std::string path = "devices[2]") {
  const auto value = boost::json::parse({text.data(), text.size()});
  ObjectReader reader(value, std::move(path));
  (void)reader.RequiredInt("id", kIds);
  (void)reader.Int("count", {.min = 1, .max = 8}, 1);
  (void)reader.Text("name");
  (void)reader.Bool("shared", false);
  (void)reader.Texts("pods");
  (void)reader.Array("links");
  const auto parse = [](std::string_view word) {
    return word == "on" ? std::optional(true) : std::nullopt;
  };
  (void)reader.Word("mode", parse, "on, off", false);
  const auto done = reader.Finish();
  return done ? "accepted" : ToString(done.error());
}

TEST(ObjectReader, ReadsFieldsAndFallsBackWhereTheyAreAbsentOrNull) {
  const auto value =
      boost::json::parse(R"({"id": 7, "name": "x", "on": true, "pods": ["a", "b"], "gone": null})");
  ObjectReader reader(value, "");
  EXPECT_EQ(reader.RequiredInt("id", kIds), 7);
  EXPECT_EQ(reader.RequiredText("name"), "x");
  EXPECT_TRUE(reader.Bool("on", false));
  EXPECT_EQ(reader.Texts("pods"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.Int("gone", kIds, -1), -1);
  EXPECT_EQ(reader.Text("absent", "default"), "default");
  EXPECT_EQ(reader.Raw("gone"), nullptr);
  EXPECT_TRUE(reader.Array("absent").empty());
  EXPECT_TRUE(reader.Finish().ok());
}

TEST(ObjectReader, NamesThePathOfAFieldOfTheWrongKind) {
  EXPECT_EQ(RefusalOf(R"({"id": "x"})"), "devices[2].id: expected a whole number, got \"x\"");
  EXPECT_EQ(RefusalOf(R"({"id": 1.5})"), "devices[2].id: expected a whole number, got 1.5");
  EXPECT_EQ(RefusalOf(R"({"id": 1, "name": {}})"), "devices[2].name: expected text, got an object");
  EXPECT_EQ(RefusalOf(R"({"id": 1, "shared": 1})"),
            "devices[2].shared: expected true or false, got 1");
  EXPECT_EQ(RefusalOf(R"({"id": 1, "pods": ["a", 2]})"),
            "devices[2].pods[1]: expected text, got 2");
  EXPECT_EQ(RefusalOf(R"({"id": 1, "links": true})"),
            "devices[2].links: expected a list, got true");
}

TEST(ObjectReader, RefusesNumbersOutOfRange) {
  EXPECT_EQ(RefusalOf(R"({"id": -1})"), "devices[2].id: expected a number from 0 to 65535, got -1");
  EXPECT_EQ(RefusalOf(R"({"id": 18446744073709551615})"),
            "devices[2].id: expected a number from 0 to 65535, got 18446744073709551615");
  EXPECT_EQ(RefusalOf(R"({"id": 1, "count": 9})"),
            "devices[2].count: expected a number from 1 to 8, got 9");
}

TEST(ObjectReader, RefusesUnknownWords) {
  EXPECT_EQ(RefusalOf(R"({"id": 1, "mode": "odd"})"),
            "devices[2].mode: expected one of on, off, got \"odd\"");
}

TEST(ObjectReader, RefusesMissingAndUnknownFieldsTheUnknownOnesFirst) {
  EXPECT_EQ(RefusalOf("{}"), "devices[2].id: is missing");
  EXPECT_EQ(RefusalOf(R"({"a\nb": 1})").substr(0, 35), "devices[2]: unknown field \"a\\nb\"; k");
  EXPECT_EQ(
      RefusalOf(R"({"Id": 1})"),
      "devices[2]: unknown field \"Id\"; known are id, count, name, shared, pods, links, mode");
}

TEST(ObjectReader, RefusesWhatIsNoObject) {
  EXPECT_EQ(RefusalOf("[1]"), "devices[2]: expected an object, got a list");
  EXPECT_EQ(RefusalOf("3", ""), "expected an object, got 3");
}

TEST(ObjectReader, ShowsOnlyTheBeginningOfLongValues) {
  EXPECT_EQ(Describe(boost::json::value(std::string(100, 'a'))),
            "\"" + std::string(39, 'a') + "...");
  // 38 letters and the quote leave one byte for a two-byte letter, which is left out whole.
  EXPECT_EQ(Describe(boost::json::value(std::string(38, 'a') + "\xc3\xa9 and more")),
            "\"" + std::string(38, 'a') + "...");
}

}  // namespace
}  // namespace gs::json
