// The client over HTTP/2 when something goes wrong: what is not sent, what is unknown, what is sent
// again, and which connection is used afterwards.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <array>
#include <atomic>
#include <future>
#include <map>
#include <stop_token>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/test_http2_fixture.h"

namespace gs::http {
namespace {

using std::chrono::milliseconds;

using Http2FailureTest = Http2Fixture;

void AnswerAll(Http2Link& link) {
  while (auto request = link.Next()) link.Answer(request->stream, 200, request->path);
}

TEST_F(Http2FailureTest, AGoodbyeSendsWhatWasNotLookedAtToANewConnection) {
  std::array<std::atomic<int>, 2> seen{};
  Serve([&seen](Http2Link& link, int connection) {
    if (connection > 0) {
      while (auto request = link.Next()) {
        ++seen[1];
        link.Answer(request->stream, 200, "new");
      }
      return;
    }
    const auto requests = link.Next(4);
    seen[0] = static_cast<int>(requests.size());
    link.peer().GoAway(requests[1].stream, NGHTTP2_NO_ERROR);
    link.Flush();
    // Answered long after, on the connection that takes nothing more.
    for (std::size_t i : {0U, 1U}) link.Answer(requests[i].stream, 200, "old");
    link.AwaitEnd();
  });
  const auto client = MakeClient({.max_running = 4});
  std::map<std::string, int> bodies;
  for (auto& outcome : SendMany(*client, 4)) ++bodies[Told(outcome.get())];
  EXPECT_EQ(bodies, (std::map<std::string, int>{{"old", 2}, {"new", 2}}));
  EXPECT_EQ(seen[0], 4);
  EXPECT_EQ(seen[1], 2);
}

TEST_F(Http2FailureTest, ARequestThatTheServerRefusesIsSentOnceMoreAndThenNotSent) {
  std::atomic<int> seen = 0;
  Serve([&seen](Http2Link& link, int) {
    while (auto request = link.Next()) {
      ++seen;
      link.peer().Reset(request->stream, NGHTTP2_REFUSED_STREAM);
      link.Flush();
    }
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait(Post("x"))),
            "not sent: the request was reset: REFUSED_STREAM");
  EXPECT_EQ(seen, 2);
}

TEST_F(Http2FailureTest, AResetIsUnknownAndTheOthersGoOn) {
  std::atomic<int> seen = 0;
  Serve([&seen](Http2Link& link, int) {
    const auto requests = link.Next(2);
    seen = static_cast<int>(requests.size());
    link.peer().Reset(requests[0].stream, NGHTTP2_INTERNAL_ERROR);
    link.Answer(requests[1].stream, 200, "ok");
    AnswerAll(link);
  });
  const auto client = MakeClient();
  auto running = SendMany(*client, 2, Method::kGet);
  EXPECT_EQ(Told(running[0].get()), "unknown: the request was reset: INTERNAL_ERROR");
  EXPECT_EQ(Told(running[1].get()), "ok");
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2FailureTest, WhenAConnectionIsCutWhatWasSentIsUnknownAndTheRestIsSentElsewhere) {
  std::atomic<int> later = 0;
  Serve([&later](Http2Link& link, int connection) {
    if (connection == 0) return (void)link.Next(2);
    while (auto request = link.Next()) {
      ++later;
      link.Answer(request->stream, 200, "ok");
    }
  });
  const auto client = MakeClient({.max_running = 2});
  std::map<std::string, int> told;
  for (auto& outcome : SendMany(*client, 5)) ++told[Told(outcome.get()).substr(0, 7)];
  EXPECT_EQ(told, (std::map<std::string, int>{{"unknown", 2}, {"ok", 3}}));
  EXPECT_EQ(later, 3);
}

TEST_F(Http2FailureTest, ReadsAreSentAgainWhenAKeptConnectionTurnsOutToBeDead) {
  std::atomic<int> posts = 0;
  Serve([&posts](Http2Link& link, int connection) {
    if (connection > 0) return AnswerAll(link);
    Answer(link, *link.Next());
    for (const auto& request : link.Next(2)) posts += request.method == "POST" ? 1 : 0;
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({})), "ok");
  auto write = SendMany(*client, 1, Method::kPost);
  auto read = SendMany(*client, 1, Method::kGet);
  EXPECT_EQ(Told(write[0].get()).substr(0, 9), "unknown: ");
  EXPECT_EQ(Told(read[0].get()), "/0");
  EXPECT_EQ(posts, 1);
}

TEST_F(Http2FailureTest, AReadOnANewConnectionThatDiesIsUnknown) {
  Serve([](Http2Link& link, int) { (void)link.Next(); });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({})).substr(0, 9), "unknown: ");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2FailureTest, AConnectionThatTheServerHasClosedIsNotUsed) {
  std::promise<void> closed;
  Serve([&closed](Http2Link& link, int connection) {
    if (connection > 0) return AnswerAll(link);
    Answer(link, *link.Next());
    link.Close();
    closed.set_value();
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({})), "ok");
  closed.get_future().wait();
  EXPECT_EQ(Told(client->SendAndWait({.method = Method::kPost, .target = "/a"})), "/a");
}

