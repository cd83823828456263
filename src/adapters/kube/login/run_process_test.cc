#include "adapters/kube/login/run_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace gs::kube {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

ProcessCall Shell(const std::string& script) {
  ProcessCall call;
  call.command = "sh";
  call.args = {"-c", script};
  return call;
}

TEST(RunProcess, KeepsBothOutputsAndTheCode) {
  const auto end = RunProcess(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(end.ok()) << end.error();
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->stdout_text, "out\n");
  EXPECT_EQ(end->stderr_text, "err\n");
}

TEST(RunProcess, AddsToTheEnvironment) {
  ProcessCall call = Shell("printf '%s' \"$GREETING\"; test -n \"$PATH\"");
  call.env = {{"GREETING", "first"}, {"GREETING", "hello there"}};
  const auto end = RunProcess(call);
  ASSERT_TRUE(end.ok()) << end.error();
  EXPECT_EQ(end->stdout_text, "hello there");
  EXPECT_EQ(end->exit_code, 0);
}

TEST(RunProcess, ItsInputIsEmpty) { EXPECT_EQ(RunProcess(Shell("cat"))->stdout_text, ""); }

TEST(RunProcess, ASignalIsACodeToo) { EXPECT_EQ(RunProcess(Shell("kill -9 $$"))->exit_code, 137); }

TEST(RunProcess, SaysThatItCannotBeStarted) {
  ProcessCall call;
  call.command = "/no/such/program";
  const auto end = RunProcess(call);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().kind(), ErrorKind::kNotFound);
}

TEST(RunProcess, EndsWhatTakesTooLong) {
  for (const char* script : {"sleep 600", "exec >&- 2>&-; sleep 600"}) {
    ProcessCall call = Shell(script);
    call.timeout = milliseconds(50);
    const auto end = RunProcess(call);
    ASSERT_FALSE(end.ok()) << script;
    EXPECT_THAT(ToString(end.error()), HasSubstr("took too long"));
  }
}

TEST(RunProcess, EndsWhatPrintsTooMuch) {
  const auto end = RunProcess(Shell("cat /dev/zero"));
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(ToString(end.error()), HasSubstr("printed more"));
}

}  // namespace
}  // namespace gs::kube
