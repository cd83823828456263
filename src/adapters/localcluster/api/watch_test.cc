#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>

#include "adapters/localcluster/api/api_for_test.h"
#include "adapters/localcluster/objects/fields.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "ADDED a" for every frame; bookmarks and errors without a name.
std::vector<std::string> Frames(WatchStream& watch) {
  std::vector<std::string> told;
  for (auto text = watch.Pull(1 << 20); !text.empty(); text = watch.Pull(1 << 20)) {
    for (const auto line : text::Split(text, '\n')) {
      if (line.empty()) continue;
      const auto frame = boost::json::parse(line).as_object();
      std::string one(Text(frame, {"type"}));
      const auto name = Text(frame, {"object", "metadata", "name"});
      if (!name.empty()) one += " " + std::string(name);
      told.push_back(one);
    }
    if (watch.has_ended()) break;
  }
  return told;
}

std::shared_ptr<WatchStream> Open(ApiForTest& cluster, const std::string& query) {
  auto reply = cluster.Get(std::string(kPods) + "?watch=true" + query);
  GS_CHECK(reply.watch != nullptr);
  return reply.watch;
}

TEST(Watch, WithoutAVersionItBeginsWithWhatIsThere) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto watch = Open(cluster, "");
  EXPECT_THAT(Frames(*watch), ElementsAre("ADDED a"));
  cluster.Post(kPods, ApiForTest::Pod("b"));
  cluster.Patch(std::string(kPods) + "/b", "merge", R"({"metadata":{"labels":{"x":"1"}}})");
  cluster.Delete(std::string(kPods) + "/a");
  EXPECT_THAT(Frames(*watch), ElementsAre("ADDED b", "MODIFIED b", "DELETED a"));
  EXPECT_THAT(Frames(*watch), IsEmpty());
}

TEST(Watch, FromAVersionItTellsWhatCameAfter) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto version = std::to_string(cluster.store.revision());
  cluster.Post(kPods, ApiForTest::Pod("b"));
  EXPECT_THAT(Frames(*Open(cluster, "&resourceVersion=" + version)), ElementsAre("ADDED b"));
}

TEST(Watch, ASelectionIsLeftAndEntered) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a", R"(,"labels":{"x":"1"})"));
  const auto watch = Open(cluster, "&labelSelector=x%3D1");
  EXPECT_THAT(Frames(*watch), ElementsAre("ADDED a"));
  cluster.Patch(std::string(kPods) + "/a", "merge", R"({"metadata":{"labels":{"x":"2"}}})");
  const auto left = watch->Pull(1 << 20);
  EXPECT_THAT(left, HasSubstr(R"({"type":"DELETED")"));
  EXPECT_THAT(left, HasSubstr("\"resourceVersion\":\"" + std::to_string(cluster.store.revision())));
  EXPECT_THAT(left, HasSubstr(R"("x":"1")")) << "as it was when it still belonged";
  cluster.Patch(std::string(kPods) + "/a", "merge", R"({"metadata":{"labels":{"x":"1"}}})");
  EXPECT_THAT(Frames(*watch), ElementsAre("ADDED a"));
}

TEST(Watch, OneObjectOrOneNamespace) {
  ApiForTest cluster;
  cluster.Post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  const auto one = cluster.Get(std::string(kPods) + "/a?watch=true").watch;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  cluster.Post(kPods, ApiForTest::Pod("b"));
  cluster.Post("/api/v1/namespaces/other/pods", ApiForTest::Pod("a"));
  EXPECT_THAT(Frames(*one), ElementsAre("ADDED a"));
}

TEST(Watch, ATooOldVersionIsAnError) {
  ApiForTest cluster({.max_changes = 2, .max_old_bytes = std::size_t{1} << 20});
  for (const auto* name : {"a", "b", "c", "d"}) cluster.Post(kPods, ApiForTest::Pod(name));
  const auto watch = Open(cluster, "&resourceVersion=2");
  const auto text = watch->Pull(1 << 20);
  EXPECT_THAT(text, HasSubstr(R"({"type":"ERROR")"));
  EXPECT_THAT(text, HasSubstr("too old resource version: 2 ("));
  EXPECT_THAT(text, HasSubstr(R"("code":410)"));
  EXPECT_TRUE(watch->has_ended());
}

TEST(Watch, BookmarksSayHowFarItIs) {
  ApiForTest cluster;
  const auto plain = Open(cluster, "");
  const auto marked = Open(cluster, "&allowWatchBookmarks=true");
  cluster.Post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"c"}})");
  EXPECT_THAT(Frames(*marked), IsEmpty());
  EXPECT_EQ(plain->Bookmark(), "");
  EXPECT_THAT(marked->Bookmark(), HasSubstr("\"resourceVersion\":\"" +
                                            std::to_string(cluster.store.revision()) + "\""));
}

TEST(Watch, AStreamedListEndsWithABookmark) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto watch =
      Open(cluster,
           "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  const auto text = watch->Pull(1 << 20);
  EXPECT_THAT(text, HasSubstr(R"({"type":"ADDED")"));
  EXPECT_THAT(text, HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?watch=true&sendInitialEvents=true").status, 422);
}

}  // namespace
}  // namespace gs::localcluster
