#include "adapters/runtime/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>

#include "adapters/runtime/mailbox.h"

namespace gs::runtime {
namespace {

TEST(Signals, CallsForEverySignalInsteadOfDying) {
  Mailbox<int> seen;
  const Signals signals([&seen](int signal) { (void)seen.Push(signal); });
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  EXPECT_EQ(seen.Pop(), SIGTERM);
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  EXPECT_EQ(seen.Pop(), SIGINT);
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  EXPECT_EQ(seen.Pop(), SIGTERM);
}

// As in a program that a shell without job control starts in the background.
TEST(Signals, ArriveThoughTheyWereIgnoredAtTheStart) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    Mailbox<int> seen;
    const Signals signals([&seen](int signal) { (void)seen.Push(signal); });
    ASSERT_EQ(kill(getpid(), SIGINT), 0);
    EXPECT_EQ(seen.Pop(), SIGINT);
  }
  (void)std::signal(SIGINT, before);
}

TEST(Signals, CanEndWithoutASignalAndGivesTheMaskBack) {
  sigset_t before{};
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const Signals signals([](int) {});
  }
  sigset_t after{};
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

}  // namespace
}  // namespace gs::runtime
