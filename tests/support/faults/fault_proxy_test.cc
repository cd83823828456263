// Every fault as a client sees it, and as the server behind the proxy sees it.
#include "tests/support/faults/fault_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "adapters/http/client.h"
#include "adapters/http/server.h"

namespace gs::testing {
namespace {

namespace asio = boost::asio;
using http::Method;
using http::Outcome;
using http::Response;
using http::Unknown;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// A server that counts what it executes. Its watches send ten numbers, and stay open if asked to.
class Upstream : public std::enable_shared_from_this<Upstream> {
 public:
  http::Handler handler() {
    return [self = shared_from_this()](http::Request request) -> asio::awaitable<http::Reply> {
      const std::shared_ptr<Upstream> keep = self;
      if (request.target == "/gone?watch=true") co_return Response{.status = 410, .body = "old"};
      if (IsWatch(request)) co_return http::Reply({}, StreamOf(request));
      const int count = request.method == Method::kPost ? ++keep->posts_ : keep->posts_.load();
      co_return Response{.headers = {{"X-Token", TokenOf(request)}},
                         .body = request.body + std::to_string(count)};
    };
  }
  [[nodiscard]] int posts() const { return posts_; }

 private:
  static std::string TokenOf(const http::Request& request) {
    const std::string* token = request.headers.Find("Authorization");
    return token == nullptr ? "" : *token;
  }

  static http::StreamBody StreamOf(const http::Request& request) {
    const bool stays = request.target.find("stay") != std::string::npos;
    return [stays](http::BodyWriter& writer) -> asio::awaitable<void> {
      for (char digit = '0'; digit <= '9'; ++digit) co_await writer.Write(std::string(1, digit));
      asio::steady_timer timer(co_await asio::this_coro::executor);
      while (stays && !writer.stop().stop_requested()) {
        timer.expires_after(milliseconds(1));
        co_await timer.async_wait(asio::use_awaitable);
      }
    };
  }

  std::atomic<int> posts_ = 0;
};

class FaultProxyTest : public ::testing::Test {
 protected:
  Outcome Post(std::string body = "") {
    return client_->SendAndWait(
        {.method = Method::kPost, .target = "/things", .body = std::move(body)});
  }
  Outcome Get(std::string target = "/things") {
    return client_->SendAndWait({.target = std::move(target)});
  }
  // What a watch gives, and how it ends.
  std::pair<std::string, Outcome> Watch(const std::string& target,
                                        http::StreamOptions options = {}) {
    std::string seen;
    Outcome outcome = client_->StreamAndWait({.target = target}, std::move(options),
                                             [&seen](std::string_view bytes) {
                                               seen += bytes;
                                               return true;
                                             });
    return {std::move(seen), std::move(outcome)};
  }
  bool WaitForAnswers(std::size_t count) {
    return proxy_->WaitUntil(
        [count](const auto& requests) {
          return requests.size() >= count && !requests.back().statuses.empty();
        },
        seconds(30));
  }

  bool WaitForHeld() {
    const auto until = std::chrono::steady_clock::now() + seconds(30);
    while (proxy_->held().empty() && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    return !proxy_->held().empty();
  }

  kube::ConnectionSettings UpstreamSettings() {
    kube::ConnectionSettings settings;
    settings.server = "http://127.0.0.1:" + std::to_string(server_->port());
    return settings;
  }

  std::shared_ptr<Upstream> upstream_ = std::make_shared<Upstream>();
  runtime::IoThreads threads_{2};
  std::unique_ptr<http::Server> server_ = *http::Server::Start(threads_, {}, upstream_->handler());
  std::unique_ptr<FaultProxy> proxy_ = *FaultProxy::Start(threads_, UpstreamSettings());
  std::unique_ptr<http::Client> client_ =
      *http::Client::Create(threads_, *http::ParseUrl(proxy_->settings().server), {});
};

bool IsUnknown(const Outcome& outcome) { return std::holds_alternative<Unknown>(outcome); }

std::string BodyOf(const Outcome& outcome) {
  const auto* response = std::get_if<Response>(&outcome);
  return response == nullptr ? "no answer: " + ToString(*http::ErrorOf(outcome)) : response->body;
}

ProxiedRequest PostAnswered(std::vector<int> statuses) {
  return {.method = Method::kPost, .target = "/things", .statuses = std::move(statuses)};
}

TEST_F(FaultProxyTest, PassesARequestOnWithItsBodyAndItsToken) {
  const Outcome outcome = client_->SendAndWait({.method = Method::kPost,
                                                .target = "/things",
                                                .headers = {{"Authorization", "Bearer x"}},
                                                .body = "body "});
  EXPECT_EQ(BodyOf(outcome), "body 1");
  EXPECT_EQ(*std::get<Response>(outcome).headers.Find("X-Token"), "Bearer x");
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({200})));
}

TEST_F(FaultProxyTest, ADropBeforeIsUnknownToTheClientAndNotExecuted) {
  proxy_->Once(Method::kPost, "/things", DropBefore{});
  EXPECT_TRUE(IsUnknown(Post()));
  EXPECT_EQ(upstream_->posts(), 0);
  EXPECT_EQ(BodyOf(Post()), "1");  // only once
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({}), PostAnswered({200})));
}

