#include "adapters/localcluster/select/field_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gs::localcluster {
namespace {

using testing::ElementsAre;

const std::vector<std::string> kPodFields = {"spec.nodeName", "status.phase"};

Result<FieldSelector> ForPods(std::string_view text) {
  return ParseFieldSelector(text, {.kind = "Pod", .fields = kPodFields});
}

std::string RefusalFor(std::string_view kind, std::string_view text) {
  const auto parsed = ParseFieldSelector(text, {.kind = kind, .fields = {}});
  return parsed ? "accepted" : parsed.error().message();
}

TEST(FieldSelector, ReadsTermsInTheOrderOfTheirText) {
  EXPECT_THAT(*ForPods("status.phase!=Failed,spec.nodeName="),
              ElementsAre(FieldTerm{"spec.nodeName", "", false},
                          FieldTerm{"status.phase", "Failed", true}));
  EXPECT_THAT(*ForPods("metadata.name==a"), ElementsAre(FieldTerm{"metadata.name", "a", false}));
  EXPECT_THAT(*ForPods(""), ElementsAre());
}

TEST(FieldSelector, MatchesOrNot) {
  EXPECT_TRUE((FieldTerm{"f", "", false}.Matches("")));
  EXPECT_FALSE((FieldTerm{"f", "a", false}.Matches("b")));
  EXPECT_TRUE((FieldTerm{"f", "a", true}.Matches("b")));
}

TEST(FieldSelector, EscapesCommasAndEqualSigns) {
  EXPECT_THAT(*ForPods(R"(metadata.name=a\,b\=c\\d)"),
              ElementsAre(FieldTerm{"metadata.name", R"(a,b=c\d)", false}));
  EXPECT_EQ(ForPods(R"(metadata.name=a\x)").error().message(),
            R"(invalid field selector: invalid escape sequence: \x)");
  EXPECT_EQ(ForPods("metadata.name=a=b").error().message(),
            "invalid field selector: unescaped character in value: 61");
}

TEST(FieldSelector, KnowsTheOldNameOfTheNode) {
  EXPECT_EQ(ForPods("spec.host=a")->front().field, "spec.nodeName");
}

TEST(FieldSelector, RefusesInTheWordsOfTheServer) {
  EXPECT_EQ(ForPods("spec.x=1").error().message(), "field label not supported: spec.x");
  EXPECT_EQ(ForPods("spec.nodeName").error().message(),
            "invalid selector: 'spec.nodeName'; can't understand 'spec.nodeName'");
  EXPECT_EQ(RefusalFor("ConfigMap", "data=1"),
            R"("data" is not a known field selector: only "metadata.name", "metadata.namespace")");
  EXPECT_EQ(RefusalFor("Job", "spec.x=1"), R"(field label "spec.x" not supported for Job)");
  EXPECT_EQ(RefusalFor("", "spec.x=1"), "field label not supported: spec.x");
  EXPECT_EQ(RefusalFor("Node", "metadata.namespace=a"),
            "field label not supported: metadata.namespace");
}

}  // namespace
}  // namespace gs::localcluster
