#include "adapters/localcluster/runner/log_reply.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <future>

#include "adapters/runtime/mailbox.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

const TimePoint kNoon = *ParseTime("2026-05-01T12:00:00Z");

const Json kPod = *yaml::ParseYaml(R"(
kind: Pod
metadata: {name: web, namespace: team}
spec: {nodeName: node1, containers: [{name: main}]}
)");

// Passes on what is written.
class Pieces final : public http::BodyWriter {
 public:
  boost::asio::awaitable<bool> Write(std::string bytes) override {
    (void)written.Push(std::move(bytes));
    co_return true;
  }
  [[nodiscard]] std::stop_token stop() const override { return stopping.get_token(); }

  runtime::Mailbox<std::string> written;
  std::stop_source stopping;
};

void AppendTo(ContainerLog& log, std::string_view text) {
  log.Append(ContainerLog::Output::kOut, text, kNoon);
}

TEST(LogReply, ShowsWhatThereIs) {
  ContainerOutputs outputs;
  AppendTo(*outputs.Begin({"team", "web", "main"}, {}), "one\ntwo\nthree\n");
  EXPECT_EQ(AnswerLog(kPod, {}, outputs, kNoon).response.body, "one\ntwo\nthree\n");
  EXPECT_EQ(AnswerLog(kPod, {.tail_lines = 1}, outputs, kNoon).response.body, "three\n");
  EXPECT_EQ(AnswerLog(kPod, {.limit_bytes = 5}, outputs, kNoon).response.body, "one\nt");
  EXPECT_EQ(
      AnswerLog(kPod, {.since_seconds = 10}, outputs, kNoon + std::chrono::hours(1)).response.body,
      "");
}

TEST(LogReply, TheRunBeforeTheLatestIsThePreviousOne) {
  ContainerOutputs outputs;
  AppendTo(*outputs.Begin({"team", "web", "main"}, {}), "first\n");
  const auto none = AnswerLog(kPod, {.is_previous = true}, outputs, kNoon);
  EXPECT_EQ(none.response.status, 400);
  EXPECT_NE(none.response.body.find("previous terminated container"), std::string::npos);
  AppendTo(*outputs.Begin({"team", "web", "main"}, {}), "second\n");
  EXPECT_EQ(AnswerLog(kPod, {.is_previous = true}, outputs, kNoon).response.body, "first\n");
}

TEST(LogReply, RefusesInTheWordsOfAKubelet) {
  const ContainerOutputs outputs;
  const auto waiting = AnswerLog(kPod, {}, outputs, kNoon);
  EXPECT_EQ(waiting.response.status, 400);
  EXPECT_NE(waiting.response.body.find("is waiting to start: ContainerCreating"),
            std::string::npos);
  const auto wrong = AnswerLog(kPod, {.container = "x"}, outputs, kNoon);
  EXPECT_NE(wrong.response.body.find("container x is not valid for pod web"), std::string::npos);
  Json two = kPod;
  two.at("spec").at("containers").as_array().push_back({{"name", "proxy"}});
  const auto unclear = AnswerLog(two, {}, outputs, kNoon);
  EXPECT_NE(unclear.response.body.find("choose one of: [main proxy]"), std::string::npos);
}

TEST(LogReply, OfAPodThatNoNodeHasIsEmpty) {
  const ContainerOutputs outputs;
  Json unbound = kPod;
  unbound.at("spec").as_object().erase("nodeName");
  EXPECT_EQ(AnswerLog(unbound, {}, outputs, kNoon).response.status, 204);
  EXPECT_EQ(AnswerLog(unbound, {.container = "x"}, outputs, kNoon).response.status, 400);
}

TEST(LogReply, FollowsUntilTheContainerEnds) {
  ContainerOutputs outputs;
  const auto log = outputs.Begin({"team", "web", "main"}, {});
  AppendTo(*log, "one\n");
  const auto reply = AnswerLog(kPod, {.is_followed = true}, outputs, kNoon);
  ASSERT_TRUE(reply.stream);
  Pieces pieces;
  runtime::IoThreads threads(1);
  auto done =
      boost::asio::co_spawn(threads.context(), reply.stream(pieces), boost::asio::use_future);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  EXPECT_EQ(pieces.written.Pop(deadline), "one\n");
  AppendTo(*log, "two\n");
  EXPECT_EQ(pieces.written.Pop(deadline), "two\n");
  log->Close(kNoon);
  EXPECT_EQ(done.wait_for(std::chrono::minutes(2)), std::future_status::ready);
}

TEST(LogReply, StopsFollowingWhenTheServerGoes) {
  ContainerOutputs outputs;
  (void)outputs.Begin({"team", "web", "main"}, {});
  const auto reply = AnswerLog(kPod, {.is_followed = true}, outputs, kNoon);
  Pieces pieces;
  runtime::IoThreads threads(1);
  auto done =
      boost::asio::co_spawn(threads.context(), reply.stream(pieces), boost::asio::use_future);
  pieces.stopping.request_stop();
  EXPECT_EQ(done.wait_for(std::chrono::minutes(2)), std::future_status::ready);
}

}  // namespace
}  // namespace gs::localcluster