TEST_F(FaultProxyTest, ADropAfterIsUnknownToTheClientAndExecuted) {
  proxy_->Once(Method::kPost, "/things", DropAfter{});
  EXPECT_TRUE(IsUnknown(Post()));
  EXPECT_EQ(upstream_->posts(), 1);
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({200})));
}

TEST_F(FaultProxyTest, AHeldWriteArrivesWhenTheTestSaysSo) {
  proxy_->Once(Method::kPost, "/things", ForwardLater{});
  EXPECT_TRUE(IsUnknown(Post("late ")));
  EXPECT_EQ(upstream_->posts(), 0);
  EXPECT_EQ(BodyOf(Get()), "0");
  proxy_->ForwardHeld();
  EXPECT_EQ(upstream_->posts(), 1);
  proxy_->ForwardHeld();
  EXPECT_EQ(upstream_->posts(), 1);
  EXPECT_EQ(proxy_->requests().front(), PostAnswered({200}));
}

TEST_F(FaultProxyTest, AWriteCanArriveLateByItself) {
  proxy_->Once(Method::kPost, "/things", ForwardLater{.after = milliseconds(20)});
  EXPECT_TRUE(IsUnknown(Post("late ")));
  ASSERT_TRUE(WaitForAnswers(1));
  EXPECT_EQ(upstream_->posts(), 1);
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({200})));
}

TEST_F(FaultProxyTest, AHeldRequestIsPassedOnOnAWord) {
  proxy_->Once(Method::kPost, "/things", Hold{});
  auto running = std::async(std::launch::async, [this] { return Post("held "); });
  ASSERT_TRUE(WaitForHeld());
  EXPECT_EQ(proxy_->held().front().request.body, "held ");
  EXPECT_EQ(upstream_->posts(), 0);
  EXPECT_FALSE(proxy_->Release(17, LetGo::kPassOn));
  EXPECT_TRUE(proxy_->Release(0, LetGo::kPassOn));
  EXPECT_EQ(BodyOf(running.get()), "held 1");
  EXPECT_FALSE(proxy_->Release(0, LetGo::kPassOn));
}

TEST_F(FaultProxyTest, AHeldAnswerIsExecutedAlready) {
  proxy_->Once(Method::kPost, "/things", Hold{.where = Hold::Where::kBeforeAnswering});
  auto running = std::async(std::launch::async, [this] { return Post(); });
  ASSERT_TRUE(WaitForHeld());
  EXPECT_EQ(upstream_->posts(), 1);
  EXPECT_TRUE(proxy_->Release(0, LetGo::kDrop));
  EXPECT_TRUE(IsUnknown(running.get()));
}

TEST_F(FaultProxyTest, AReplayOfNothingPasses) {
  proxy_->Once(Method::kGet, "/things", Replay{});
  EXPECT_EQ(BodyOf(Get()), "0");
}

