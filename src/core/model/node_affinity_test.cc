#include "core/model/node_affinity.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(NodeAffinity, PrintsTermsAsPeopleReadThem) {
  const NodeSelectorTerm term{
      .labels = {{"zone", SelectorOperator::kIn, {"a", "b"}},
                 {"gpu", SelectorOperator::kExists, {}}},
      .fields = {{std::string(kNodeNameField), SelectorOperator::kNotIn, {"node-a"}}}};
  EXPECT_EQ(ToString(term), "zone In (a, b) and gpu Exists and metadata.name NotIn (node-a)");
  EXPECT_EQ(ToString(NodeSelectorTerm{}), "no node");
}

}  // namespace
}  // namespace gs::model
