#include "programs/scheduler/observe/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "adapters/runtime/io_threads.h"

namespace gs::scheduler {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;

class ObserverTest : public testing::Test {
 protected:
  template <class Value>
  std::future<Value> Spawn(asio::awaitable<Value> work) {
    return asio::co_spawn(asio::make_strand(io_.context()), std::move(work), asio::use_future);
  }
  void Run() {
    observer_.CycleRan(
        {.cycle = cycle_, .commands = {}, .began = {}, .took = Duration(0), .events = {}});
  }

  runtime::Logger log_{{.level = runtime::LogLevel::kError}};
  cycle::Cycle cycle_{{.scheduler = SchedulerName("gpu-scheduler"), .leader = "me"}};
  std::atomic<int> wakes_ = 0;
  Observer observer_{"1", SchedulerName("gpu-scheduler"), log_, [this] { ++wakes_; }};
  runtime::IoThreads io_{2};
};

TEST_F(ObserverTest, MetricsAreThoseOfTheMomentTheyAreAskedFor) {
  model::Node node;
  node.name = NodeName("n1");
  node.gpu_capacity = 3;
  node.allocatable.gpus = 3;
  (void)cycle_.RunOnce(std::vector<model::Event>{model::NodeSeen{node}}, {});
  auto text = Spawn(observer_.MetricsText());
  while (wakes_ == 0) std::this_thread::yield();
  Run();
  const std::string metrics = text.get();
  EXPECT_THAT(metrics, HasSubstr("gpu_scheduler_gpus{state=\"free\"} 3\n"));
  EXPECT_THAT(metrics, HasSubstr("gpu_scheduler_placeable_sets{size=\"2\",topology=\"any\"} 1\n"));
}

TEST_F(ObserverTest, MetricsAreThereWhenTheCycleIsNot) {
  observer_.questions().Close();
  EXPECT_THAT(Spawn(observer_.MetricsText()).get(), HasSubstr("gpu_scheduler_leader 0\n"));
}

TEST_F(ObserverTest, AQuestionThatIsNotAnsweredInTimeHasNoAnswer) {
  const std::function<int(const cycle::Cycle&)> one = [](const cycle::Cycle&) { return 1; };
  EXPECT_EQ(Spawn(Ask<int>(observer_.questions(), std::chrono::milliseconds(1), one)).get(),
            std::nullopt);
  Run();  // too late, and no harm
}

TEST(Questions, MoreThanSomeAreRefused) {
  Questions questions([] {}, 2);
  EXPECT_TRUE(questions.Put([](const cycle::Cycle&) {}));
  EXPECT_TRUE(questions.Put([](const cycle::Cycle&) {}));
  EXPECT_FALSE(questions.Put([](const cycle::Cycle&) {}));
  const cycle::Cycle cycle({.scheduler = SchedulerName("s"), .leader = "me"});
  questions.AnswerAll(cycle);
  EXPECT_TRUE(questions.Put([](const cycle::Cycle&) {}));
}

}  // namespace
}  // namespace gs::scheduler