TEST_F(FaultProxyTest, ADuplicateIsExecutedTwice) {
  proxy_->Once(Method::kPost, "/things", Duplicate{});
  EXPECT_EQ(BodyOf(Post()), "1");
  proxy_->Once(Method::kPost, "/things", Duplicate{.told = Duplicate::Told::kSecond});
  EXPECT_EQ(BodyOf(Post()), "4");
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({200, 200}), PostAnswered({200, 200})));
}

TEST_F(FaultProxyTest, AnAnswerOfItsOwnIsNotExecuted) {
  proxy_->Once(Method::kPost, "/things",
               Answer{{.status = 429, .headers = {{"Retry-After", "1"}}, .body = "slow down"}});
  const Outcome outcome = Post();
  EXPECT_EQ(std::get<Response>(outcome).status, 429);
  EXPECT_EQ(*std::get<Response>(outcome).headers.Find("Retry-After"), "1");
  EXPECT_EQ(BodyOf(outcome), "slow down");
  EXPECT_EQ(upstream_->posts(), 0);
}

TEST_F(FaultProxyTest, ADelayKeepsTheRequestOrTheAnswerBack) {
  proxy_->Once(Method::kPost, "/things",
               Delay{.before_forwarding = milliseconds(5), .before_answering = milliseconds(5)});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(BodyOf(Post()), "1");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(10));
}

TEST_F(FaultProxyTest, HalfAnAnswerIsUnknownToTheClient) {
  proxy_->Once(Method::kPost, "/things", CutAfter{.bytes = 3});
  EXPECT_TRUE(IsUnknown(Post("a long body")));
  EXPECT_EQ(upstream_->posts(), 1);
  proxy_->Once(Method::kGet, "/things", CutAfter{.bytes = 1000});  // no proper end either
  EXPECT_TRUE(IsUnknown(Get()));
}

TEST_F(FaultProxyTest, AnOldAnswerCanBeReplayed) {
  proxy_->Once(Method::kGet, "/things", Remember{});
  EXPECT_EQ(BodyOf(Get()), "0");
  EXPECT_EQ(BodyOf(Post()), "1");
  proxy_->Once(Method::kGet, "/things", Replay{});
  EXPECT_EQ(BodyOf(Get()), "0");
  EXPECT_EQ(BodyOf(Get()), "1");
}

TEST_F(FaultProxyTest, AWatchPassesThroughToItsEnd) {
  const auto [seen, outcome] = Watch("/things?watch=true");
  EXPECT_EQ(seen, "0123456789");
  EXPECT_TRUE(std::holds_alternative<Response>(outcome)) << BodyOf(outcome);
}

TEST_F(FaultProxyTest, ARefusedWatchHasItsAnswer) {
  const auto [seen, outcome] = Watch("/gone?watch=true");
  EXPECT_EQ(seen, "");
  ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << BodyOf(outcome);
  EXPECT_EQ(std::get<Response>(outcome).status, 410);
  EXPECT_EQ(BodyOf(outcome), "old");
}

TEST_F(FaultProxyTest, AWatchIsCutAtEveryByte) {
  for (std::size_t bytes = 0; bytes <= 10; ++bytes) {
    proxy_->Once(Method::kGet, "watch=true", CutAfter{bytes});
    const auto [seen, outcome] = Watch("/things?watch=true&stay");
    EXPECT_EQ(seen, std::string("0123456789").substr(0, bytes));
    EXPECT_TRUE(IsUnknown(outcome));
  }
}

TEST_F(FaultProxyTest, AllWatchesAreCutOnDemand) {
  auto running =
      std::async(std::launch::async, [this] { return Watch("/things?watch=true&stay"); });
  ASSERT_TRUE(WaitForAnswers(1));
  proxy_->CutAllWatches();
  const auto [seen, outcome] = running.get();
  EXPECT_TRUE(std::string("0123456789").starts_with(seen)) << seen;
  EXPECT_TRUE(IsUnknown(outcome));
}

