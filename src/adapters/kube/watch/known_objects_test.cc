#include "adapters/kube/watch/known_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using News = KnownObjects::News;

ObjectMeta Meta(const std::string& name, const std::string& uid, const std::string& version) {
  return {{"team", name}, uid, ResourceVersion(version)};
}

const News kNoNews;
const News kSeen{.gone = std::nullopt, .is_object_news = true};
News Replaced(const ObjectMeta& gone) { return {.gone = gone, .is_object_news = true}; }

class KnownObjectsTest : public testing::Test {
 protected:
  // A complete list of objects that can all be told.
  std::vector<ObjectMeta> List(const std::string& version, const std::vector<ObjectMeta>& objects) {
    EXPECT_TRUE(known_.BeginList(ResourceVersion(version)));
    for (const auto& object : objects) {
      (void)known_.Note(object);
      known_.MarkTold(object.key);
    }
    return known_.EndList(ResourceVersion(version));
  }

  News See(const ObjectMeta& object) {
    News news = known_.Watched(object);
    if (news.is_object_news) known_.MarkTold(object.key);
    return news;
  }

  KnownObjects known_;
};

TEST_F(KnownObjectsTest, ReachesTheVersionOfACompleteList) {
  EXPECT_TRUE(known_.reached().empty());
  EXPECT_THAT(List("5", {Meta("a", "1", "3")}), IsEmpty());
  EXPECT_EQ(known_.reached(), ResourceVersion("5"));
}

TEST_F(KnownObjectsTest, OnlyWhatIsNewerIsNews) {
  (void)List("5", {Meta("a", "1", "5")});
  EXPECT_EQ(known_.Watched(Meta("a", "1", "5")), kNoNews);
  EXPECT_EQ(known_.Watched(Meta("a", "1", "4")), kNoNews);
  EXPECT_EQ(known_.Watched(Meta("a", "1", "10")), kSeen);
  EXPECT_EQ(known_.Watched(Meta("b", "2", "11")), kSeen);
  EXPECT_EQ(known_.reached(), ResourceVersion("11"));
}

TEST_F(KnownObjectsTest, AnotherUidMeansThatTheFirstIsGone) {
  (void)List("5", {Meta("a", "1", "3")});
  EXPECT_EQ(See(Meta("a", "2", "7")), Replaced(Meta("a", "1", "3")));
  ASSERT_TRUE(known_.BeginList(ResourceVersion("9")));
  EXPECT_EQ(known_.Note(Meta("a", "3", "9")), Replaced(Meta("a", "2", "7")));
}

TEST_F(KnownObjectsTest, AnEarlierNamesakeIsNoNews) {
  (void)List("7", {Meta("a", "2", "7")});
  ASSERT_TRUE(known_.BeginList(ResourceVersion("7")));
  EXPECT_EQ(known_.Note(Meta("a", "1", "3")), kNoNews);
  EXPECT_THAT(known_.EndList(ResourceVersion("7")), IsEmpty());
}

TEST_F(KnownObjectsTest, ACompleteListSaysWhatIsGone) {
  (void)List("5", {Meta("a", "1", "3"), Meta("b", "2", "4"), Meta("c", "3", "5")});
  EXPECT_THAT(List("8", {Meta("b", "2", "4")}),
              ElementsAre(Meta("a", "1", "3"), Meta("c", "3", "5")));
  EXPECT_THAT(List("8", {Meta("b", "2", "4")}), IsEmpty());
}

TEST_F(KnownObjectsTest, AListThatWasNotEndedSaysNothingAboutWhatIsGone) {
  (void)List("5", {Meta("a", "1", "3"), Meta("b", "2", "4")});
  ASSERT_TRUE(known_.BeginList(ResourceVersion("6")));
  EXPECT_EQ(known_.Note(Meta("a", "1", "3")), kNoNews);
  EXPECT_THAT(List("7", {Meta("b", "2", "4")}), ElementsAre(Meta("a", "1", "3")));
}

