#include "adapters/localcluster/runner/exec_reply.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

const http::Headers kKubectl{{"Upgrade", "websocket"},
                             {"Sec-WebSocket-Key", "x"},
                             {"Sec-WebSocket-Protocol", "v5.channel.k8s.io,v4.channel.k8s.io"}};

class Kept final : public http::BodyWriter {
 public:
  boost::asio::awaitable<bool> Write(std::string bytes) override {
    written += bytes;
    co_return true;
  }
  [[nodiscard]] std::stop_token stop() const override { return {}; }

  std::string written;
};

class ExecTest : public testing::Test {
 protected:
  ExecTest() {
    (void)outputs_.Begin({"team", "web", "main"}, {{"A", "1"}, {"CUDA_VISIBLE_DEVICES", "0,3"}});
  }
  http::Reply Ask(std::vector<std::string> command, const http::Headers& headers = kKubectl) {
    return AnswerExec(pod_, {.container = "main", .command = std::move(command)}, headers,
                      outputs_);
  }
  // Everything that the client is told.
  std::string Run(std::vector<std::string> command) {
    const auto reply = Ask(std::move(command));
    if (!reply.stream) return reply.response.body;
    Kept kept;
    boost::asio::io_context context;
    auto done = boost::asio::co_spawn(context, reply.stream(kept), boost::asio::use_future);
    context.run();
    done.get();
    return kept.written;
  }

  const Json pod_ = *yaml::ParseYaml(
      "{kind: Pod, metadata: {name: web, namespace: team}, spec: {containers: [{name: main}]}}");
  ContainerOutputs outputs_;
};

TEST_F(ExecTest, EnvPrintsWhatTheContainerWasStartedWith) {
  const auto told = Run({"env"});
  EXPECT_NE(told.find("\x01"
                      "A=1\nCUDA_VISIBLE_DEVICES=0,3\n"),
            std::string::npos);
  EXPECT_NE(told.find(R"("status":"Success")"), std::string::npos);
}

TEST_F(ExecTest, PrintenvPrintsOneOrFails) {
  EXPECT_NE(Run({"printenv", "CUDA_VISIBLE_DEVICES"}).find("0,3\n"), std::string::npos);
  EXPECT_NE(Run({"printenv", "B"}).find("NonZeroExitCode"), std::string::npos);
}

TEST_F(ExecTest, WhatCannotBeRunIsRefused) {
  EXPECT_NE(Run({"bash"}).find("simulated container"), std::string::npos);
  EXPECT_EQ(Ask({"env"}, {}).response.status, 400);
  outputs_.Forget("team", "web");
  EXPECT_EQ(Ask({"env"}).response.status, 500);
}

}  // namespace
}  // namespace gs::localcluster
