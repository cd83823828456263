#include "adapters/runtime/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace gs::runtime {
namespace {

using Leftover = Workers::Leftover;

TEST(Workers, RunEverythingBeforeADrainingStop) {
  std::atomic<int> ran = 0;
  Workers workers(3);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(workers.Submit([&ran](const std::stop_token&) { ++ran; }), Pushed::kTaken);
  }
  workers.Stop(Leftover::kRun);
  EXPECT_EQ(ran, 50);
  EXPECT_EQ(workers.Submit([](const std::stop_token&) {}), Pushed::kClosed);
  workers.Stop(Leftover::kRun);
}

TEST(Workers, ADroppingStopWaitsForWhatRunsAndDropsTheRest) {
  std::latch started(1);
  std::atomic<int> ran = 0;
  Workers workers(1);  // last, so that it ends before what its work refers to
  const auto until_stopped = [&](const std::stop_token& stop) {
    started.count_down();
    while (!stop.stop_requested()) std::this_thread::yield();
    ++ran;
  };
  EXPECT_EQ(workers.Submit(until_stopped), Pushed::kTaken);
  started.wait();
  EXPECT_EQ(workers.Submit([&ran](const std::stop_token&) { ran += 100; }), Pushed::kTaken);
  workers.Stop(Leftover::kDrop);
  EXPECT_EQ(ran, 1);
}

TEST(Workers, RefuseMoreThanMayWait) {
  std::latch go(1);
  std::latch started(1);
  Workers workers(1, 1);
  EXPECT_EQ(workers.Submit([&](const std::stop_token&) {
    started.count_down();
    go.wait();
  }),
            Pushed::kTaken);
  started.wait();
  EXPECT_EQ(workers.Submit([](const std::stop_token&) {}), Pushed::kTaken);
  EXPECT_EQ(workers.Submit([](const std::stop_token&) {}), Pushed::kFull);
  go.count_down();
}

TEST(Workers, WorkMaySubmitWork) {
  std::latch done(1);
  Workers workers(2);
  EXPECT_EQ(workers.Submit([&](const std::stop_token&) {
    EXPECT_EQ(workers.Submit([&](const std::stop_token&) { done.count_down(); }), Pushed::kTaken);
  }),
            Pushed::kTaken);
  done.wait();
}

}  // namespace
}  // namespace gs::runtime
