#include "core/model/rare_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RareList, IsAsLargeAsAPointer) { EXPECT_EQ(sizeof(RareList<std::string>), sizeof(void*)); }

TEST(RareList, HasWhatIsPutIntoIt) {
  RareList<std::string> list;
  EXPECT_THAT(list, IsEmpty());
  EXPECT_EQ(list.size(), 0U);
  list.push_back("a");
  list.push_back("b");
  EXPECT_THAT(list, ElementsAre("a", "b"));
  list.clear();
  EXPECT_THAT(list, IsEmpty());
}

TEST(RareList, IsComparedByItems) {
  const RareList<std::string> list{"a"};
  EXPECT_EQ(list, std::vector<std::string>{"a"});
  EXPECT_NE(list, RareList<std::string>());
  RareList<std::string> emptied = list;
  emptied.clear();
  EXPECT_EQ(emptied, RareList<std::string>());
  EXPECT_THAT(list, ElementsAre("a"));  // a copy is one of its own
}

}  // namespace
}  // namespace gs::model
