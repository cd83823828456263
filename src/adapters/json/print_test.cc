#include "adapters/json/print.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace gs::json {
namespace {

TEST(PrettyJson, IndentsObjectsAndKeepsFlatListsOnOneLine) {
  const auto value =
      boost::json::parse(R"({"ids":[0,1],"nested":[{"a":"x"},[]],"none":{},"text":"\"q\""})");
  EXPECT_EQ(PrettyJson(value),
            "{\n"
            "  \"ids\": [0, 1],\n"
            "  \"nested\": [\n"
            "    {\n"
            "      \"a\": \"x\"\n"
            "    },\n"
            "    []\n"
            "  ],\n"
            "  \"none\": {},\n"
            "  \"text\": \"\\\"q\\\"\"\n"
            "}");
}

TEST(PrettyJson, PrintsBareValues) {
  EXPECT_EQ(PrettyJson(nullptr), "null");
  EXPECT_EQ(PrettyJson(boost::json::array()), "[]");
}

}  // namespace
}  // namespace gs::json
