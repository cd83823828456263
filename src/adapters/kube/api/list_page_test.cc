#include "adapters/kube/api/list_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ListPage, ReadsItemsAndWhereToGoOn) {
  const auto page = ParseListPage(R"({"kind":"PodList","apiVersion":"v1",
    "metadata":{"resourceVersion":"100","continue":"abc","remainingItemCount":1},
    "items":[ {"metadata":{"name":"a"}}, {"metadata":{"name":"b"}} ]})");
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_EQ(page->resource_version, ResourceVersion("100"));
  EXPECT_EQ(page->continue_token, "abc");
  EXPECT_THAT(page->items,
              ElementsAre(R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}})"));
}

TEST(ListPage, TakesAListWithoutItems) {
  const auto page =
      ParseListPage(R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":null})");
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_EQ(page->continue_token, "");
}

TEST(ListPage, RefusesWhatIsNoList) {
  EXPECT_THAT(ToString(ParseListPage(R"({"kind":"Status","metadata":{}})").error()),
              HasSubstr("list: kind: expected a list of objects, got \"Status\""));
  EXPECT_THAT(ToString(ParseListPage(R"({"kind":"PodList","metadata":{},"items":[]})").error()),
              HasSubstr("list: metadata.resourceVersion: is missing"));
  EXPECT_THAT(ToString(ParseListPage("<html>").error()), HasSubstr("list: is no JSON"));
}

}  // namespace
}  // namespace gs::kube
