#include "adapters/localcluster/select/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>
#include <string>

namespace gs::localcluster {
namespace {

using Labels = std::map<std::string, std::string>;

bool Selects(const std::string& selector, const Labels& labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.ok()) << parsed.error();
  return parsed.ok() && parsed->Matches(labels);
}

std::string Refusal(const std::string& selector) {
  const auto parsed = LabelSelector::Parse(selector);
  return parsed ? "accepted as " + ToString(*parsed) : parsed.error().message();
}

Result<LabelSelector> FromText(const std::string& object) {
  const auto value = boost::json::parse(object);
  return LabelSelector::FromObject(&value);
}

TEST(LabelSelector, ComparesValues) {
  EXPECT_TRUE(Selects("a=b", {{"a", "b"}}));
  EXPECT_TRUE(Selects("a==b", {{"a", "b"}, {"c", "d"}}));
  EXPECT_FALSE(Selects("a=b", {{"a", "c"}}));
  EXPECT_FALSE(Selects("a=b", {}));
  EXPECT_TRUE(Selects("a=", {{"a", ""}}));
  EXPECT_TRUE(Selects("a!=b", {{"a", "c"}}));
  EXPECT_TRUE(Selects("a!=b", {}));
  EXPECT_FALSE(Selects("a!=b", {{"a", "b"}}));
}

TEST(LabelSelector, LooksIntoSets) {
  EXPECT_TRUE(Selects("a in (b, c)", {{"a", "c"}}));
  EXPECT_FALSE(Selects("a in (b,c)", {{"a", "d"}}));
  EXPECT_TRUE(Selects("a notin (b,c)", {}));
  EXPECT_FALSE(Selects("a notin (b,c)", {{"a", "b"}}));
  EXPECT_TRUE(Selects("a in ()", {{"a", ""}}));
  EXPECT_TRUE(Selects("a in (,x)", {{"a", ""}}));
}

TEST(LabelSelector, AsksWhetherALabelIsThere) {
  EXPECT_TRUE(Selects("a", {{"a", ""}}));
  EXPECT_FALSE(Selects("a", {{"b", ""}}));
  EXPECT_TRUE(Selects("!a", {{"b", ""}}));
  EXPECT_FALSE(Selects("!a", {{"a", ""}}));
}

TEST(LabelSelector, ComparesNumbers) {
  EXPECT_TRUE(Selects("gpus>3", {{"gpus", "4"}}));
  EXPECT_FALSE(Selects("gpus>3", {{"gpus", "3"}}));
  EXPECT_TRUE(Selects("gpus<3", {{"gpus", "2"}}));
  EXPECT_FALSE(Selects("gpus>3", {{"gpus", "many"}}));
}

TEST(LabelSelector, AllMustHold) {
  const std::string selector = "app=web,tier in (front,back),!old,x.io/y";
  EXPECT_TRUE(Selects(selector, {{"app", "web"}, {"tier", "back"}, {"x.io/y", "1"}}));
  EXPECT_FALSE(Selects(selector, {{"app", "web"}, {"tier", "back"}, {"x.io/y", "1"}, {"old", ""}}));
  EXPECT_TRUE(Selects("", {{"any", "thing"}}));
  EXPECT_TRUE(LabelSelector::Parse(" ")->matches_everything());
}

TEST(LabelSelector, WordsOfOperatorsCanBeNamesAndValues) {
  EXPECT_TRUE(Selects("in in (notin)", {{"in", "notin"}}));
  EXPECT_TRUE(Selects("a=in", {{"a", "in"}}));
}

TEST(LabelSelector, RefusesInTheWordsOfTheServer) {
  EXPECT_EQ(Refusal("a b"),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(Refusal(",a"), "found ',', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(Refusal("a,"), "found '', expected: identifier after ','");
  EXPECT_EQ(Refusal("a=b c"), "found 'c', expected: ',' or 'end of string'");
  EXPECT_EQ(Refusal("!a=b"), "found '=', expected: ',' or 'end of string'");
  EXPECT_EQ(Refusal("a in b"), "unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(Refusal("a in (b"), "unable to parse requirement: found '', expected: ',' or ')'");
  EXPECT_EQ(Refusal("a>x"),
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
  EXPECT_THAT(Refusal("-a"),
              testing::StartsWith("unable to parse requirement: <nil>: Invalid value: \"-a\": name "
                                  "part must consist of alphanumeric characters"));
  EXPECT_THAT(Refusal("a=-b"),
              testing::StartsWith("unable to parse requirement: values[0][a]: Invalid value: "
                                  "\"-b\": a valid label must be an empty string or consist"));
}

TEST(LabelSelector, ReadsObjects) {
  const auto selector = FromText(
      R"({"matchLabels":{"b":"2"},"matchExpressions":[{"key":"a","operator":"In","values":["y","x"]},
          {"key":"c","operator":"DoesNotExist"}]})");
  ASSERT_TRUE(selector.ok()) << selector.error();
  EXPECT_EQ(ToString(*selector), "a in (x,y),b=2,!c");
  const auto labels = boost::json::parse(R"({"a":"x","b":"2"})");
  EXPECT_TRUE(selector->MatchesObject(&labels));
  EXPECT_FALSE(selector->MatchesObject(nullptr));
}

TEST(LabelSelector, NoObjectSelectsNothingAndAnEmptyOneEverything) {
  EXPECT_FALSE(LabelSelector::FromObject(nullptr)->Matches(Labels{}));
  EXPECT_TRUE(FromText("{}")->Matches(Labels{}));
  EXPECT_TRUE(FromText("{}")->matches_everything());
}

TEST(LabelSelector, RefusesObjectsThatMakeNoSense) {
  EXPECT_EQ(FromText(R"({"matchExpressions":[{"key":"a","operator":"Near"}]})").error().message(),
            "\"Near\" is not a valid label selector operator");
  EXPECT_EQ(FromText(R"({"matchExpressions":[{"key":"a","operator":"In"}]})").error().message(),
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_EQ(
      FromText(R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]})")
          .error()
          .message(),
      "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist");
  EXPECT_FALSE(FromText(R"({"matchLabels":{"a":1}})").ok());
}

TEST(LabelSelector, PrintsWhatItReadsBack) {
  for (const auto* text : {"a=b", "a!=b", "a in (b,c)", "a notin (b,c)", "a", "!a", "a<1", "a>1"}) {
    EXPECT_EQ(ToString(*LabelSelector::Parse(text)), text);
  }
}

}  // namespace
}  // namespace gs::localcluster
