#include "adapters/localcluster/patch/json_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

namespace gs::localcluster {
namespace {

constexpr const char* kDocument =
    R"({"a":{"x":1,"y":[1,2]},"list":[{"k":1},2,"s"],"a/b":1,"m~n":2,"n":null})";

// The patched document, or the kind and message of the refusal.
std::string Patched(const std::string& patch, const std::string& document = kDocument) {
  const auto result = ApplyJsonPatch(boost::json::parse(document), boost::json::parse(patch));
  if (result) return boost::json::serialize(*result);
  return std::string(ToString(result.error().kind())) + ": " + result.error().message();
}

TEST(JsonPatch, AddsReplacesAndRemoves) {
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/b","value":[1]}])", R"({"a":1})"),
            R"({"a":1,"b":[1]})");
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"/a","value":null}])", R"({"a":1,"b":2})"),
            R"({"a":null,"b":2})");
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/a"}])", R"({"a":1,"b":2,"c":3})"),
            R"({"b":2,"c":3})");
}

TEST(JsonPatch, ReachesIntoLists) {
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/l/1","value":9}])", R"({"l":[1,2]})"),
            R"({"l":[1,9,2]})");
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/l/-","value":9}])", R"({"l":[1,2]})"),
            R"({"l":[1,2,9]})");
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/l/-1"}])", R"({"l":[1,2]})"), R"({"l":[1]})");
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"/l/0/k","value":2}])", R"({"l":[{"k":1}]})"),
            R"({"l":[{"k":2}]})");
}

TEST(JsonPatch, EscapesNameSlashesAndTildes) {
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}])",
                    R"({"a/b":1,"m~n":2,"c":3})"),
            R"({"c":3})");
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/~01"}])", R"({"~1":1,"c":3})"), R"({"c":3})");
}

TEST(JsonPatch, MovesAndCopies) {
  EXPECT_EQ(Patched(R"([{"op":"move","from":"/a","path":"/b"}])", R"({"a":{"x":1}})"),
            R"({"b":{"x":1}})");
  EXPECT_EQ(Patched(R"([{"op":"copy","from":"/a","path":"/a/x"}])", R"({"a":{"x":1}})"),
            R"({"a":{"x":{"x":1}}})");
}

TEST(JsonPatch, TestGuardsWhatFollows) {
  EXPECT_EQ(
      Patched(R"([{"op":"test","path":"/a","value":{"y":[2],"x":1}}])", R"({"a":{"x":1,"y":[2]}})"),
      R"({"a":{"x":1,"y":[2]}})");
  EXPECT_EQ(Patched(R"([{"op":"test","path":"/a/x","value":2}])"),
            "conflict: testing value /a/x failed: test failed");
  EXPECT_EQ(Patched(R"([{"op":"test","path":"/none","value":null},{"op":"remove","path":"/a"}])",
                    R"({"a":1})"),
            "{}");
}

TEST(JsonPatch, RefusesInTheWordsOfTheServer) {
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/z/y","value":1}])"),
            "conflict: add operation does not apply: doc is missing path: \"/z/y\": missing value");
  EXPECT_EQ(
      Patched(R"([{"op":"remove","path":"/z"}])"),
      "conflict: error in remove for path: '/z': Unable to remove nonexistent key: z: missing "
      "value");
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"/z/y","value":1}])"),
            "conflict: replace operation does not apply: doc is missing path: /z/y: missing value");
  EXPECT_EQ(
      Patched(R"([{"op":"replace","path":"/list/7","value":1}])"),
      "conflict: replace operation does not apply: doc is missing key: /list/7: missing value");
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/list/x","value":1}])"),
            "conflict: error in add for path: '/list/x': value was not a proper array index: 'x': "
            "strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(
      Patched(R"([{"op":"add","path":"/list/9","value":1}])"),
      "conflict: error in add for path: '/list/9': Unable to access invalid index: 9: invalid "
      "index referenced");
  EXPECT_EQ(Patched(R"([{"op":"jump","path":"/a"}])"), "conflict: Unexpected kind: jump");
}

TEST(JsonPatch, TellsAPatchThatMakesNoSenseFromOneThatDoesNotFit) {
  EXPECT_EQ(Patched(R"({"a":1})"),
            "invalid: error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
  EXPECT_EQ(Patched(R"([{"op":1}])"),
            "invalid: error decoding patch: json: cannot unmarshal number into Go struct field "
            "jsonPatchOp.op of type string");
}

TEST(JsonPatch, ShortPatchesCannotBuildHugeObjects) {
  std::string steps;
  for (int i = 0; i < 60; ++i) {
    steps += R"({"op":"copy","from":"/a","path":"/a/)" + std::to_string(i) + R"("},)";
  }
  steps.pop_back();
  EXPECT_THAT(Patched("[" + steps + "]", R"({"a":{"text":"0123456789"}})"),
              testing::StartsWith("conflict: Unable to complete the copy"));

  std::string path = "/a";
  steps.clear();
  for (int i = 0; i < 80; ++i) {
    steps += R"({"op":"add","path":")" + path + R"(","value":{}},)";
    path += "/a";
  }
  steps.pop_back();
  EXPECT_THAT(Patched("[" + steps + "]", "{}"), testing::HasSubstr("exceeded max depth"));
}

}  // namespace
}  // namespace gs::localcluster
