#include "adapters/yaml/print.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "adapters/yaml/parse.h"

namespace gs::yaml {
namespace {

TEST(PrintYaml, LooksAsPeopleWriteIt) {
  const auto value = boost::json::parse(
      R"({"kind":"Pod","metadata":{"name":"a","labels":{}},"spec":{"containers":[{"name":"c","args":["one","two"]}]}})");
  EXPECT_EQ(PrintYaml(value),
            "kind: Pod\nmetadata:\n  name: a\n  labels: {}\nspec:\n  containers:\n  - name: c\n"
            "    args:\n    - one\n    - two\n");
}

TEST(PrintYaml, IsReadBackAsTheSameValue) {
  for (
      const auto* text :
      {R"({"a":"yes","b":"1e3","c":"0x1f","d":"null","e":"","f":" x","g":"a: b","h":"#c","i":"- d"})",
       R"({"multi":"one\ntwo\n\tthree","quote":"\"x\\","unicode":"grün","low":"\u0001"})",
       R"([[1,2],[],[[{"a":null}]],{},-5,1.5,true,"2024-01-01T00:00:00Z"])",
       R"({"yes":{"12":"a","a b":[],"gpu.scheduling/claim":"x"},"~":"~","=":"="})", R"("plain")"}) {
    const auto value = boost::json::parse(text);
    const auto again = ParseYaml(PrintYaml(value));
    ASSERT_TRUE(again.ok()) << ToString(again.error()) << "\n" << PrintYaml(value);
    EXPECT_EQ(*again, value) << PrintYaml(value);
  }
}

}  // namespace
}  // namespace gs::yaml
