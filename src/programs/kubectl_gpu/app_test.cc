#include "programs/kubectl_gpu/app.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gs::kubectl_gpu {
namespace {

struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

Ended Started(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = Run(args, "1.2.3", out, err);
  return {.code = code, .out = out.str(), .err = err.str()};
}

const std::string kMachine = std::string(GS_SOURCE_DIR) + "/examples/machines/pcie-2socket.yaml";

TEST(App, AnswersOnStdoutWithZero) {
  const Ended ended = Started({"choose", "--machine", kMachine, "--count", "2"});
  EXPECT_EQ(ended.code, kExitDone);
  EXPECT_EQ(ended.out.substr(0, 9), "GPUs 0,1 ");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(Started({"--version"}).out, "kubectl-gpu 1.2.3\n");
}

TEST(App, TellsWrongInputOnStderrInOneLineWithTwo) {
  const Ended ended = Started({"choose", "--machine", kMachine, "--count", "2", "--free", "0,9"});
  EXPECT_EQ(ended.code, kExitBadInput);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "kubectl-gpu: --free: the machine has no GPU 9; it has 0,1,2,3,4,5,6,7\n");
  EXPECT_EQ(Started({}).code, kExitBadInput);
}

TEST(App, TellsThatThereIsNoSetOnStdoutWithThree) {
  const Ended ended = Started({"choose", "--machine", kMachine, "--count", "9"});
  EXPECT_EQ(ended.code, kExitNo);
  EXPECT_EQ(ended.out, "no set: asked for 9 GPUs, the node has 8\n");
  EXPECT_EQ(ended.err, "");
}

TEST(App, FailsWhenTheAnswerCannotBeWritten) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(kubectl_gpu::Run({"--version"}, "1", out, err), kExitFailed);
  EXPECT_EQ(err.str(), "kubectl-gpu: the answer could not be written\n");
}

}  // namespace
}  // namespace gs::kubectl_gpu
