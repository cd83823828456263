#include "core/model/node_gpus.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto gpus = ParseNodeGpus(text);
  return gpus ? "no error" : ToString(gpus.error());
}

TEST(NodeGpus, ReadsTheAllocatedAnnotation) {
  const auto gpus = ParseNodeGpus("node-a:2,0");
  ASSERT_TRUE(gpus.ok());
  EXPECT_EQ(gpus->node, NodeName("node-a"));
  EXPECT_EQ(gpus->ids, (std::vector<GpuId>{GpuId(2), GpuId(0)}));
}

TEST(NodeGpus, PrintsWhatItReads) {
  for (const auto* text : {"node-a:0", "a.b.c:7,3,5"}) {
    EXPECT_EQ(ToString(ParseNodeGpus(text).value()), text);
  }
  EXPECT_EQ(ToString(ParseNodeGpus(" n : 0 , 1 ").value()), "n:0,1");
}

TEST(NodeGpus, NamesTheColumnOfTheMistake) {
  EXPECT_EQ(ErrorOf(""),
            "line 1, column 1: expected a node name, found the end of the text; "
            "write node:ids, such as node-a:0,1");
  EXPECT_EQ(ErrorOf("node-a"),
            "line 1, column 7: expected ':' after the node name, found the end of the text; "
            "write node:ids, such as node-a:0,1");
  EXPECT_EQ(ErrorOf("node_a:0"),
            "line 1, column 5: bad node name: expected a lower case letter or digit, found '_'; "
            "node names are lower case letters, digits, '-' and '.'");
  EXPECT_EQ(ErrorOf("node-a:"),
            "line 1, column 8: expected a GPU id, found the end of the text; "
            "write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("node-a:0-3"),
            "line 1, column 9: expected ',' or the end of the ids, found '-'; "
            "write node:ids, such as node-a:0,1");
}

}  // namespace
}  // namespace gs::model