TEST_F(Http2FailureTest, ATimeoutIsUnknownAndTheServerHearsOfIt) {
  std::promise<void> arrived;
  std::promise<std::uint32_t> reset;
  Serve([&](Http2Link& link, int connection) {
    if (connection > 0) return AnswerAll(link);
    (void)link.Next();
    arrived.set_value();
    const auto heard = link.NextReset();
    reset.set_value(heard ? heard->second : 0);
  });
  const auto client = MakeClient();
  auto other = SendMany(*client, 1);  // keeps the connection open
  arrived.get_future().wait();        // so that the time is not spent on the dial
  EXPECT_EQ(Told(client->SendAndWait(Post("x"), {.timeout = milliseconds(200)})),
            "unknown: no complete response in time");
  EXPECT_EQ(reset.get_future().get(), std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_EQ(Told(other[0].get()).substr(0, 9), "unknown: ");
}

TEST_F(Http2FailureTest, AConnectionThatHasBeenSilentIsNotUsedAgain) {
  std::promise<void> over;
  Serve([&over](Http2Link& link, int connection) {
    if (connection > 0) return AnswerAll(link);
    Answer(link, *link.Next());
    over.get_future().wait();  // frozen: it neither reads nor writes
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({})), "ok");
  EXPECT_EQ(Told(client->SendAndWait({}, {.timeout = milliseconds(200)})),
            "unknown: no complete response in time");
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
  over.set_value();
  EXPECT_EQ(server_->connections(), 2);
}

TEST_F(Http2FailureTest, AConnectionThatAnswersOthersIsUsedAgain) {
  Serve([](Http2Link& link, int) {
    while (auto request = link.Next()) {
      if (request->path != "/never") link.Answer(request->stream, 200, request->path);
    }
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({.target = "/first"})), "/first");
  std::promise<Outcome> never;
  client->SendThen({.target = "/never"}, {.timeout = milliseconds(500)},
                   [&never](Outcome outcome) { never.set_value(std::move(outcome)); });
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
  EXPECT_EQ(Told(never.get_future().get()), "unknown: no complete response in time");
  EXPECT_EQ(Told(client->SendAndWait({.target = "/b"})), "/b");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2FailureTest, WhoGetsNoTurnInTimeOrIsCancelledBeforeIsNotSent) {
  std::promise<void> arrived;
  std::promise<void> over;
  Serve([&](Http2Link& link, int) {
    const auto first = link.Next();
    arrived.set_value();
    over.get_future().wait();
    Answer(link, *first);
    EXPECT_FALSE(link.Next());
  });
  const auto client = MakeClient({.max_running = 1});
  auto first = SendMany(*client, 1);
  arrived.get_future().wait();
  EXPECT_EQ(Told(client->SendAndWait(Post("x"), {.timeout = milliseconds(5)})),
            "not sent: no free connection in time");
  EXPECT_EQ(Told(client->SendAndWait(Post("x"), {.timeout = Duration(0)})),
            "not sent: no free connection in time");
  std::stop_source stop;
  auto waiting = SendMany(*client, 1, Method::kPost, {.stop = stop.get_token()});
  stop.request_stop();
  EXPECT_EQ(Told(waiting[0].get()), "not sent: cancelled");
  EXPECT_EQ(Told(client->SendAndWait(Post("x"), {.stop = stop.get_token()})),
            "not sent: cancelled");
  over.set_value();
  EXPECT_EQ(Told(first[0].get()), "ok");
}

TEST_F(Http2FailureTest, ARunningRequestCanBeCancelled) {
  std::promise<void> arrived;
  std::promise<std::uint32_t> reset;
  Serve([&](Http2Link& link, int) {
    (void)link.Next();
    arrived.set_value();
    const auto heard = link.NextReset();
    reset.set_value(heard ? heard->second : 0);
    AnswerAll(link);
  });
  const auto client = MakeClient();
  std::stop_source stop;
  auto running = SendMany(*client, 1, Method::kPost, {.stop = stop.get_token()});
  arrived.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(Told(running[0].get()), "unknown: cancelled");
  EXPECT_EQ(reset.get_future().get(), std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2FailureTest, DestroyingTheClientCancelsWhatRunsAndWhatWaits) {
  std::promise<void> arrived;
  Serve([&arrived](Http2Link& link, int) {
    (void)link.Next();
    arrived.set_value();
    link.AwaitEnd();
  });
  auto client = MakeClient({.max_running = 1});
  auto both = SendMany(*client, 2);
  arrived.get_future().wait();
  client.reset();
  EXPECT_EQ(Told(both[0].get()), "unknown: cancelled");
  EXPECT_EQ(Told(both[1].get()), "not sent: cancelled");
}

TEST_F(Http2FailureTest, AFailedDialFailsAllThatWaitForIt) {
  const auto client = MakeClient(FreePort(), {});
  for (auto& outcome : SendMany(*client, 10)) {
    const std::string told = Told(outcome.get());
    EXPECT_TRUE(told.starts_with("not sent: cannot connect to 127.0.0.1:")) << told;
    EXPECT_TRUE(told.ends_with("refused")) << told;
  }
}

TEST_F(Http2FailureTest, WhoWaitsForADialWaitsNoLongerThanItsDeadline) {
  // Accepts and never says a word of TLS.
  std::promise<void> over;
  RawServer silent([&over](RawSocket, int) { over.get_future().wait(); });
  const auto client = MakeClient(silent.port(), {});
  auto patient = SendMany(*client, 1, Method::kPost, {.timeout = milliseconds(500)});
  const std::string told = Told(client->SendAndWait(Post("x"), {.timeout = milliseconds(20)}));
  EXPECT_TRUE(told.starts_with("not sent: cannot connect to 127.0.0.1:")) << told;
  EXPECT_TRUE(told.ends_with("no connection in time")) << told;
  EXPECT_TRUE(Told(patient[0].get()).starts_with("not sent: cannot connect"));
  over.set_value();
}

TEST_F(Http2FailureTest, WhatExceedsTheLimitsIsUnknownAndTheConnectionIsKept) {
  Serve([](Http2Link& link, int) {
    link.Answer(link.Next()->stream, 200, std::string(5001, 'x'));
    link.Answer(link.Next()->stream, 200, "", {{"x-a", std::string(5000, 'x')}});
    AnswerAll(link);
  });
  const auto client = MakeClient({.limits = {.max_head_bytes = 4000, .max_body_bytes = 5000}});
  EXPECT_EQ(Told(client->SendAndWait({})), "unknown: the body exceeds the limit");
  EXPECT_EQ(Told(client->SendAndWait({})), "unknown: the head exceeds the limit");
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Http2FailureTest, BytesThatAreNoHttp2AreUnknownAndTheNextRequestHasANewConnection) {
  Serve([](Http2Link& link, int connection) {
    if (connection > 0) return AnswerAll(link);
    (void)link.Next();
    link.Write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    link.AwaitEnd();
  });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({})).substr(0, 26), "unknown: malformed HTTP/2:");
  EXPECT_EQ(Told(client->SendAndWait({.target = "/a"})), "/a");
}

