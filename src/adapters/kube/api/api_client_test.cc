#include "adapters/kube/api/api_client.h"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <future>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/http/server.h"
#include "adapters/runtime/mutex.h"

namespace gs::kube {
namespace {

using runtime::MutexLock;

// Gives out "token-1", "token-2" and so on: the next one whenever the last is worth nothing.
class CountingLogin : public LoginSource {
 public:
  Result<Login> At(TimePoint /*now*/) override {
    return Login{.token = "token-" + std::to_string(number_)};
  }
  void Forget() override { ++number_; }

 private:
  int number_ = 1;
};

class BrokenLogin : public LoginSource {
 public:
  Result<Login> At(TimePoint /*now*/) override {
    return Error(ErrorKind::kUnavailable, "the plugin is not installed");
  }
};

// Remembers what it was asked; knows only one token.
class FakeApi {
 public:
  http::Reply Answer(const http::Request& request) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    const std::string* token = request.headers.Find("Authorization");
    const bool is_known = token != nullptr && *token == "Bearer " + good_token_;
    return http::Response{.status = is_known ? 200 : 401, .body = "{}"};
  }
  void Accept(std::string token) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    good_token_ = std::move(token);
  }
  [[nodiscard]] std::vector<http::Request> requests() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return requests_;
  }

 private:
  runtime::Mutex mutex_;
  std::string good_token_ GS_GUARDED_BY(mutex_) = "token-1";
  std::vector<http::Request> requests_ GS_GUARDED_BY(mutex_);
};

class ApiClientTest : public testing::Test {
 protected:
  std::unique_ptr<ApiClient> Connect(std::unique_ptr<LoginSource> login, std::string path = "") {
    auto server = http::Server::Start(
        threads_, {}, [this](http::Request request) -> boost::asio::awaitable<http::Reply> {
          co_return api_.Answer(request);
        });
    EXPECT_TRUE(server.ok());
    server_ = *std::move(server);
    ConnectionSettings settings;
    settings.server = "http://127.0.0.1:" + std::to_string(server_->port()) + std::move(path);
    auto client = ApiClient::Create(threads_, settings, std::move(login), clock_);
    EXPECT_TRUE(client.ok());
    return *std::move(client);
  }

  FakeApi api_;
  runtime::ManualClock clock_;
  runtime::IoThreads threads_{1};
  std::unique_ptr<http::Server> server_;
};

int StatusOf(const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  return response == nullptr ? 0 : response->status;
}

TEST_F(ApiClientTest, SaysWhoItIsAndWhatItIs) {
  const auto client = Connect(std::make_unique<CountingLogin>());
  EXPECT_EQ(StatusOf(client->Send({.target = "/api/v1/pods"})), 200);
  const auto requests = api_.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].target, "/api/v1/pods");
  EXPECT_EQ(*requests[0].headers.Find("User-Agent"), "gpu-scheduler");
  EXPECT_EQ(*requests[0].headers.Find("Accept"), "application/json");
}

TEST_F(ApiClientTest, AServerMayLiveBehindAPath) {
  const auto client = Connect(std::make_unique<CountingLogin>(), "/clusters/a");
  EXPECT_EQ(StatusOf(client->Send({.target = "/api/v1/pods"})), 200);
  EXPECT_EQ(api_.requests().at(0).target, "/clusters/a/api/v1/pods");
}

TEST_F(ApiClientTest, ALoginThatIsRefusedIsForgottenAndNothingIsSentTwice) {
  const auto client = Connect(std::make_unique<CountingLogin>());
  api_.Accept("token-2");
  EXPECT_EQ(StatusOf(client->Send({.method = http::Method::kPost, .body = "{}"})), 401);
  EXPECT_EQ(api_.requests().size(), 1U);
  EXPECT_EQ(StatusOf(client->Send({.method = http::Method::kPost, .body = "{}"})), 200);
}

TEST_F(ApiClientTest, ARefusedStreamForgetsTheLoginToo) {
  const auto client = Connect(std::make_unique<CountingLogin>());
  api_.Accept("token-2");
  const auto ignore = [](std::string_view) { return true; };
  EXPECT_EQ(StatusOf(client->Stream({}, {}, ignore)), 401);
  EXPECT_EQ(StatusOf(client->Stream({}, {}, ignore)), 200);
}

TEST_F(ApiClientTest, AnAnswerThatComesLaterForgetsTheLoginToo) {
  const auto client = Connect(std::make_unique<CountingLogin>());
  api_.Accept("token-2");
  std::promise<int> status;
  client->SendThen(
      {}, {}, [&status](const http::Outcome& outcome) { status.set_value(StatusOf(outcome)); });
  EXPECT_EQ(status.get_future().get(), 401);
  EXPECT_EQ(StatusOf(client->Send({})), 200);
}

TEST_F(ApiClientTest, WithoutALoginNothingIsSent) {
  const auto client = Connect(std::make_unique<BrokenLogin>());
  const http::Outcome outcome = client->Send({});
  ASSERT_TRUE(std::holds_alternative<http::NotSent>(outcome));
  EXPECT_EQ(ToString(*http::ErrorOf(outcome)),
            "login to the API server: the plugin is not installed");
  std::promise<bool> is_not_sent;
  client->SendThen({}, {}, [&is_not_sent](const http::Outcome& later) {
    is_not_sent.set_value(std::holds_alternative<http::NotSent>(later));
  });
  EXPECT_TRUE(is_not_sent.get_future().get());
  EXPECT_TRUE(api_.requests().empty());
}

TEST(ApiClientSettings, AnAddressThatIsNoneIsRefused) {
  const runtime::ManualClock clock;
  runtime::IoThreads threads(1);
  ConnectionSettings settings;
  settings.server = "gopher://somewhere";
  const auto client =
      ApiClient::Create(threads, settings, std::make_unique<CountingLogin>(), clock);
  ASSERT_FALSE(client.ok());
  EXPECT_NE(ToString(client.error()).find("server"), std::string::npos);
}

}  // namespace
}  // namespace gs::kube
