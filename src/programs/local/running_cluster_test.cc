#include "programs/local/running_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "programs/local/folder_for_test.h"

namespace gs::local {
namespace {

RunningCluster Sample() {
  return {.process = 4,
          .version = "1",
          .server = "https://127.0.0.1:1",
          .kubeconfig = "k",
          .nodes = "laptop",
          .log = "l",
          .is_bare = true,
          .started = TimePoint(std::chrono::seconds(1'700'000'000))};
}

TEST(RunningCluster, IsFoundWhileItsMarkLives) {
  const FolderForTest folder;
  {
    const auto mark = RunningMark::Take(folder.path(), "a");
    ASSERT_TRUE(mark.ok()) << ToString(mark.error());
    ASSERT_TRUE(mark->Tell(Sample()).ok());
    const auto found = FindRunning(folder.path(), "a");
    ASSERT_TRUE(found.ok()) << ToString(found.error());
    EXPECT_EQ(*found, Sample());
    EXPECT_EQ(*FindRunning(folder.path(), "b"), std::nullopt);
  }
  EXPECT_EQ(*FindRunning(folder.path(), "a"), std::nullopt);
  EXPECT_TRUE(folder.IsEmpty());
}

TEST(RunningCluster, OnlyOneHasAName) {
  const FolderForTest folder;
  const auto mark = RunningMark::Take(folder.path(), "a");
  ASSERT_TRUE(mark->Tell(Sample()).ok());
  const auto second = RunningMark::Take(folder.path(), "a");
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(ToString(second.error()),
              testing::HasSubstr("running already at https://127.0.0.1:1"));
  EXPECT_TRUE(RunningMark::Take(folder.path(), "b").ok());
}

TEST(RunningCluster, WhatAKilledOneLeftIsNotBelieved) {
  const FolderForTest folder;
  std::ofstream(folder.path() / "a.json") << "{}";
  EXPECT_EQ(*FindRunning(folder.path(), "a"), std::nullopt);
  EXPECT_TRUE(RunningMark::Take(folder.path(), "a").ok());
}

}  // namespace
}  // namespace gs::local
