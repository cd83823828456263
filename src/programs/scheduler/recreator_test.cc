#include "programs/scheduler/recreator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "adapters/runtime/mailbox.h"
#include "core/model/event.h"

namespace gs::scheduler {
namespace {

UnseenPod Unseen(const std::string& name, const std::string& controller) {
  return {.pod = {Namespace("team"), PodName(name), PodUid("uid-" + name)},
          .version = ResourceVersion("7"),
          .controller = ControllerUid(controller)};
}

class RecreatorTest : public testing::Test {
 protected:
  std::string NextRemoved() {
    const auto pod = removed_.Pop(std::chrono::steady_clock::now() + std::chrono::minutes(1));
    return pod ? pod->pod.name.text() : "nobody";
  }
  // Whether one of the same controller is, now; the other is a sign that it was looked at.
  bool IsRemoved(const std::string& name) {
    recreator_.Tell({Unseen(name, "set"), Unseen("sign", "sign of " + name)});
    if (NextRemoved() != name) return false;
    EXPECT_EQ(NextRemoved(), "sign");
    return true;
  }
  // How often the webhook was asked so far; waits until it was asked once more.
  void AwaitQuestion() {
    (void)questions_.Drain(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  }

  runtime::ManualClock clock_;
  std::atomic<bool> is_there_ = true;
  runtime::Mailbox<bool> questions_;
  runtime::Mailbox<UnseenPod> removed_;
  Recreator recreator_{{.is_webhook_there =
                            [this] {
                              const bool is_there = is_there_;  // as it was before it was told
                              (void)questions_.Push(true);
                              return is_there;
                            },
                        .remove = [this](const UnseenPod& pod) { (void)removed_.Push(pod); }},
                       clock_,
                       std::chrono::milliseconds(1)};
};

TEST_F(RecreatorTest, WaitsUntilTheWebhookIsThere) {
  is_there_ = false;
  recreator_.Tell({Unseen("a", "set")});
  AwaitQuestion();
  is_there_ = true;
  recreator_.Tell({Unseen("b", "set"), Unseen("c", "set")});
  EXPECT_EQ(NextRemoved(), "b");
  EXPECT_EQ(NextRemoved(), "c");
}

TEST_F(RecreatorTest, LeavesAControllerAloneThatWasDealtWithForLongerEachTime) {
  EXPECT_TRUE(IsRemoved("first"));
  EXPECT_FALSE(IsRemoved("at once"));
  clock_.Advance(Recreator::kFirstPause);
  EXPECT_TRUE(IsRemoved("second"));
  clock_.Advance(Recreator::kFirstPause);
  EXPECT_FALSE(IsRemoved("too soon"));
  clock_.Advance(Recreator::kFirstPause);
  EXPECT_TRUE(IsRemoved("third"));
}

TEST_F(RecreatorTest, ForgetsAfterALongTimeHowOftenAControllerWasDealtWith) {
  EXPECT_TRUE(IsRemoved("first"));
  clock_.Advance(2 * Recreator::kLongestPause);
  EXPECT_TRUE(IsRemoved("long after"));
  clock_.Advance(Recreator::kFirstPause);
  EXPECT_TRUE(IsRemoved("soon after that"));
}

model::Pod PodOf(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.resource_version = ResourceVersion("7");
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.controller = model::Controller{"ReplicaSet", ControllerUid("set")};
  pod.annotations = {{"gpu.scheduling/claim", "one"}};
  return pod;
}

TEST(FindUnseen, FindsWhatWasNeverBoundAndWillBeMadeAnew) {
  cache::Cache cache({.scheduler = SchedulerName("gpu-scheduler")});
  std::vector<model::Event> events{model::PodSeen{PodOf("lost")}};
  const auto add = [&](const std::string& name, auto change) {
    model::Pod pod = PodOf(name);
    change(pod);
    events.emplace_back(model::PodSeen{std::move(pod)});
  };
  add("seen", [](model::Pod& pod) { pod.has_visible_devices_variable = true; });
  add("of-a-job", [](model::Pod& pod) {
    pod.controller = model::Controller{"Job", ControllerUid("job")};
  });
  add("bare", [](model::Pod& pod) { pod.controller.reset(); });
  add("bound", [](model::Pod& pod) { pod.node = NodeName("node-a"); });
  add("ending", [](model::Pod& pod) { pod.is_terminating = true; });
  add("over", [](model::Pod& pod) { pod.phase = model::PodPhase::kFailed; });
  add("foreign", [](model::Pod& pod) { pod.scheduler = SchedulerName("other"); });
  add("without-gpus", [](model::Pod& pod) { pod.annotations = {}; });
  for (const auto& event : events) (void)cache.Apply(event, TimePoint{});
  UnseenPod of_a_job = Unseen("of-a-job", "job");
  of_a_job.is_of_job = true;
  EXPECT_THAT(FindUnseen(cache, SchedulerName("gpu-scheduler")),
              testing::UnorderedElementsAre(Unseen("lost", "set"), of_a_job));
}

}  // namespace
}  // namespace gs::scheduler
