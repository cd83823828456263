// The client against a server that speaks HTTP/2: what runs at a time, on which connection, and
// where it goes when the server speaks something else.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <latch>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/test_http2_fixture.h"

namespace gs::http {
namespace {

using std::chrono::milliseconds;

using Http2ClientTest = Http2Fixture;

// Answers every request with its path.
void Echo(Http2Link& link, int /*connection*/) {
  while (auto request = link.Next()) link.Answer(request->stream, 200, request->path);
}

TEST_F(Http2ClientTest, SendsARequestAndReadsTheAnswer) {
  Serve([](Http2Link& link, int) {
    const auto request = link.Next();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->method + " " + request->path + " " + request->body, "POST /a?b=c ping");
    EXPECT_EQ(*request->headers.Find("x-a"), "b");
    link.peer().SendHead(request->stream, 100);
    link.Answer(request->stream, 201, "pong", {{"x-c", "d"}});
    link.AwaitEnd();
  });
  const auto client = MakeClient();
  const Outcome outcome = client->SendAndWait(
      {.method = Method::kPost, .target = "/a?b=c", .headers = {{"X-A", "b"}}, .body = "ping"});
  EXPECT_EQ(Answer(outcome).status, 201);
  EXPECT_EQ(Answer(outcome).body, "pong");
  EXPECT_EQ(*Answer(outcome).headers.Find("X-C"), "d");
}

TEST_F(Http2ClientTest, ManyRequestsRunOnOneConnectionAndAreAnsweredInAnyOrder) {
  constexpr int kMany = 16;
  Serve([](Http2Link& link, int) {
    auto requests = link.Next(kMany);  // nobody is answered before all are there
    EXPECT_EQ(requests.size(), std::size_t{kMany});
    std::reverse(requests.begin(), requests.end());
    for (const auto& request : requests) link.Answer(request.stream, 200, request.path);
    link.AwaitEnd();
  });
  const auto client = MakeClient({.max_running = kMany});
  auto running = SendMany(*client, kMany, Method::kGet);
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(Answer(running.at(static_cast<std::size_t>(i)).get()).body, "/" + std::to_string(i));
  }
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2ClientTest, AFewConnectionsShareWhatIsTooMuchForOne) {
  std::latch all_are_there(3);
  Serve([&](Http2Link& link, int connection) {
    const auto requests = link.Next(connection < 2 ? 16 : 8);
    all_are_there.arrive_and_wait();
    for (const auto& request : requests) link.Answer(request.stream, 200, request.path);
    link.AwaitEnd();
  });
  const auto client = MakeClient({.max_running = 40});
  for (auto& outcome : SendMany(*client, 40)) EXPECT_EQ(Answer(outcome.get()).status, 200);
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(Http2ClientTest, AConnectionThatFillsUpWhileItWritesIsNotWaitedFor) {
  std::latch both_are_there(2);
  Serve([&](Http2Link& link, int connection) {
    const auto requests = link.Next(connection == 0 ? 16 : 4);
    both_are_there.arrive_and_wait();
    for (const auto& request : requests) link.Answer(request.stream, 200, request.path);
    link.AwaitEnd();
  });
  // The others come after the first was taken and before it is written.
  Client* sender = nullptr;
  std::vector<std::future<Outcome>> others;
  bool is_first = true;
  ClientOptions options{.max_running = 20};
  options.hooks.before_write = [&](const Request&) {
    if (std::exchange(is_first, false)) others = SendMany(*sender, 19);
  };
  const auto client = MakeClient(std::move(options));
  sender = client.get();
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  for (auto& outcome : others) EXPECT_EQ(Answer(outcome.get()).status, 200);
}

TEST_F(Http2ClientTest, NoMoreRunThanMayRun) {
  Serve([](Http2Link& link, int) {
    for (int pair = 0; pair < 5; ++pair) {
      const auto requests = link.Next(2);
      EXPECT_EQ(requests.size(), 2U);
      link.RoundTrip();
      EXPECT_FALSE(link.peer().Next());
      for (const auto& request : requests) link.Answer(request.stream, 200, "ok");
    }
    link.AwaitEnd();
  });
  const auto client = MakeClient({.max_running = 2});
  for (auto& outcome : SendMany(*client, 10)) EXPECT_EQ(Answer(outcome.get()).body, "ok");
}

TEST_F(Http2ClientTest, NoMoreRunThanTheServerTakes) {
  // One more would break the protocol, and the connection with it.
  Serve(
      [&](Http2Link& link, int) {
        Answer(link, *link.Next());  // the client knows the limit from now on
        for (int pair = 0; pair < 5; ++pair) {
          for (const auto& request : link.Next(2)) Answer(link, request);
        }
        link.AwaitEnd();
      },
      {.max_streams = 2});
  const auto client = MakeClient({.max_running = 10});
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  for (auto& outcome : SendMany(*client, 10)) EXPECT_EQ(Answer(outcome.get()).status, 200);
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2ClientTest, WhatIsSentBeforeTheServerSaysHowManyItTakesIsSentAgain) {
  Serve(Echo, {.max_streams = 2});
  const auto client = MakeClient({.max_running = 10});
  for (auto& outcome : SendMany(*client, 10)) EXPECT_EQ(Answer(outcome.get()).status, 200);
}

TEST_F(Http2ClientTest, LargeBodiesPassInBothDirections) {
  Serve([](Http2Link& link, int) {
    while (auto request = link.Next()) link.Answer(request->stream, 200, request->body);
  });
  const auto client = MakeClient();
  std::string body(std::size_t{9} << 20, 'x');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  const Outcome outcome = client->SendAndWait({.method = Method::kPost, .body = body});
  EXPECT_TRUE(Answer(outcome).body == body);
}

TEST_F(Http2ClientTest, CoroutinesCanWaitForIt) {
  Serve(Echo);
  const auto client = MakeClient();
  auto outcome = boost::asio::co_spawn(threads_.context(), client->Send({.target = "/x"}),
                                       boost::asio::use_future);
  EXPECT_EQ(Answer(outcome.get()).body, "/x");
}

TEST_F(Http2ClientTest, HooksAreCalledBeforeTheWriteAndBeforeTheAnswerIsTold) {
  std::atomic<bool> has_arrived = false;
  Serve([&has_arrived](Http2Link& link, int) {
    while (auto request = link.Next()) {
      has_arrived = true;
      link.Answer(request->stream, 200, "ok");
    }
  });
  std::vector<std::string> moments;
  ClientOptions options;
  options.hooks.before_write = [&](const Request& request) {
    moments.push_back((has_arrived ? "too late for " : "before ") + request.body);
  };
  options.hooks.on_answer = [&](const Request& request, const Response& response) {
    moments.push_back(response.body + " after " + request.body);
  };
  const auto client = MakeClient(std::move(options));
  EXPECT_EQ(Answer(client->SendAndWait(Post("ping"))).status, 200);
  EXPECT_EQ(moments, (std::vector<std::string>{"before ping", "ok after ping"}));
}

TEST_F(Http2ClientTest, AConnectionThatRestsIsClosedAfterTheIdleTimeout) {
  std::promise<void> closed;
  Serve([&closed](Http2Link& link, int connection) {
    Echo(link, connection);
    if (connection == 0) closed.set_value();
  });
  const auto client = MakeClient({.idle_timeout = milliseconds(5)});
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  closed.get_future().wait();
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
}

TEST_F(Http2ClientTest, NewCredentialsMeanANewConnectionAndWhatRunsIsFinished) {
  std::promise<void> arrived;
  std::promise<void> changed;
  Serve([&](Http2Link& link, int connection) {
    if (connection > 0) return Echo(link, connection);
    const auto request = link.Next();
    arrived.set_value();
    changed.get_future().wait();
    link.Answer(request->stream, 200, "old");
    EXPECT_FALSE(link.Next());  // closed, now that nothing runs
  });
  const auto client = MakeClient();
  auto running = SendMany(*client, 1);
  arrived.get_future().wait();
  ASSERT_TRUE(client->UseCredentials({.ca_pem = authority_.pem()}).ok());
  EXPECT_EQ(Answer(client->SendAndWait({.target = "/new"})).body, "/new");
  changed.set_value();
  EXPECT_EQ(Answer(running[0].get()).body, "old");
  EXPECT_EQ(server_->connections(), 2);
}

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhttp1";

// One request of HTTP/1.1 after the other.
void ServeHttp1(Http2Link& link) {
  EXPECT_FALSE(link.speaks_http2());
  while (link.ReadUntil("\r\n\r\n").ends_with("\r\n\r\n")) link.Write(kOk);
}

TEST_F(Http2ClientTest, AServerThatSpeaksHttp1OnlyIsSpokenToThatWayOnKeptConnections) {
  Serve([](Http2Link& link, int) { ServeHttp1(link); }, {.is_http2 = [](int) { return false; }});
  const auto client = MakeClient({.max_running = 3});
  for (auto& outcome : SendMany(*client, 20)) EXPECT_EQ(Answer(outcome.get()).body, "http1");
  EXPECT_LE(server_->connections(), 3);
}

TEST_F(Http2ClientTest, AServerMayChangeItsMindWheneverAConnectionIsMade) {
  // By turns, each connection good for one request.
  Serve(
      [](Http2Link& link, int connection) {
        if (connection % 2 == 0) {
          (void)link.ReadUntil("\r\n\r\n");
          link.Write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhttp1");
        } else {
          const auto request = link.Next();
          link.peer().GoAway(request->stream, NGHTTP2_NO_ERROR);
          link.Answer(request->stream, 200, "http2");
          link.AwaitEnd();
        }
      },
      {.is_http2 = [](int connection) { return connection % 2 == 1; }});
  const auto client = MakeClient();
  for (const char* body : {"http1", "http2", "http1", "http2", "http1"}) {
    EXPECT_EQ(Answer(client->SendAndWait(Post("x"))).body, body);
  }
}

TEST_F(Http2ClientTest, StreamsHaveConnectionsOfTheirOwnAndSpeakHttp1) {
  Serve([](Http2Link& link, int connection) {
    if (link.speaks_http2()) return Echo(link, connection);
    ServeHttp1(link);
  });
  const auto client = MakeClient();
  EXPECT_EQ(Answer(client->SendAndWait({.target = "/a"})).body, "/a");
  std::string streamed;
  const auto collect = [&](std::string_view bytes) { return streamed += bytes, true; };
  EXPECT_EQ(Answer(client->StreamAndWait({}, {}, collect)).status, 200);
  EXPECT_EQ(streamed, "http1");
  EXPECT_EQ(Answer(client->SendAndWait({.target = "/b"})).body, "/b");
  EXPECT_EQ(server_->connections(), 2);
}

}  // namespace
}  // namespace gs::http