TEST_F(KnownObjectsTest, AListOlderThanWhatWasToldIsRefused) {
  (void)List("5", {});
  EXPECT_FALSE(known_.BeginList(ResourceVersion("4")));
  (void)known_.Watched(Meta("a", "1", "8"));
  EXPECT_FALSE(known_.BeginList(ResourceVersion("7")));
  EXPECT_TRUE(known_.Bookmarked(ResourceVersion("10")));
  EXPECT_FALSE(known_.BeginList(ResourceVersion("9")));
  EXPECT_TRUE(known_.BeginList(ResourceVersion("10")));
}

TEST_F(KnownObjectsTest, WhatAnUnendedListToldCountsToo) {
  ASSERT_TRUE(known_.BeginList(ResourceVersion("8")));
  EXPECT_EQ(known_.Note(Meta("a", "1", "8")), kSeen);
  EXPECT_FALSE(known_.BeginList(ResourceVersion("7")));
}

TEST_F(KnownObjectsTest, ADeletionIsGoneOnce) {
  (void)List("5", {Meta("a", "1", "3")});
  EXPECT_EQ(known_.Deleted(Meta("a", "1", "8")), Meta("a", "1", "3"));
  EXPECT_EQ(known_.Deleted(Meta("a", "1", "8")), std::nullopt);
  EXPECT_EQ(known_.reached(), ResourceVersion("8"));
}

TEST_F(KnownObjectsTest, AnOldFrameDoesNotBringBackWhatIsGone) {
  (void)List("5", {Meta("a", "1", "3")});
  (void)known_.Deleted(Meta("a", "1", "8"));
  EXPECT_EQ(known_.Watched(Meta("a", "1", "7")), kNoNews);
  EXPECT_EQ(known_.reached(), ResourceVersion("8"));
}

TEST_F(KnownObjectsTest, TheDeletionOfANamesakeDependsOnWhichCameFirst) {
  (void)List("5", {Meta("a", "2", "5")});
  EXPECT_EQ(known_.Deleted(Meta("a", "1", "4")), std::nullopt);
  EXPECT_EQ(known_.Deleted(Meta("a", "3", "9")), Meta("a", "2", "5"));
}

TEST_F(KnownObjectsTest, WhatWasNeverToldIsNeverGone) {
  ASSERT_TRUE(known_.BeginList(ResourceVersion("5")));
  (void)known_.Note(Meta("a", "1", "3"));
  (void)known_.Note(Meta("b", "2", "3"));
  (void)known_.Note(Meta("c", "3", "3"));
  EXPECT_THAT(known_.EndList(ResourceVersion("5")), IsEmpty());
  EXPECT_EQ(known_.Watched(Meta("a", "9", "6")), kSeen);
  EXPECT_EQ(known_.Deleted(Meta("b", "2", "7")), std::nullopt);
  EXPECT_THAT(List("8", {}), IsEmpty());
}

TEST_F(KnownObjectsTest, WhatWasToldOnceStaysToldWhenALaterVersionCannotBe) {
  (void)List("5", {Meta("a", "1", "3")});
  EXPECT_EQ(known_.Watched(Meta("a", "1", "6")), kSeen);  // and not marked
  EXPECT_EQ(known_.Deleted(Meta("a", "1", "7")), Meta("a", "1", "6"));
}

TEST_F(KnownObjectsTest, VersionsThatCannotBeComparedCountAsNewer) {
  (void)List("x", {Meta("a", "1", "y")});
  EXPECT_EQ(known_.Watched(Meta("a", "1", "z")), kSeen);
  EXPECT_EQ(known_.Watched(Meta("a", "1", "z")), kNoNews);
  EXPECT_TRUE(known_.BeginList(ResourceVersion("w")));
}

TEST_F(KnownObjectsTest, AnOldBookmarkIsIgnored) {
  (void)List("5", {});
  EXPECT_FALSE(known_.Bookmarked(ResourceVersion("4")));
  EXPECT_EQ(known_.reached(), ResourceVersion("5"));
}

TEST_F(KnownObjectsTest, ClearingGivesAllThatWasTold) {
  (void)List("5", {Meta("b", "2", "3"), Meta("a", "1", "4")});
  EXPECT_THAT(known_.Clear(), ElementsAre(Meta("a", "1", "4"), Meta("b", "2", "3")));
  EXPECT_THAT(known_.Clear(), IsEmpty());
  EXPECT_FALSE(known_.BeginList(ResourceVersion("4")));
}

}  // namespace
}  // namespace gs::kube
