#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "adapters/localcluster/schema/field_fault.h"
#include "adapters/localcluster/schema/schema.h"

namespace gs::localcluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// What is wrong with a schema whose property x is this.
std::vector<std::string> FaultsOf(const std::string& property) {
  std::vector<StatusCause> faults;
  const auto schema = Schema::Compile(
      boost::json::parse(R"({"type":"object","properties":{"x":)" + property + "}}"), "schema",
      faults);
  EXPECT_EQ(schema == nullptr, !faults.empty());
  std::vector<std::string> texts;
  for (const auto& fault : faults) texts.push_back(ToString(fault));
  return texts;
}

TEST(SchemaCompile, AcceptsWhatIsStructural) {
  EXPECT_THAT(FaultsOf(R"({"type":"string","pattern":"^a","maxLength":3})"), IsEmpty());
  EXPECT_THAT(FaultsOf(R"({"x-kubernetes-int-or-string":true,
                           "anyOf":[{"type":"integer"},{"type":"string"}]})"),
              IsEmpty());
  EXPECT_THAT(FaultsOf(R"({"x-kubernetes-preserve-unknown-fields":true})"), IsEmpty());
}

TEST(SchemaCompile, RefusesWhatIsNot) {
  EXPECT_THAT(FaultsOf("{}"),
              ElementsAre("schema.properties[x].type: Required value: must not be empty for "
                          "specified object fields"));
  EXPECT_THAT(FaultsOf(R"({"type":"array"})"),
              ElementsAre("schema.properties[x].items: Required value: must be specified"));
  EXPECT_THAT(
      FaultsOf(R"({"type":"array","x-kubernetes-list-type":"map","items":{"type":"object"}})"),
      ElementsAre("schema.properties[x].x-kubernetes-list-map-keys: Required value: must not "
                  "be empty if x-kubernetes-list-type is map"));
  EXPECT_THAT(FaultsOf(R"({"type":"text"})"),
              ElementsAre(HasSubstr("Unsupported value: \"text\"")));
  EXPECT_THAT(
      FaultsOf(R"({"type":"string","pattern":"("})"),
      ElementsAre(StartsWith("schema.properties[x].pattern: Invalid value: \"(\": must be")));
  EXPECT_THAT(FaultsOf(R"({"type":"string","maxLength":-1})"),
              ElementsAre(StartsWith("schema.properties[x].maxLength: Invalid value: -1")));
  EXPECT_THAT(FaultsOf(R"({"type":"string","$ref":"#/x"})"),
              ElementsAre("schema.properties[x].$ref: Forbidden: is not supported"));
  EXPECT_THAT(FaultsOf(R"({"type":"string","allOf":[{"type":"string"}]})"),
              ElementsAre(StartsWith("schema.properties[x].allOf[0].type: Forbidden")));
}

TEST(SchemaCompile, DefaultsMustBeValid) {
  EXPECT_THAT(
      FaultsOf(R"({"type":"integer","minimum":1,"default":0})"),
      ElementsAre("schema.properties[x].default: Invalid value: 0: "
                  "schema.properties[x].default in body should be greater than or equal to 1"));
}

TEST(SchemaCompile, RulesAreCheckedAgainstTheSchema) {
  EXPECT_THAT(FaultsOf(R"({"type":"object","properties":{"a":{"type":"integer"}},
                           "x-kubernetes-validations":[{"rule":"self.b == 1"}]})"),
              ElementsAre(HasSubstr("undefined field 'b'")));
  EXPECT_THAT(FaultsOf(R"({"type":"string","x-kubernetes-validations":[{"rule":"self == 1"}]})"),
              ElementsAre(HasSubstr("'_==_' applied to '(string, int)'")));
  EXPECT_THAT(FaultsOf(R"({"type":"string","x-kubernetes-validations":[{"message":"m"}]})"),
              ElementsAre("schema.properties[x].x-kubernetes-validations[0].rule: Required value: "
                          "rule is not specified"));
  EXPECT_THAT(
      FaultsOf(R"({"type":"string","x-kubernetes-validations":[
                           {"rule":"true","messageExpression":"1"}]})"),
      ElementsAre(HasSubstr("messageExpression: Invalid value: \"1\": must evaluate to string")));
}

TEST(SchemaCompile, RefusesOldValuesThatCannotBeFound) {
  EXPECT_THAT(FaultsOf(R"({"type":"array","items":{"type":"string",
                           "x-kubernetes-validations":[{"rule":"self == oldSelf"}]}})"),
              ElementsAre(HasSubstr("oldSelf cannot be used on the uncorrelatable portion")));
}

TEST(SchemaCompile, TheRootIsAnObject) {
  std::vector<StatusCause> faults;
  EXPECT_EQ(Schema::Compile(boost::json::parse(R"({"type":"string"})"), "schema", faults), nullptr);
  EXPECT_EQ(faults.size(), 1U);
}

}  // namespace
}  // namespace gs::localcluster
