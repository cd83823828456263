#include "core/model/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace gs::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Labels, AreSortedAndTheFirstOfANameCounts) {
  const Labels labels{{"b", "1"}, {"a", "2"}, {"b", "3"}};
  EXPECT_THAT(labels, ElementsAre(Pair("a", "2"), Pair("b", "1")));
  EXPECT_EQ(labels, (Labels{{"a", "2"}, {"b", "1"}}));
}

TEST(Labels, FindOnlyWhatIsThere) {
  const Labels labels{{"b", "1"}, {"d", "2"}};
  for (const auto* name : {"", "a", "c", "e", "bb"}) EXPECT_EQ(labels.Find(name), nullptr) << name;
  ASSERT_NE(labels.Find("d"), nullptr);
  EXPECT_EQ(*labels.Find("d"), "2");
  EXPECT_EQ(Labels().Find("a"), nullptr);
}

RC_GTEST_PROP(Labels, BehaveLikeAMap, ()) {
  const auto short_texts = rc::gen::container<std::string>(rc::gen::element('a', 'b'));
  const auto entries =
      *rc::gen::container<std::vector<Labels::value_type>>(rc::gen::pair(short_texts, short_texts));
  Labels labels;
  std::map<std::string, std::string> expected;
  for (const auto& [name, value] : entries) {
    labels.Set(name, value);
    expected.insert_or_assign(name, value);
  }
  RC_ASSERT(std::map(labels.begin(), labels.end()) == expected);
  RC_ASSERT(labels == Labels(std::vector(labels.begin(), labels.end())));
}

}  // namespace
}  // namespace gs::model
