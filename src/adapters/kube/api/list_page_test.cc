#include "adapters/kube/api/list_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

TEST(ListPage, ItemsAreByteForByteWhatWasSent) {
  const std::string body =
      "{\"kind\":\"PodList\",\"items\":[ {\"a\" : 1.50, \"b\":\"\\u00e9\"} ,{}],"
      "\"metadata\":{\"resourceVersion\":\"1\"}}";
  const auto page = ParseListPage(body);
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_THAT(page->items, ElementsAre("{\"a\" : 1.50, \"b\":\"\\u00e9\"}", "{}"));
  EXPECT_EQ(page->items[0].data(), body.data() + body.find("{\"a\""));
}

TEST(ListPage, OfSeveralFieldsWithOneNameTheFirstCounts) {
  const auto page = ParseListPage(
      R"({"kind":"PodList","kind":7,"items":[{}],"items":[{},{}],
          "metadata":{"resourceVersion":"1","resourceVersion":"2"}})");
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->resource_version, ResourceVersion("1"));
}

TEST(ListPage, RefusesBrokenJsonAroundTheItems) {
  const std::string start = R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{})";
  for (const std::string end :
       {"", "]", "]}}", "]} x", ",]}", "]]}", "}}", " {}]}", "],}", "],\"more\":tru}",
        "],\"more\":[1,}", "],\"more\":{\"a\"}}", "],\"more\":\"\xff\"}"}) {
    const auto page = ParseListPage(start + end);
    ASSERT_FALSE(page.ok()) << end;
    EXPECT_THAT(ToString(page.error()), HasSubstr("list: is no JSON")) << end;
  }
  EXPECT_TRUE(ParseListPage(start + "]}").ok());
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
  EXPECT_EQ(ToString(ParseListPage("[]").error()), "list: expected an object, got a list");
  EXPECT_EQ(
      ToString(ParseListPage(R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":{}})")
                   .error()),
      "list: items: expected a list, got an object");
}

}  // namespace
}  // namespace gs::kube
