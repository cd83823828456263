// Objects as large as the API server stores them, in lists of many pages and in a watch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/watch_stream.h"
#include "adapters/kube/watch/object_meta.h"
#include "adapters/kube/watch/watch_request.h"
#include "tests/cluster_client/plane_test.h"

namespace gs::testing {
namespace {

using http::Method;
using model::WriteOutcome;
using std::chrono::minutes;

constexpr std::size_t kLargest = (std::size_t{1} << 20) - 64;  // a ConfigMap holds 1 MiB
constexpr int kLarge = 3;
constexpr int kSmall = 30;

class LargeObjectsTest : public PlaneTest {
 protected:
  void SetUp() override {
    PlaneTest::SetUp();
    if (IsSkipped()) return;
    for (int i = 0; i < kLarge + kSmall; ++i) {
      const bool is_large = i % 10 == 0 && i / 10 < kLarge;
      const std::string name = "c" + std::to_string(i);
      const auto made = Create(*client_, kConfigMaps,
                               {{"metadata", {{"name", name}, {"labels", {{"size", "test"}}}}},
                                {"data", {{"x", std::string(is_large ? kLargest : 10, 'x')}}}});
      ASSERT_EQ(made.answer.outcome, WriteOutcome::kDone) << made.answer.reason;
      names_.insert(name);
    }
  }

  [[nodiscard]] kube::Collection collection() const {
    return {
        .resource = kConfigMaps, .ns = ns_, .label_selector = "size=test", .field_selector = ""};
  }

  std::set<std::string> names_;
};

TEST_F(LargeObjectsTest, AListOfManyPagesHasEachObjectOnce) {
  std::set<std::string> listed;
  std::string token;
  int pages = 0;
  std::size_t bytes = 0;
  do {
    const auto outcome = client_->Send(kube::ListRequest(collection(), 2, token));
    ASSERT_TRUE(std::holds_alternative<http::Response>(outcome)) << *http::ErrorOf(outcome);
    const auto& response = std::get<http::Response>(outcome);
    const auto page = kube::ParseListPage(response.body);
    ASSERT_TRUE(page.ok()) << page.error();
    for (const auto& item : page->items) {
      EXPECT_TRUE(listed.insert(kube::ReadObjectMeta(item)->key.name.text()).second);
    }
    token = page->continue_token;
    bytes += response.body.size();
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(listed, names_);
  EXPECT_EQ(pages, (kLarge + kSmall + 1) / 2);
  EXPECT_GT(bytes, kLarge * kLargest);
}

TEST_F(LargeObjectsTest, AWatchBringsLargeObjectsWhole) {
  // Without a version a watch begins with all there is.
  const auto request = kube::WatchRequest(collection(), ResourceVersion(), minutes(1));
  std::set<std::string> watched;
  std::size_t longest = 0;
  kube::WatchStream watch;
  const auto outcome = client_->Stream(request, {}, [&](std::string_view bytes) {
    const auto read = watch.Append(bytes, [&](const kube::WatchFrame& frame) {
      if (frame.event != kube::WatchEvent::kAdded) return true;
      EXPECT_TRUE(watched.insert(kube::ReadObjectMeta(frame.object)->key.name.text()).second);
      longest = std::max(longest, frame.object.size());
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.error();
    return watched.size() < names_.size();
  });
  EXPECT_TRUE(std::holds_alternative<http::Response>(outcome)) << *http::ErrorOf(outcome);
  EXPECT_EQ(watched, names_);
  EXPECT_GT(longest, kLargest);
}

TEST_F(LargeObjectsTest, HalfALargeListIsNoAnswer) {
  proxy_->Once(Method::kGet, "/configmaps", CutAfter{.bytes = kLargest});
  const auto outcome = client_->Send(kube::ListRequest(collection(), 500, ""));
  EXPECT_TRUE(std::holds_alternative<http::Unknown>(outcome));
}

}  // namespace
}  // namespace gs::testing
