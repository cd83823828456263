#include "adapters/yaml/parse.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

namespace gs::yaml {
namespace {

// The JSON form of the text, or the refusal.
std::string Read(std::string_view text) {
  const auto value = ParseYaml(text);
  return value ? boost::json::serialize(*value) : ToString(value.error());
}

std::string ReadAll(std::string_view text) {
  const auto documents = ParseYamlDocuments(text);
  if (!documents) return ToString(documents.error());
  return boost::json::serialize(boost::json::array(documents->begin(), documents->end()));
}

std::string Repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ParseYaml, ReadsBlocksAndFlows) {
  EXPECT_EQ(Read("a: 1\nb:\n- x\n- {c: true, d: ~}\ne: |\n  line\n  line\n"),
            R"({"a":1,"b":["x",{"c":true,"d":null}],"e":"line\nline\n"})");
  EXPECT_EQ(Read("- [1, 2]\n-\n- 'x'"), R"([[1,2],null,"x"])");
  EXPECT_EQ(Read("plain"), R"("plain")");
}

TEST(ParseYaml, KeepsQuotedWordsText) {
  EXPECT_EQ(Read(R"(["1", 'yes', !!str 5, ! 6, "~"])"), R"(["1","yes","5","6","~"])");
}

TEST(ParseYaml, ReadsJsonInFull) {
  EXPECT_EQ(Read("{\n\t\"a\": [1, 2],\n\t\"b\": \"\\ud83d\\ude00\"\n}\n"),
            "{\"a\":[1,2],\"b\":\"\xF0\x9F\x98\x80\"}");
  EXPECT_EQ(Read("{a: 1, b: [x]}"), R"({"a":1,"b":["x"]})");
}

TEST(ParseYaml, MakesKeysText) {
  EXPECT_EQ(Read("1: a\non: b\n'2': c"), R"({"1":"a","true":"b","2":"c"})");
}

TEST(ParseYaml, WritesAliasesOut) {
  EXPECT_EQ(Read("a: &x {b: 1}\nc: *x\nd: [*x]"), R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1}]})");
  EXPECT_EQ(Read("a: &x 1\nb: &x 2\nc: *x"), R"({"a":1,"b":2,"c":2})");
}

TEST(ParseYaml, WantsExactlyOneDocument) {
  EXPECT_EQ(Read(""), "the text has no content");
  EXPECT_EQ(Read("# only a comment\n---\n"), "the text has no content");
  EXPECT_EQ(Read("a: 1\n---\nb: 2"), "expected one document, found 2; remove the lines ---");
  EXPECT_EQ(Read("---\na: 1\n---\n# nothing\n"), R"({"a":1})");
}

TEST(ParseYaml, ReadsSeveralDocuments) {
  EXPECT_EQ(ReadAll("a: 1\r\n---\r\n---\r\nb: \xC3\xA9\r\n...\r\n---\r\n[c]\r\n"),
            "[{\"a\":1},{\"b\":\"\xC3\xA9\"},[\"c\"]]");
  EXPECT_EQ(ReadAll("\xEF\xBB\xBF---\na\n---\nb\n"), R"(["a","b"])");
  EXPECT_EQ(ReadAll(""), "[]");
}

TEST(ParseYaml, RefusesLeftoversInsteadOfTakingThemForADocument) {
  EXPECT_EQ(ReadAll("\"a\" \"b\""),
            "line 1, column 5: unexpected text after the end of the value; "
            "separate documents with a line ---");
  EXPECT_EQ(ReadAll("[a]\nb: 1").substr(0, 14), "line 2, column");
}

