#include "adapters/localcluster/definitions/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "adapters/localcluster/definitions/definition_rules.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/rules.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr const char* kDefinition = R"({
  "metadata":{"name":"toys.example.com"},
  "spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"toys","kind":"Toy","shortNames":["ty"]},
    "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
      "selectableFields":[{"jsonPath":".spec.color"}],
      "schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","properties":{
          "count":{"type":"integer","minimum":1,"default":2},
          "color":{"type":"string"}}},
        "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

class DefinitionsTest : public testing::Test {
 protected:
  DefinitionsTest() {
    rules_.CheckCustomBy([this](Attempt& attempt) { return definitions_.Admit(attempt); });
    (void)Create("namespaces", R"({"metadata":{"name":"default"}})");
  }
  Answer<ObjectPtr> Create(std::string_view resource, std::string_view text) {
    const auto kind = kinds_.Find(resource);
    GS_CHECK(kind != nullptr);
    return objects_.Create(*kind, "default", json::parse(text).as_object());
  }

  Store store_;
  Kinds kinds_;
  runtime::ManualClock clock_;
  ObjectNames names_{1};
  Definitions definitions_{store_, kinds_, clock_};
  Rules rules_{store_, names_};
  Objects objects_{store_, kinds_, clock_, names_,
                   [this](Attempt& attempt) { return rules_.Admit(attempt); }};
};

TEST_F(DefinitionsTest, ADefinitionIsServedAtOnce) {
  const auto made = Create(kDefinitions, kDefinition);
  ASSERT_TRUE(made.ok()) << made.status().message;
  const auto definition = ParseStored((*made)->text);
  EXPECT_EQ(Text(definition, {"spec", "names", "singular"}), "toy");
  EXPECT_THAT((*made)->text, HasSubstr(R"("type":"Established","status":"True")"));
  const auto kind = kinds_.Find("example.com", "v1", "toys");
  ASSERT_NE(kind, nullptr);
  EXPECT_TRUE(kind->Has("status"));
  const auto toy =
      Create("toys.example.com", R"({"metadata":{"name":"a"},"spec":{"color":"red","size":9}})");
  ASSERT_TRUE(toy.ok()) << toy.status().message;
  const auto object = ParseStored((*toy)->text);
  EXPECT_EQ(MaybeInt(object, {"spec", "count"}), 2);
  EXPECT_EQ(Find(object, {"spec", "size"}), nullptr) << "fields it does not have are pruned";
  EXPECT_EQ((*toy)->fields.at(0), "red");
}

TEST_F(DefinitionsTest, ObjectsAreCheckedByTheSchema) {
  ASSERT_TRUE(Create(kDefinitions, kDefinition).ok());
  const auto refused =
      Create("toys.example.com", R"({"metadata":{"name":"a"},"spec":{"count":0}})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message,
            R"(Toy.example.com "a" is invalid: spec.count: Invalid value: 0: spec.count in body )"
            "should be greater than or equal to 1");
}

TEST_F(DefinitionsTest, BadDefinitionsAreRefused) {
  std::string other = kDefinition;
  other.replace(other.find("toys.example.com"), 16, "toy.example.com ");
  EXPECT_FALSE(Create(kDefinitions, other).ok());
  std::string untyped = kDefinition;
  untyped.replace(untyped.find(R"("minimum":1)"), 11, R"("minimum":"x")");
  EXPECT_FALSE(Create(kDefinitions, untyped).ok());
  EXPECT_EQ(kinds_.Find("example.com", "v1", "toys"), nullptr);
}

TEST_F(DefinitionsTest, ObjectsGoWithTheirDefinition) {
  ASSERT_TRUE(Create(kDefinitions, kDefinition).ok());
  ASSERT_TRUE(Create("toys.example.com", R"({"metadata":{"name":"a"}})").ok());
  ASSERT_TRUE(objects_.Delete(*kinds_.Find(kDefinitions), "", "toys.example.com").ok());
  EXPECT_EQ(kinds_.Find("example.com", "v1", "toys"), nullptr);
  EXPECT_TRUE(store_.List("toys.example.com").objects.empty());
}

}  // namespace
}  // namespace gs::localcluster
