#include "adapters/runtime/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace gs::runtime {
namespace {

constexpr auto kPast = Mailbox<int>::Deadline::min();

TEST(Mailbox, GivesValuesInTheOrderOfThePushes) {
  Mailbox<int> mailbox;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(mailbox.Push(i), Pushed::kTaken);
  EXPECT_EQ(mailbox.Pop(), 0);
  EXPECT_EQ(mailbox.Drain(), (std::vector<int>{1, 2}));
  EXPECT_EQ(mailbox.size(), 0U);
}

TEST(Mailbox, RefusesWhenFullAndWhenClosed) {
  Mailbox<int> mailbox(1);
  EXPECT_EQ(mailbox.Push(1), Pushed::kTaken);
  EXPECT_EQ(mailbox.Push(2), Pushed::kFull);
  mailbox.Close();
  EXPECT_EQ(mailbox.Push(3), Pushed::kClosed);
  EXPECT_TRUE(mailbox.is_closed());
}

TEST(Mailbox, WhatWasPushedBeforeTheCloseIsStillTaken) {
  Mailbox<int> mailbox;
  EXPECT_EQ(mailbox.Push(1), Pushed::kTaken);
  mailbox.Close();
  EXPECT_EQ(mailbox.Pop(), 1);
  EXPECT_EQ(mailbox.Pop(), std::nullopt);
  EXPECT_TRUE(mailbox.Drain().empty());
}

TEST(Mailbox, APastDeadlineTakesWhatIsThere) {
  Mailbox<int> mailbox;
  EXPECT_EQ(mailbox.Pop(kPast), std::nullopt);
  EXPECT_EQ(mailbox.Push(4), Pushed::kTaken);
  EXPECT_EQ(mailbox.Pop(kPast), 4);
}

TEST(Mailbox, AWaitEndsAtTheDeadline) {
  Mailbox<int> mailbox;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  EXPECT_TRUE(mailbox.Drain(deadline).empty());
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
}

TEST(Mailbox, AStopRequestWakesTheOwnerAndLeavesTheValues) {
  Mailbox<int> mailbox;
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  EXPECT_EQ(mailbox.Pop(Mailbox<int>::kNoDeadline, stop.get_token()), std::nullopt);
  EXPECT_EQ(mailbox.Push(1), Pushed::kTaken);
  EXPECT_TRUE(mailbox.Drain(Mailbox<int>::kNoDeadline, stop.get_token()).empty());
  EXPECT_EQ(mailbox.size(), 1U);
}

TEST(Mailbox, CloseWakesTheOwner) {
  Mailbox<std::unique_ptr<int>> mailbox;
  std::jthread closer([&mailbox] { mailbox.Close(); });
  EXPECT_EQ(mailbox.Pop(), std::nullopt);
}

TEST(Mailbox, LosesNothingOfManyThreadsAndKeepsTheOrderOfEach) {
  Mailbox<int> mailbox;
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&mailbox, t] {
      for (int i = 0; i < kEach; ++i) ASSERT_EQ(mailbox.Push(t * kEach + i), Pushed::kTaken);
    });
  }
  std::vector<int> last(kThreads, -1);
  for (int taken = 0; taken < kThreads * kEach;) {
    for (const int value : mailbox.Drain()) {
      int& before = last.at(static_cast<std::size_t>(value / kEach));
      EXPECT_EQ(value % kEach, before + 1);
      before = value % kEach;
      ++taken;
    }
  }
}

}  // namespace
}  // namespace gs::runtime