TEST(ParseYaml, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(Read("a: 1\nb: [1, 2\n"),
            "line 3, column 1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(Read("a: b: c"), "line 1, column 5: not valid YAML: illegal map value");
  EXPECT_EQ(Read("a:\n\t- b"), "line 2, column 2: not valid YAML: illegal block entry");
  EXPECT_EQ(Read("a: *nowhere"),
            "line 1, column 4: not valid YAML: the referenced anchor is not defined");
  EXPECT_EQ(Read("'open"), "line 1, column 6: not valid YAML: illegal EOF in scalar");
}

TEST(ParseYaml, RefusesAKeyThatAppearsTwice) {
  EXPECT_EQ(Read("a: 1\nb:\n  c: 1\n  c: 2\n"),
            "line 4, column 3: the key \"c\" appears twice in one map");
  EXPECT_EQ(Read("{a: 1, 'a': 2}"), "line 1, column 8: the key \"a\" appears twice in one map");
}

TEST(ParseYaml, RefusesWhatJsonDoesNotHave) {
  EXPECT_EQ(Read("<<: {a: 1}"),
            "line 1, column 1: merge keys (<<) are not supported; write the fields out");
  EXPECT_EQ(Read("a: !!binary aGk="),
            "line 1, column 4: the tag tag:yaml.org,2002:binary is not supported; "
            "only !!str, !!seq and !!map are");
  EXPECT_EQ(Read("a: !mine {}"),
            "line 1, column 4: the tag !mine is not supported; only !!str, !!seq and !!map are");
  EXPECT_EQ(Read("{{ template }}"),
            "line 1, column 2: a list or map cannot be a key; is a quote or a line missing?");
  EXPECT_EQ(Read(": x"), "line 1, column 1: a key is missing");
  EXPECT_EQ(Read("a: .inf"),
            "line 1, column 4: .inf is no number that JSON can express; "
            "put it in quotes if it is meant as text");
}

TEST(ParseYaml, RefusesEscapesThatTheParserMisspells) {
  EXPECT_EQ(
      Read(R"(a: "x\N")"),
      "line 1, column 4: the escapes \\N and \\_ are not supported; write \\u0085 and \\u00A0");
  EXPECT_EQ(Read(R"(a: "\u0085\u00A0\L")"), "{\"a\":\"\xC2\x85\xC2\xA0\xE2\x80\xA8\"}");
}

TEST(ParseYaml, RefusesBytesThatTheParserWouldMisread) {
  EXPECT_EQ(Read("a: 1\nb: \x04\nc: 3"),
            "line 2, column 4: a control character or a byte that is not UTF-8");
  EXPECT_EQ(Read(std::string("\xFE\xFF\0a", 4)),
            "line 1, column 1: a control character or a byte that is not UTF-8");
}

TEST(ParseYaml, RefusesDeepNesting) {
  const std::string deep = "nested deeper than 64 levels, which is the most that is read";
  EXPECT_EQ(Read(Repeated("[", 64) + Repeated("]", 64)), Repeated("[", 64) + Repeated("]", 64));
  EXPECT_EQ(Read(Repeated("[", 65) + Repeated("]", 65)), "line 1, column 65: " + deep);
  EXPECT_EQ(Read(Repeated("- ", 65) + "x"), "line 1, column 129: " + deep);
  EXPECT_EQ(Read(Repeated("{a: ", 65) + "x" + Repeated("}", 65)), "line 1, column 257: " + deep);
}

// What counts is that the answer comes, soon and without a stack overflow.
TEST(ParseYaml, SurvivesHostileNesting) {
  for (const auto* part : {"[",     "{",   "{a: ", "- ",  "? ", "[{a: ", "- ? ",
                           "!a ",   "&a ", "*a ",  "a: ", "\"", "'",     "|\n ",
                           "---\n", "]",   "}",    "%",   "#",  "[a, ",  ", "}) {
    const auto value = ParseYaml(Repeated(part, 100000));
    EXPECT_FALSE(value.ok() && value->is_structured()) << part;
  }
}

TEST(ParseYaml, RefusesAliasBombs) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last +
              Repeated("," + last, 9) + "]\n";
  }
  EXPECT_NE(Read(laughs).find("more than 1000000 values once aliases are written out"),
            std::string::npos);
  // A single long text, repeated, is a bomb as well.
  const std::string copies =
      "a: &a " + std::string(100000, 'x') + "\nb: [*a" + Repeated(",*a", 5000) + "]";
  EXPECT_NE(Read(copies).find("more than 1000000 values"), std::string::npos);
  EXPECT_EQ(Read("&a [*a]"), "line 1, column 5: an alias inside the value it names");
}

TEST(ParseYaml, CountsTheDepthOfAliases) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 70; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  EXPECT_NE(Read(text).find("nested deeper than 64 levels"), std::string::npos);
}

TEST(ParseYaml, TellsWhereKeysWereWritten) {
  const auto placed = ParseYamlWithPlaces("a:\n  b: 1\n  c: {d: [{e: 2}]}\n\nf: 3\n");
  ASSERT_TRUE(placed.ok()) << placed.error();
  EXPECT_EQ(placed->value.at("a").at("b").as_int64(), 1);
  const KeyPlaces expected{{"a", {1, 1}},     {"a.b", {2, 3}},      {"a.c", {3, 3}},
                           {"a.c.d", {3, 7}}, {"a.c.d.e", {3, 12}}, {"f", {5, 1}}};
  EXPECT_EQ(placed->places, expected);
}

TEST(ParseYaml, RefusesPlacesThatGrowWithoutEnd) {
  std::string text = std::string(1000, 'k') + ":\n";
  for (int i = 0; i < 100; ++i) text += "  a" + std::to_string(i) + ": 1\n";
  const Limits limits{.max_nodes = 2000};
  EXPECT_TRUE(ParseYaml(text, limits).ok());
  EXPECT_FALSE(ParseYamlWithPlaces(text, limits).ok());
}

TEST(ParseYaml, RefusesWhatIsTooLarge) {
  const auto value = ParseYaml("a: 12345", {.max_bytes = 4});
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(ToString(value.error()), "the text has 8 bytes; at most 4 are read");
}

}  // namespace
}  // namespace gs::yaml
