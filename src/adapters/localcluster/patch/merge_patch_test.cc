#include "adapters/localcluster/patch/merge_patch.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

namespace gs::localcluster {
namespace {

std::string Patched(const std::string& document, const std::string& patch) {
  const auto result = ApplyMergePatch(boost::json::parse(document), boost::json::parse(patch));
  return result ? boost::json::serialize(*result) : "refused: " + result.error().message();
}

TEST(MergePatch, MergesObjectsAndReplacesTheRest) {
  EXPECT_EQ(Patched(R"({"a":{"x":1,"y":2},"b":[1,2]})", R"({"a":{"y":3},"b":[3],"c":true})"),
            R"({"a":{"x":1,"y":3},"b":[3],"c":true})");
  EXPECT_EQ(Patched(R"({"a":{"x":1}})", R"({"a":"text"})"), R"({"a":"text"})");
  EXPECT_EQ(Patched(R"({"a":"text"})", R"({"a":{"x":1}})"), R"({"a":{"x":1}})");
}

TEST(MergePatch, NullRemovesAndIsNeverAdded) {
  EXPECT_EQ(Patched(R"({"a":1,"b":2,"c":3})", R"({"a":null,"d":null})"), R"({"b":2,"c":3})");
  EXPECT_EQ(Patched("{}", R"({"a":{"x":null,"y":1},"l":[null,{"x":null}]})"),
            R"({"a":{"y":1},"l":[null,{}]})");
}

TEST(MergePatch, KeepsTheKindOfNumbers) {
  EXPECT_EQ(Patched(R"({"a":1})", R"({"b":18446744073709551615,"c":1.5E0})"),
            R"({"a":1,"b":18446744073709551615,"c":1.5E0})");
}

TEST(MergePatch, RefusesWhatIsNoObject) {
  EXPECT_EQ(Patched("{}", "[]"),
            "refused: error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}");
  EXPECT_EQ(Patched("{}", "null"), "refused: Invalid JSON Patch");
  EXPECT_EQ(Patched("[]", "{}"), "refused: Invalid JSON Document");
}

}  // namespace
}  // namespace gs::localcluster
