#include "tests/crash/lab/traps.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace gs::crash {
namespace {

const http::Request kBinding{.method = http::Method::kPost,
                             .target = "/pods/a/binding",
                             .headers = {},
                             .body = R"({"gpu.scheduling/allocated":"n:0"})"};

TEST(Traps, SpringOnceAtTheRightTime) {
  std::vector<Point> sprung;
  const auto traps =
      std::make_shared<Traps>(SchedulerName("s"),
                              std::vector<Trap>{{.point = Point::kBindingWrite, .pass = 2},
                                                {.point = Point::kBindingAnswer}},
                              [&sprung](const Trap& trap) { sprung.push_back(trap.point); });
  const http::ClientHooks hooks = Traps::HooksOf(traps);
  hooks.before_write(kBinding);
  EXPECT_TRUE(sprung.empty());
  for (int i = 0; i < 3; ++i) hooks.before_write(kBinding);
  EXPECT_EQ(sprung, std::vector{Point::kBindingWrite});
  hooks.on_answer(kBinding, {});
  EXPECT_EQ(sprung, (std::vector{Point::kBindingWrite, Point::kBindingAnswer}));
}

TEST(SpringForReal, StopsTheProcessUntilItIsContinued) {
  const pid_t child = fork();
  if (child == 0) {
    SpringForReal({.fate = Fate::kStop});
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(SpringForReal, KillsTheProcess) {
  const pid_t child = fork();
  if (child == 0) {
    SpringForReal({.fate = Fate::kKill});
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace gs::crash
