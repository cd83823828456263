#include "programs/scheduler/await_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "adapters/kube/write/server_for_test.h"

namespace gs::scheduler {
namespace {

using ::testing::HasSubstr;

http::Response Version(const std::string& minor) {
  return {
      .status = 200,
      .headers = {},
      .body = R"({"major":"1","minor":")" + minor + R"(","gitVersion":"v1.)" + minor + R"(.0"})"};
}

class AwaitServerTest : public testing::Test {
 protected:
  Result<bool> Await() {
    return AwaitServer(server_.client(), log_,
                       {.stop = stop_.get_token(),
                        .wait = [this](Duration) { return ++waits_ != gives_up_after_; }});
  }
  std::string Refusal() {
    const auto there = Await();
    return there ? "" : ToString(there.error());
  }

  // In the order they are given; then nothing more.
  std::deque<std::optional<http::Response>> answers_;
  int waits_ = 0;
  int gives_up_after_ = -1;
  std::stop_source stop_;
  const runtime::Logger log_{{.level = runtime::LogLevel::kError}};
  kube::ServerForTest server_{
      [this](const http::Request& request) -> std::optional<http::Response> {
        EXPECT_EQ(request.target, "/version");
        if (answers_.empty()) return std::nullopt;
        auto answer = std::move(answers_.front());
        answers_.pop_front();
        return answer;
      }};
};

TEST_F(AwaitServerTest, OneThatIsThereNeedsNoWaiting) {
  answers_ = {Version("30+")};
  EXPECT_EQ(Await(), Result<bool>(true));
  EXPECT_EQ(waits_, 0);
}

TEST_F(AwaitServerTest, OneThatIsInTroubleIsWaitedFor) {
  answers_ = {http::Response{.status = 503}, http::Response{.status = 429}, Version("36")};
  EXPECT_EQ(Await(), Result<bool>(true));
  EXPECT_EQ(waits_, 2);
}

TEST_F(AwaitServerTest, WhoIsToldToEndWaitsNoLonger) {
  answers_ = {http::Response{.status = 503}, http::Response{.status = 503}};
  gives_up_after_ = 2;
  EXPECT_EQ(Await(), Result<bool>(false));
  stop_.request_stop();
  EXPECT_EQ(Await(), Result<bool>(false)) << "it would never be answered";
}

TEST_F(AwaitServerTest, OneThatIsTooOldIsRefused) {
  answers_ = {Version("29")};
  EXPECT_THAT(Refusal(), HasSubstr("v1.29.0, and 1.30 or newer is needed"));
}

TEST_F(AwaitServerTest, OneThatDoesNotKnowUsIsRefusedWithAdvice) {
  answers_ = {http::Response{.status = 401}, http::Response{.status = 403}};
  EXPECT_THAT(Refusal(), HasSubstr("check the user of the kubeconfig"));
  EXPECT_THAT(Refusal(), HasSubstr("system:public-info-viewer"));
  EXPECT_EQ(waits_, 0);
}

TEST_F(AwaitServerTest, WhatIsNoApiServerIsRefused) {
  answers_ = {http::Response{.status = 404}, http::Response{.status = 200, .body = "<html>"}};
  EXPECT_THAT(Refusal(), HasSubstr("is this the address of an API server?"));
  EXPECT_THAT(Refusal(), HasSubstr("is this the address of an API server?"));
}

}  // namespace
}  // namespace gs::scheduler