TEST_F(FaultProxyTest, OnlyTheMeantWatchesAreCut) {
  auto kept = std::async(std::launch::async, [this] { return Watch("/kept?watch=true&stay"); });
  auto cut = std::async(std::launch::async, [this] { return Watch("/cut?watch=true&stay"); });
  ASSERT_TRUE(proxy_->WaitUntil(
      [](const auto& all) {
        return all.size() == 2 && !all[0].statuses.empty() && !all[1].statuses.empty();
      },
      seconds(30)));
  proxy_->CutWatches([](const std::string& target) { return target.starts_with("/cut"); });
  EXPECT_TRUE(IsUnknown(cut.get().second));
  EXPECT_EQ(kept.wait_for(milliseconds(0)), std::future_status::timeout);
  proxy_->CutAllWatches();
  EXPECT_TRUE(IsUnknown(kept.get().second));
}

TEST_F(FaultProxyTest, ALateWatchIsWholeAndLate) {
  proxy_->Once(Method::kGet, "watch=true", LateWatch{milliseconds(100)});
  const auto start = std::chrono::steady_clock::now();
  const auto [seen, outcome] = Watch("/things?watch=true");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(100));
  EXPECT_EQ(seen, "0123456789");
  EXPECT_TRUE(std::holds_alternative<Response>(outcome)) << BodyOf(outcome);
}

TEST_F(FaultProxyTest, ALateWatchCanBeCut) {
  proxy_->Once(Method::kGet, "watch=true", LateWatch{std::chrono::hours(1)});
  auto running =
      std::async(std::launch::async, [this] { return Watch("/things?watch=true&stay"); });
  ASSERT_TRUE(WaitForAnswers(1));
  proxy_->CutAllWatches();
  const auto [seen, outcome] = running.get();
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(IsUnknown(outcome));
}

TEST_F(FaultProxyTest, AFrozenWatchHasAHeadAndNothingElse) {
  proxy_->Once(Method::kGet, "watch=true", Freeze{});
  std::promise<int> status;
  http::StreamOptions options;
  options.on_head = [&status](const Response& head) { status.set_value(head.status); };
  auto running = std::async(std::launch::async,
                            [&] { return Watch("/things?watch=true", std::move(options)); });
  EXPECT_EQ(status.get_future().get(), 200);
  proxy_->CutAllWatches();
  const auto [seen, outcome] = running.get();
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(IsUnknown(outcome));
  EXPECT_TRUE(proxy_->requests().front().statuses.empty());
}

TEST_F(FaultProxyTest, AFrozenRequestTimesOut) {
  proxy_->Once(Method::kPost, "/things", Freeze{});
  const Outcome outcome = client_->SendAndWait({.method = Method::kPost, .target = "/things"},
                                               {.timeout = milliseconds(1000)});
  EXPECT_TRUE(IsUnknown(outcome));
  EXPECT_EQ(upstream_->posts(), 0);
}

TEST_F(FaultProxyTest, ASilentServerIsASilentProxy) {
  server_->Shutdown(Duration(0));
  EXPECT_TRUE(IsUnknown(Post()));
  EXPECT_THAT(proxy_->requests(), ElementsAre(PostAnswered({0})));
}

TEST_F(FaultProxyTest, AServerThatComesBackIsReachedAgain) {
  EXPECT_EQ(BodyOf(Post()), "1");
  const std::uint16_t port = server_->port();
  server_.reset();
  EXPECT_TRUE(IsUnknown(Post()));
  server_ = *http::Server::Start(threads_, {.port = port}, upstream_->handler());
  EXPECT_EQ(BodyOf(Post()), "2");
}

TEST_F(FaultProxyTest, EndsWhileEverythingIsOnItsWay) {
  proxy_->Decide([](const http::Request& request, std::size_t) -> Fault {
    if (request.target.find("frozen") != std::string::npos) return Freeze{};
    if (request.target == "/held") return Hold{};
    return Delay{.before_answering = seconds(IsWatch(request) ? 0 : 3600)};
  });
  std::vector<std::future<Outcome>> running;
  for (const char* target :
       {"/a?watch=true&stay", "/frozen?watch=true", "/frozen", "/held", "/things"}) {
    running.push_back(
        std::async(std::launch::async, [this, target] { return Watch(target).second; }));
  }
  ASSERT_TRUE(proxy_->WaitUntil([](const auto& all) { return all.size() == 5; }, seconds(30)));
  proxy_.reset();
  for (auto& outcome : running) EXPECT_TRUE(IsUnknown(outcome.get()));
}

}  // namespace
}  // namespace gs::testing
