#include "adapters/localcluster/tables/json_path.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>

namespace gs::localcluster {
namespace {

std::string Found(const std::string& path) {
  static const auto kObject = boost::json::parse(
      R"({"spec":{"count":3,"a.b":"dots"},"items":[{"x":1},{"x":2}],
          "conditions":[{"type":"A","status":"no"},{"type":"Ready","status":"yes","ok":true}]})");
  const auto parsed = JsonPath::Parse(path);
  if (!parsed) return "refused";
  const auto* found = parsed->FindFirst(kObject);
  return found == nullptr ? "nothing" : boost::json::serialize(*found);
}

TEST(JsonPath, FollowsFieldsAndElements) {
  EXPECT_EQ(Found(".spec.count"), "3");
  EXPECT_EQ(Found(".spec['a.b']"), "\"dots\"");
  EXPECT_EQ(Found(R"(.spec.a\.b)"), "\"dots\"");
  EXPECT_EQ(Found(".items[1].x"), "2");
  EXPECT_EQ(Found(".items[-1].x"), "2");
  EXPECT_EQ(Found(".items[*].x"), "1");
  EXPECT_EQ(Found(".spec.none"), "nothing");
  EXPECT_EQ(Found(".items[7].x"), "nothing");
  EXPECT_EQ(Found(".spec.count.x"), "nothing");
}

TEST(JsonPath, Filters) {
  EXPECT_EQ(Found(R"(.conditions[?(@.type=="Ready")].status)"), "\"yes\"");
  EXPECT_EQ(Found(R"(.conditions[?(@.type == 'A')].status)"), "\"no\"");
  EXPECT_EQ(Found(".conditions[?(@.ok==true)].type"), "\"Ready\"");
  EXPECT_EQ(Found(".items[?(@.x==2)].x"), "2");
  EXPECT_EQ(Found(R"(.conditions[?(@.type=="None")].status)"), "nothing");
}

TEST(JsonPath, RefusesTheRest) {
  for (const auto* path : {"", "spec", ".spec.", "..x", ".a[", ".a[x]", ".a[?(@.x>1)]", ".a[1:2]",
                           ".a[?(x==1)]", ".a]", ".a[?(@.x==y)]"}) {
    EXPECT_EQ(Found(path), "refused") << path;
  }
}

}  // namespace
}  // namespace gs::localcluster
