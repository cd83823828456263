#include "core/decide/score/preferred_nodes.h"

#include <gtest/gtest.h>

namespace gs::score {
namespace {

using model::SelectorOperator;
using model::TaintEffect;

model::NodeSelectorTerm Zone(const std::string& zone) {
  return {.labels = {{"zone", SelectorOperator::kIn, {zone}}}, .fields = {}};
}

TEST(PreferredNodes, CostWhatEveryWishThatIsNotMetWeighs) {
  model::PlacementRules rules;
  rules.preferred_nodes = {{30, Zone("a")}, {5, Zone("b")}};
  model::Node node;
  EXPECT_EQ(UnmetWishes(rules, node), 35);
  node.labels.Set("zone", "a");
  EXPECT_EQ(UnmetWishes(rules, node), 5);
  EXPECT_EQ(UnmetWishes({}, node), 0);
}

TEST(PreferredNodes, AWishWithoutTermsIsMetNowhere) {
  model::PlacementRules rules;
  rules.preferred_nodes = {{7, {}}};
  EXPECT_EQ(UnmetWishes(rules, {}), 7);
}

TEST(PreferredNodes, OnlyTaintsThatAreWishesAndNotToleratedAreUnwelcome) {
  model::Node node;
  node.taints = {{"a", "", TaintEffect::kPreferNoSchedule},
                 {"b", "", TaintEffect::kPreferNoSchedule},
                 {"c", "", TaintEffect::kNoSchedule}};
  EXPECT_EQ(UnwelcomeTaints({}, node), 2);
  model::PlacementRules rules;
  rules.tolerations = {{"a", "", model::TolerationOperator::kExists, std::nullopt}};
  EXPECT_EQ(UnwelcomeTaints(rules, node), 1);
}

}  // namespace
}  // namespace gs::score
