#include "tests/crash/proxy/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "adapters/http/client.h"
#include "adapters/json/parse.h"
#include "tests/crash/proxy/fault_json.h"
#include "tests/crash/proxy/proxied_kubeconfig.h"

namespace gs::crash {
namespace {

using http::Method;
using http::Outcome;
using http::Response;
using ::testing::HasSubstr;

// Counts what it is asked.
class Upstream {
 public:
  static http::Handler HandlerOf(const std::shared_ptr<Upstream>& upstream) {
    return [upstream](http::Request request) -> boost::asio::awaitable<http::Reply> {
      const int count = ++upstream->count_;
      co_return Response{.body = request.body + std::to_string(count)};
    };
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

struct Answer {
  int status = 0;
  std::string body;
};

class ControlTest : public ::testing::Test {
 protected:
  std::unique_ptr<http::Client> ClientOf(const std::string& server) {
    return *http::Client::Create(threads_, *http::ParseUrl(server), {});
  }
  static kube::ConnectionSettings SettingsOf(const http::Server& server) {
    kube::ConnectionSettings settings;
    settings.server = "http://127.0.0.1:" + std::to_string(server.port());
    return settings;
  }

  Answer Ask(Method method, std::string target, std::string body = "") {
    const Outcome outcome = control_client_->SendAndWait(
        {.method = method, .target = std::move(target), .headers = {}, .body = std::move(body)});
    const auto* response = std::get_if<Response>(&outcome);
    return response == nullptr ? Answer{} : Answer{response->status, response->body};
  }
  void AddRule(const std::string& rest) {
    const Answer answer = Ask(Method::kPost, "/rules", R"({"id": "x", )" + rest + "}");
    EXPECT_EQ(answer.status, 200) << answer.body;
  }
  Outcome Bind(std::string body = "body ") {
    return client_->SendAndWait({.method = Method::kPost,
                                 .target = "/pods/a/binding",
                                 .headers = {{"User-Agent", "me"}},
                                 .body = std::move(body)});
  }
  // The id of what is held, once something is.
  std::string HeldId() {
    const Answer answer = Ask(Method::kGet, "/held?wait_ms=30000&rule=x");
    const auto parsed = json::ParseJson(answer.body);
    if (!parsed) return "no JSON: " + answer.body;
    const auto& held = parsed->at("held").as_array();
    return held.empty() ? "" : std::string(held.front().at("id").as_string());
  }

  std::shared_ptr<Upstream> upstream_ = std::make_shared<Upstream>();
  runtime::IoThreads threads_{2};
  std::unique_ptr<http::Server> server_ =
      *http::Server::Start(threads_, {}, Upstream::HandlerOf(upstream_));
  std::unique_ptr<testing::FaultProxy> proxy_ =
      *testing::FaultProxy::Start(threads_, SettingsOf(*server_));
  std::unique_ptr<Control> control_ = *Control::Start(threads_, *proxy_);
  std::unique_ptr<http::Client> client_ = ClientOf(proxy_->settings().server);
  std::unique_ptr<http::Client> control_client_ =
      ClientOf("http://127.0.0.1:" + std::to_string(control_->port()));
};

bool IsUnknown(const Outcome& outcome) { return std::holds_alternative<http::Unknown>(outcome); }
int StatusOf(const Outcome& outcome) {
  const auto* response = std::get_if<Response>(&outcome);
  return response == nullptr ? 0 : response->status;
}

TEST_F(ControlTest, ARuleIsAppliedToWhatItMatchesAndAsOftenAsItSays) {
  AddRule(R"("method": "POST", "target": "/binding$", "body": "bo.y", "skip": 1, "times": 2,
             "fault": {"kind": "drop_before"})");
  EXPECT_EQ(StatusOf(client_->SendAndWait({.target = "/pods/a/binding"})), 200);
  EXPECT_EQ(StatusOf(Bind("another")), 200);
  EXPECT_EQ(StatusOf(Bind()), 200);  // skipped
  EXPECT_TRUE(IsUnknown(Bind()));
  EXPECT_TRUE(IsUnknown(Bind()));
  EXPECT_EQ(StatusOf(Bind()), 200);  // used up
  EXPECT_EQ(upstream_->count(), 4);
  EXPECT_EQ(Ask(Method::kGet, "/rules/x").body, "{\"hits\":2}\n");
}

TEST_F(ControlTest, TheFirstRuleThatMatchesCounts) {
  AddRule(R"("target": "/", "fault": {"kind": "answer", "status": 429})");
  EXPECT_EQ(Ask(Method::kPost, "/rules",
                R"({"id": "y", "target": "/", "times": 0,
                    "fault": {"kind": "answer", "status": 500, "body": "own"}})")
                .status,
            200);
  const Outcome first = Bind();
  EXPECT_EQ(StatusOf(first), 429);
  EXPECT_THAT(std::get<Response>(first).body, HasSubstr("TooManyRequests"));
  EXPECT_EQ(StatusOf(Bind()), 500);
  EXPECT_EQ(StatusOf(Bind()), 500);
  EXPECT_EQ(Ask(Method::kDelete, "/rules/y").status, 200);
  EXPECT_EQ(StatusOf(Bind()), 200);
  EXPECT_EQ(Ask(Method::kGet, "/rules/y").status, 404);
}

TEST_F(ControlTest, AllRulesAreRemovedAtOnce) {
  AddRule(R"("target": "/", "times": 0, "fault": {"kind": "drop_after"})");
  EXPECT_TRUE(IsUnknown(Bind()));
  EXPECT_EQ(Ask(Method::kDelete, "/rules").status, 200);
  EXPECT_EQ(StatusOf(Bind()), 200);
}

TEST_F(ControlTest, WhatIsHeldIsPassedOnOnAWord) {
  AddRule(R"("target": "/", "fault": {"kind": "hold", "where": "before"})");
  auto running = std::async(std::launch::async, [this] { return Bind(); });
  const Answer held = Ask(Method::kGet, "/held?wait_ms=30000");
  EXPECT_THAT(held.body, HasSubstr(R"("rule":"x","method":"POST","target":"/pods/a/binding")"));
  EXPECT_THAT(held.body, HasSubstr(R"("client":"me","body":"body ")"));
  EXPECT_EQ(upstream_->count(), 0);
  EXPECT_EQ(Ask(Method::kPost, "/held/" + HeldId() + "/release").status, 200);
  EXPECT_EQ(StatusOf(running.get()), 200);
  EXPECT_EQ(upstream_->count(), 1);
  EXPECT_EQ(Ask(Method::kGet, "/held").body, "{\"held\":[]}\n");
}

TEST_F(ControlTest, WhatIsHeldBeforeTheServerCanBeDroppedOrExecutedUnheard) {
  AddRule(R"("target": "/", "times": 2, "fault": {"kind": "hold", "where": "before"})");
  auto dropped = std::async(std::launch::async, [this] { return Bind(); });
  EXPECT_EQ(Ask(Method::kPost, "/held/" + HeldId() + "/drop").status, 200);
  EXPECT_TRUE(IsUnknown(dropped.get()));
  EXPECT_EQ(upstream_->count(), 0);
  auto unheard = std::async(std::launch::async, [this] { return Bind(); });
  EXPECT_EQ(Ask(Method::kPost, "/held/" + HeldId() + "/forward_and_drop").status, 200);
  EXPECT_TRUE(IsUnknown(unheard.get()));
  EXPECT_EQ(upstream_->count(), 1);
}

TEST_F(ControlTest, AnAnswerCanBeHeldToo) {
  AddRule(R"("target": "/", "fault": {"kind": "hold", "where": "after"})");
  auto running = std::async(std::launch::async, [this] { return Bind(); });
  const std::string id = HeldId();
  EXPECT_EQ(upstream_->count(), 1);
  EXPECT_EQ(Ask(Method::kPost, "/held/" + id + "/drop").status, 200);
  EXPECT_TRUE(IsUnknown(running.get()));
  EXPECT_EQ(Ask(Method::kPost, "/held/" + id + "/drop").status, 404);
}

TEST_F(ControlTest, WhatIsHeldIsExecutedAlsoWhenItsClientIsGone) {
  AddRule(R"("target": "/", "fault": {"kind": "hold", "where": "before"})");
  auto running = std::async(std::launch::async, [this] { return Bind(); });
  const std::string id = HeldId();
  client_.reset();
  EXPECT_TRUE(IsUnknown(running.get()));
  EXPECT_EQ(Ask(Method::kPost, "/held/" + id + "/release").status, 200);
  EXPECT_TRUE(proxy_->WaitUntil(
      [](const auto& all) { return !all.empty() && !all.front().statuses.empty(); },
      std::chrono::seconds(30)));
  EXPECT_EQ(upstream_->count(), 1);
}

TEST_F(ControlTest, TheRecordSaysWhoAskedAndWhatItMet) {
  AddRule(R"("target": "/", "skip": 1, "fault": {"kind": "drop_after"})");
  EXPECT_EQ(StatusOf(Bind()), 200);
  EXPECT_TRUE(IsUnknown(Bind()));
  const std::string all = Ask(Method::kGet, "/requests").body;
  EXPECT_THAT(all, HasSubstr(R"("next":2)"));
  EXPECT_THAT(all, HasSubstr(R"("number":0,"method":"POST","target":"/pods/a/binding",)"
                             R"("agent":"me","rule":null,"statuses":[200])"));
  const std::string rest = Ask(Method::kGet, "/requests?since=1").body;
  EXPECT_THAT(rest, ::testing::Not(HasSubstr(R"("number":0)")));
  EXPECT_THAT(rest, HasSubstr(R"("rule":"x","statuses":[200],"time":"2)"));
  EXPECT_THAT(Ask(Method::kGet, "/requests?since=9").body, HasSubstr(R"("requests":[])"));
}

TEST_F(ControlTest, WhatIsWrongIsRefusedWithAReason) {
  const auto refusal = [this](const std::string& body) {
    const Answer answer = Ask(Method::kPost, "/rules", body);
    EXPECT_EQ(answer.status, 400) << body;
    return answer.body;
  };
  EXPECT_THAT(refusal("{"), HasSubstr("error"));
  EXPECT_THAT(refusal(R"({"target": "/", "fault": {"kind": "pass"}})"), HasSubstr("id"));
  EXPECT_THAT(refusal(R"({"id": "x", "target": "/"})"), HasSubstr("fault"));
  EXPECT_THAT(refusal(R"({"id": "x", "target": "(", "fault": {"kind": "pass"}})"),
              HasSubstr("regular expression"));
  EXPECT_THAT(refusal(R"({"id": "x", "method": "TAKE", "fault": {"kind": "pass"}})"),
              HasSubstr("TAKE"));
  EXPECT_THAT(refusal(R"({"id": "x", "fault": {"kind": "explode"}})"), HasSubstr("drop_before"));
  EXPECT_THAT(refusal(R"({"id": "x", "fault": {"kind": "hold", "where": "there"}})"),
              HasSubstr("before, after"));
  EXPECT_THAT(refusal(R"({"id": "x", "fault": {"kind": "pass", "ms": 3}})"), HasSubstr("ms"));
  EXPECT_EQ(Ask(Method::kGet, "/held?wait_ms=soon").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/held/0/keep").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/cut-watches", R"({"target": "["})").status, 400);
  EXPECT_EQ(Ask(Method::kGet, "/elsewhere").status, 404);
  EXPECT_EQ(StatusOf(Bind()), 200);
}

TEST_F(ControlTest, EndsWhileSomebodyWaits) {
  AddRule(R"("target": "/", "fault": {"kind": "hold"})");
  auto bound = std::async(std::launch::async, [this] { return Bind(); });
  const std::string id = HeldId();
  auto polled = std::async(std::launch::async, [this] {
    return Ask(Method::kGet, "/held?wait_ms=600000&rule=none").status;
  });
  control_.reset();
  EXPECT_EQ(polled.get(), 0);
  proxy_.reset();
  EXPECT_TRUE(IsUnknown(bound.get()));
}

TEST(ReadFault, KnowsEveryKind) {
  for (const char* text :
       {R"({"kind": "pass"})", R"({"kind": "delay", "before_ms": 1, "after_ms": 2})",
        R"({"kind": "drop_before"})", R"({"kind": "drop_after"})",
        R"({"kind": "forward_later", "after_ms": 20000})",
        R"({"kind": "duplicate", "told": "second", "gap_ms": 5})",
        R"({"kind": "answer", "status": 429, "headers": {"Retry-After": "1"}, "body": ""})",
        R"({"kind": "cut_after", "bytes": 7})", R"({"kind": "freeze"})", R"({"kind": "remember"})",
        R"({"kind": "replay"})", R"({"kind": "hold", "where": "after"})",
        R"({"kind": "late_watch", "ms": 5000})"}) {
    const auto fault = ReadFault(*json::ParseJson(text), "fault");
    EXPECT_TRUE(fault.ok()) << text << ": " << fault.error();
  }
}

TEST(ProxiedKubeconfig, LeadsToTheProxyWithTheTokenOfTheOriginal) {
  kube::ConnectionSettings original;
  original.ns = Namespace("team");
  original.login = kube::FixedToken{"secret"};
  const auto text = ProxiedKubeconfig(original, "http://127.0.0.1:7");
  ASSERT_TRUE(text.ok()) << text.error();
  EXPECT_THAT(*text, HasSubstr("http://127.0.0.1:7"));
  EXPECT_THAT(*text, HasSubstr("secret"));
  EXPECT_THAT(*text, HasSubstr("team"));
  original.login = kube::ExecPlugin{};
  EXPECT_FALSE(ProxiedKubeconfig(original, "http://127.0.0.1:7").ok());
}

}  // namespace
}  // namespace gs::crash