TEST_F(Http2FailureTest, ARequestThatHttp2ForbidsIsNotSent) {
  Serve([](Http2Link& link, int) { AnswerAll(link); });
  const auto client = MakeClient();
  EXPECT_EQ(Told(client->SendAndWait({.headers = {{"Upgrade", "x"}}})),
            "not sent: header Upgrade: HTTP/2 has no such header");
  EXPECT_EQ(Told(client->SendAndWait({.target = "bad target"})).substr(0, 9), "not sent:");
}

TEST(Http2Lifetime, AnOutcomeIsToldAlsoWhenTheThreadsEndBefore) {
  const TestAuthority authority("authority");
  std::promise<void> arrived;
  Http2Server server(authority.Issue({.name = "server", .alternative = "IP:127.0.0.1"}),
                     [&arrived](Http2Link& link, int) {
                       (void)link.Next();
                       arrived.set_value();
                       link.AwaitEnd();
                     });
  std::promise<bool> is_unknown;
  {
    runtime::IoThreads threads(1);
    const Url url{.is_tls = true, .host = "127.0.0.1", .port = server.port()};
    const auto client =
        Client::Create(threads, url, {.tls = {.credentials = {.ca_pem = authority.pem()}}});
    ASSERT_TRUE(client.ok());
    (*client)->SendThen({}, {}, [&is_unknown](const Outcome& outcome) {
      is_unknown.set_value(std::holds_alternative<Unknown>(outcome));
    });
    arrived.get_future().wait();
    threads.Stop();
  }
  EXPECT_TRUE(is_unknown.get_future().get());
}

}  // namespace
}  // namespace gs::http
