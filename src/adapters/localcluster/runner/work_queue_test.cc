#include "adapters/localcluster/runner/work_queue.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/runner/owner_index.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kNoon = *ParseTime("2026-05-01T12:00:00Z");
const Task kA{Controller::kJob, {"jobs.batch", "team", "a"}};
const Task kB{Controller::kJob, {"jobs.batch", "team", "b"}};

TEST(WorkQueue, GivesWhatIsDueOnceAndInOrder) {
  WorkQueue queue;
  queue.Add(kA, kNoon + seconds(2));
  queue.Add(kB, kNoon + seconds(1));
  queue.Add(kA, kNoon);               // earlier counts
  queue.Add(kB, kNoon + seconds(9));  // later does not
  EXPECT_EQ(queue.NextDue(), kNoon);
  EXPECT_EQ(queue.Pop(kNoon), kA);
  EXPECT_EQ(queue.Pop(kNoon), std::nullopt);
  EXPECT_EQ(queue.Pop(kNoon + seconds(1)), kB);
  EXPECT_EQ(queue.NextDue(), std::nullopt);
}

TEST(WorkQueue, WhatFailsWaitsLongerEveryTime) {
  WorkQueue queue;
  queue.Failed(kA, kNoon);
  EXPECT_EQ(queue.NextDue(), kNoon + milliseconds(5));
  (void)queue.Pop(kNoon + seconds(1));
  queue.Failed(kA, kNoon);
  EXPECT_EQ(queue.NextDue(), kNoon + milliseconds(10));
  for (int i = 0; i < 30; ++i) {
    (void)queue.Pop(kNoon + seconds(60));
    queue.Failed(kA, kNoon);
  }
  EXPECT_EQ(queue.NextDue(), kNoon + seconds(30));
  queue.Succeeded(kA);
  EXPECT_EQ(queue.FailuresOf(kA), 0);
}

TEST(OwnerIndex, FollowsTheReferences) {
  OwnerIndex index;
  const ObjectKey pod{"pods", "team", "a"};
  const auto owned_by = [](std::string_view uids) {
    return *yaml::ParseYaml("metadata: {ownerReferences: " + std::string(uids) + "}");
  };
  EXPECT_FALSE(index.Set(pod, owned_by("[]")));
  EXPECT_TRUE(index.Set(pod, owned_by("[{uid: u1}, {uid: u2}]")));
  EXPECT_FALSE(index.Set(pod, owned_by("[{uid: u1}, {uid: u2}]")));
  EXPECT_EQ(index.OwnedBy("u2"), std::vector{pod});
  EXPECT_TRUE(index.Set(pod, owned_by("[{uid: u1}]")));
  EXPECT_TRUE(index.OwnedBy("u2").empty());
  index.Remove(pod);
  EXPECT_TRUE(index.OwnedBy("u1").empty());
}

}  // namespace
}  // namespace gs::localcluster
