#include "core/model/selector.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(Selector, OperatorsReadBack) {
  for (const auto op :
       {SelectorOperator::kIn, SelectorOperator::kNotIn, SelectorOperator::kExists,
        SelectorOperator::kDoesNotExist, SelectorOperator::kGt, SelectorOperator::kLt}) {
    EXPECT_EQ(ParseSelectorOperator(ToString(op)), op);
  }
  EXPECT_EQ(ParseSelectorOperator("Like"), std::nullopt);
}

TEST(Selector, EveryRequirementMustHold) {
  const LabelSelector selector{{{"app", SelectorOperator::kIn, {"web", "api"}},
                                {"tier", SelectorOperator::kExists, {}},
                                {"old", SelectorOperator::kDoesNotExist, {}},
                                {"zone", SelectorOperator::kNotIn, {"a"}}}};
  EXPECT_TRUE(Matches(selector, Labels{{"app", "api"}, {"tier", "1"}}));
  EXPECT_FALSE(Matches(selector, Labels{{"app", "db"}, {"tier", "1"}}));
  EXPECT_FALSE(Matches(selector, Labels{{"app", "web"}}));
  EXPECT_FALSE(Matches(selector, Labels{{"app", "web"}, {"tier", "1"}, {"old", ""}}));
  EXPECT_FALSE(Matches(selector, Labels{{"app", "web"}, {"tier", "1"}, {"zone", "a"}}));
}

TEST(Selector, WithoutRequirementsMatchesEverything) {
  EXPECT_TRUE(Matches(LabelSelector{}, Labels{}));
  EXPECT_TRUE(Matches(LabelSelector{}, Labels{{"a", "b"}}));
}

TEST(Selector, ComparesWholeNumbersOnly) {
  const Requirement more{"size", SelectorOperator::kGt, {"4"}};
  for (const auto& [value, is_more] : Labels{{"5", "yes"}, {"4", "no"}, {"many", "no"}}) {
    EXPECT_EQ(Matches(more, &value), is_more == "yes") << value;
  }
  EXPECT_FALSE(Matches(more, nullptr));
}

TEST(Selector, PrintsAsPeopleReadIt) {
  EXPECT_EQ(ToString(LabelSelector{{{"app", SelectorOperator::kIn, {"web"}},
                                    {"tier", SelectorOperator::kExists, {}}}}),
            "app In (web) and tier Exists");
  EXPECT_EQ(ToString(LabelSelector{}), "anything");
}

}  // namespace
}  // namespace gs::model
