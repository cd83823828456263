#include "adapters/http/client.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <latch>
#include <vector>

#include "adapters/http/test_peer.h"

namespace gs::http {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ClientTest : public testing::Test {
 protected:
  std::unique_ptr<Client> MakeClient(std::uint16_t port, ClientOptions options = {}) {
    auto client = Client::Create(threads_, {.host = "127.0.0.1", .port = port}, std::move(options));
    return *std::move(client);
  }

  runtime::IoThreads threads_{2};
};

const Response& Answer(const Outcome& outcome) {
  static const Response kNone{.status = 0};
  const auto* response = std::get_if<Response>(&outcome);
  if (response != nullptr) return *response;
  ADD_FAILURE() << *ErrorOf(outcome);
  return kNone;
}

bool IsNotSent(const Outcome& outcome) { return std::holds_alternative<NotSent>(outcome); }
bool IsUnknown(const Outcome& outcome) { return std::holds_alternative<Unknown>(outcome); }
std::string Why(const Outcome& outcome) {
  const Error* error = ErrorOf(outcome);
  return error == nullptr ? "" : ToString(*error);
}

Request Post(std::string body) { return {.method = Method::kPost, .body = std::move(body)}; }

TEST_F(ClientTest, SendsARequestAndReadsTheAnswer) {
  std::string seen;
  {
    RawServer server([&seen](RawSocket socket, int) {
      seen = socket.ReadUntil("ping");
      socket.Write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nX-A: b\r\n");
      socket.Write("Content-Length: 4\r\n\r\npong");
    });
    const auto client = MakeClient(server.port());
    const Outcome outcome = client->SendAndWait(Post("ping"));
    EXPECT_EQ(Answer(outcome).status, 201);
    EXPECT_EQ(Answer(outcome).body, "pong");
    ASSERT_NE(Answer(outcome).headers.Find("x-a"), nullptr);
    EXPECT_EQ(*Answer(outcome).headers.Find("x-a"), "b");
  }
  EXPECT_TRUE(seen.starts_with("POST / HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_TRUE(seen.ends_with("Content-Length: 4\r\n\r\nping"));
}

TEST_F(ClientTest, KeepsAConnectionForTheNextRequest) {
  std::atomic<int> connections = 0;
  RawServer server([&connections](RawSocket socket, int) {
    ++connections;
    while (!socket.ReadUntil(kEndOfHead).empty()) socket.Write(kOk);
  });
  const auto client = MakeClient(server.port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Answer(client->SendAndWait({})).body, "ok");
  EXPECT_EQ(connections, 1);
}

TEST_F(ClientTest, ClosesARestingConnectionAfterTheIdleTimeout) {
  std::promise<void> closed;
  RawServer server([&closed](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write(kOk);
    if (socket.ReadAll().empty()) closed.set_value();
  });
  const auto client = MakeClient(server.port(), {.idle_timeout = milliseconds(5)});
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  closed.get_future().get();
}

TEST_F(ClientTest, ARefusedConnectionIsNotSent) {
  const auto client = MakeClient(FreePort());
  const Outcome outcome = client->SendAndWait(Post("x"));
  EXPECT_TRUE(IsNotSent(outcome));
  EXPECT_NE(Why(outcome).find("cannot connect to 127.0.0.1:"), std::string::npos) << Why(outcome);
  EXPECT_NE(Why(outcome).find("refused"), std::string::npos) << Why(outcome);
}

TEST_F(ClientTest, AMalformedRequestIsNotSent) {
  const auto client = MakeClient(FreePort());
  EXPECT_TRUE(IsNotSent(client->SendAndWait({.target = "/a\r\nb"})));
}

TEST_F(ClientTest, AServerThatReadsAndClosesLeavesTheOutcomeUnknown) {
  RawServer server([](RawSocket socket, int) { (void)socket.ReadUntil("body"); });
  const auto client = MakeClient(server.port());
  EXPECT_TRUE(IsUnknown(client->SendAndWait(Post("body"))));
  EXPECT_TRUE(IsUnknown(client->SendAndWait({.target = "/body"})));
}

TEST_F(ClientTest, AResetLeavesTheOutcomeUnknown) {
  RawServer server([](RawSocket socket, int) {
    (void)socket.ReadUntil("body");
    socket.Reset();
  });
  const auto client = MakeClient(server.port());
  EXPECT_TRUE(IsUnknown(client->SendAndWait(Post("body"))));
}

TEST_F(ClientTest, TheDeadlineCoversASilentServer) {
  std::promise<void> done;
  RawServer server([&done](RawSocket socket, int) {
    (void)socket.ReadUntil("body");
    done.get_future().wait();
  });
  const auto client = MakeClient(server.port());
  const Outcome outcome = client->SendAndWait(Post("body"), {.timeout = milliseconds(1000)});
  done.set_value();
  EXPECT_TRUE(IsUnknown(outcome));
  EXPECT_EQ(Why(outcome), "no complete response in time");
}

TEST_F(ClientTest, ADeadlineThatHasPassedIsNotSent) {
  RawServer server([](RawSocket socket, int) { (void)socket.ReadAll(); });
  const auto client = MakeClient(server.port());
  EXPECT_TRUE(IsNotSent(client->SendAndWait(Post("x"), {.timeout = Duration(0)})));
}

// Every answer that is not a complete response, however it fails.
TEST_F(ClientTest, BrokenAnswersLeaveTheOutcomeUnknown) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "SSH-2.0-OpenSSH\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
      "HTTP/1.1 200 OK\r\nA: " + std::string(100000, 'x') + "\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x'),
      "HTTP/1.1 200 OK\r\n\r\n" + std::string(5000, 'x'),
  };
  RawServer server([&answers](RawSocket socket, int connection) {
    (void)socket.ReadUntil("body");
    socket.Write(answers.at(static_cast<std::size_t>(connection)));
  });
  const auto client = MakeClient(server.port(), {.limits = {.max_body_bytes = 4096}});
  for (const std::string& answer : answers) {
    EXPECT_TRUE(IsUnknown(client->SendAndWait(Post("body")))) << answer.substr(0, 60);
  }
}

TEST_F(ClientTest, AWriteOnADeadConnectionIsNeverSentTwice) {
  std::atomic<int> posts = 0;
  RawServer server([&posts](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write(kOk);
    // The second request is read and never answered: the connection was good when it was sent.
    if (!socket.ReadUntil("body").empty()) ++posts;
  });
  const auto client = MakeClient(server.port());
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  EXPECT_TRUE(IsUnknown(client->SendAndWait(Post("body"))));
  EXPECT_EQ(posts, 1);
}

TEST_F(ClientTest, AConnectionThatTheServerHasClosedIsNotUsed) {
  std::atomic<int> posts = 0;
  std::promise<void> closed;
  RawServer server([&](RawSocket socket, int connection) {
    const std::string request = socket.ReadUntil(kEndOfHead);
    if (request.starts_with("POST")) ++posts;
    socket.Write(kOk);
    socket.Close();
    if (connection == 0) closed.set_value();
  });
  const auto client = MakeClient(server.port());
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  closed.get_future().wait();
  EXPECT_EQ(Answer(client->SendAndWait(Post(""))).status, 200);
  EXPECT_EQ(posts, 1);
}

TEST_F(ClientTest, ARequestThatIsCancelledBeforehandIsNotSentEvenOnAKeptConnection) {
  RawServer server([](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write(kOk);
    EXPECT_EQ(socket.ReadAll(), "");
  });
  const auto client = MakeClient(server.port());
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = client->SendAndWait(Post("x"), {.stop = stop.get_token()});
  EXPECT_TRUE(IsNotSent(outcome));
  EXPECT_EQ(Why(outcome), "cancelled");
  EXPECT_TRUE(IsNotSent(client->SendAndWait(Post("x"), {.timeout = Duration(0)})));
}

TEST_F(ClientTest, AReadOnADeadConnectionIsRepeatedOnce) {
  std::array<std::atomic<int>, 2> requests{};
  RawServer server([&requests](RawSocket socket, int connection) {
    for (int i = 0; !socket.ReadUntil(kEndOfHead).empty(); ++i) {
      ++requests.at(connection == 0 ? 0 : 1);
      if (connection == 0 && i == 1) return;  // reads the second request and closes
      socket.Write(kOk);
    }
  });
  const auto client = MakeClient(server.port());
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  EXPECT_EQ(requests[0], 2);
  EXPECT_EQ(requests[1], 1);
}

TEST_F(ClientTest, AReadIsNotRepeatedWhenSomethingHadArrived) {
  std::atomic<int> connections = 0;
  RawServer server([&connections](RawSocket socket, int) {
    ++connections;
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write(kOk);
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write("HTTP/1.1 2");
  });
  const auto client = MakeClient(server.port());
  EXPECT_EQ(Answer(client->SendAndWait({})).status, 200);
  EXPECT_TRUE(IsUnknown(client->SendAndWait({})));
  EXPECT_EQ(connections, 1);
}

TEST_F(ClientTest, StreamsABodyAsItComes) {
  std::promise<void> first_seen;
  RawServer server([&first_seen](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    first_seen.get_future().wait();  // the first piece must not wait for the second
    socket.Write("3\r\ntwo\r\n0\r\n\r\n");
  });
  const auto client = MakeClient(server.port());
  std::string seen;
  const Outcome outcome = client->StreamAndWait({}, {}, [&](std::string_view bytes) {
    if (seen.empty()) first_seen.set_value();
    seen += bytes;
    return true;
  });
  EXPECT_EQ(Answer(outcome).status, 200);
  EXPECT_EQ(seen, "onetwo");
}

TEST_F(ClientTest, TheHeadOfAStreamIsToldBeforeItsBody) {
  std::promise<void> head_seen;
  RawServer server([&head_seen](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write("HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n");
    head_seen.get_future().wait();  // a body may be long in coming
    socket.Write("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
  });
  const auto client = MakeClient(server.port());
  StreamOptions options;
  options.on_head = [&head_seen](const Response& head) {
    EXPECT_EQ(*head.headers.Find("X-A"), "b");
    head_seen.set_value();  // a second call would throw
  };
  const Outcome outcome =
      client->StreamAndWait({}, std::move(options), [](std::string_view) { return true; });
  EXPECT_EQ(Answer(outcome).status, 200);
}

TEST_F(ClientTest, ARefusedStreamHasItsExplanationInTheBody) {
  RawServer server([](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write("HTTP/1.1 410 Gone\r\nContent-Length: 7\r\n\r\ntoo old");
  });
  const auto client = MakeClient(server.port());
  const auto never = [](std::string_view) { return ADD_FAILURE(), true; };
  const Outcome outcome = client->StreamAndWait({}, {}, never);
  EXPECT_EQ(Answer(outcome).status, 410);
  EXPECT_EQ(Answer(outcome).body, "too old");
}

// Streams "one" and then stays silent until the client goes.
void StreamOnce(RawSocket socket, int) {
  (void)socket.ReadUntil(kEndOfHead);
  socket.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  (void)socket.ReadAll();
}

TEST_F(ClientTest, AStreamEndsWhenItsReaderHasEnough) {
  RawServer server(StreamOnce);
  const auto client = MakeClient(server.port());
  const Outcome outcome = client->StreamAndWait({}, {}, [](std::string_view) { return false; });
  EXPECT_EQ(Answer(outcome).status, 200);
}

// Streams 4 MiB and leaves the end to its caller.
void StreamMuch(RawSocket& socket) {
  (void)socket.ReadUntil(kEndOfHead);
  socket.Write("HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string piece = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  for (int i = 0; i < 64; ++i) socket.Write(piece);
}

TEST_F(ClientTest, AStreamEndsWhenItsReaderHasEnoughAndMuchMoreIsThere) {
  RawServer server([](RawSocket socket, int) {
    StreamMuch(socket);
    (void)socket.ReadAll();
  });
  const auto client = MakeClient(server.port());
  std::size_t calls = 0;
  const Outcome outcome = client->StreamAndWait({}, {}, [&](std::string_view) {
    // While this one waits for an answer, the client reads until it may not read any more.
    (void)client->SendAndWait({.target = "bad target"});
    return ++calls < 3;
  });
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(Answer(outcome).status, 200);
  EXPECT_EQ(*Answer(outcome).headers.Find("X-A"), "b");
}

TEST_F(ClientTest, WhatCameBeforeAStreamBrokeOffIsTold) {
  RawServer server([](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntw");
  });
  const auto client = MakeClient(server.port());
  std::string seen;
  const Outcome outcome = client->StreamAndWait(
      {}, {}, [&seen](std::string_view bytes) { return seen += bytes, true; });
  EXPECT_TRUE(IsUnknown(outcome));
  EXPECT_EQ(seen, "onetw");
}

TEST_F(ClientTest, AStreamCanBeCancelledFromOutside) {
  RawServer server(StreamOnce);
  const auto client = MakeClient(server.port());
  std::stop_source stop;
  const Outcome outcome = client->StreamAndWait(
      {}, {.stop = stop.get_token()}, [&stop](std::string_view) { return stop.request_stop(); });
  EXPECT_TRUE(IsUnknown(outcome));
  EXPECT_EQ(Why(outcome), "cancelled");
}

TEST_F(ClientTest, ASilentStreamIsCutOff) {
  RawServer server(StreamOnce);
  const auto client = MakeClient(server.port());
  const Outcome outcome = client->StreamAndWait({}, {.idle_timeout = milliseconds(10)},
                                                [](std::string_view) { return true; });
  EXPECT_EQ(Why(outcome), "no complete response in time");
}

TEST_F(ClientTest, AStreamIsReadOnTheWaitingThreadAndNoFasterThanThat) {
  RawServer server([](RawSocket socket, int) {
    StreamMuch(socket);
    socket.Write("0\r\n\r\n");
  });
  const auto client = MakeClient(server.port());
  std::size_t bytes = 0;
  bool is_inside = false;
  const Outcome outcome = client->StreamAndWait(
      {}, {.idle_timeout = std::chrono::seconds(30)}, [&](std::string_view piece) {
        EXPECT_FALSE(std::exchange(is_inside, true));
        bytes += piece.size();
        // Another request is served meanwhile, so the reader does not hold the strand.
        EXPECT_TRUE(std::holds_alternative<NotSent>(client->SendAndWait({.target = "bad target"})));
        is_inside = false;
        return true;
      });
  EXPECT_EQ(Answer(outcome).status, 200);
  EXPECT_EQ(bytes, 64U * 0x10000U);
}

TEST_F(ClientTest, TellsTheOutcomeLater) {
  RawServer server([](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    socket.Write(kOk);
  });
  std::promise<int> status;
  const auto client = MakeClient(server.port());
  client->SendThen({}, {},
                   [&status](const Outcome& outcome) { status.set_value(Answer(outcome).status); });
  EXPECT_EQ(status.get_future().get(), 200);
}

TEST_F(ClientTest, HooksAreCalledBeforeTheWriteAndBeforeTheAnswerIsTold) {
  std::atomic<bool> has_arrived = false;
  std::vector<std::string> moments;
  RawServer server([&has_arrived](RawSocket socket, int) {
    (void)socket.ReadUntil("ping");
    has_arrived = true;
    socket.Write(kOk);
  });
  ClientOptions options;
  options.hooks.before_write = [&](const Request& request) {
    moments.push_back((has_arrived ? "too late for " : "before ") + request.body);
  };
  options.hooks.on_answer = [&](const Request& request, const Response& response) {
    moments.push_back(response.body + " after " + request.body);
  };
  const auto client = MakeClient(server.port(), std::move(options));
  EXPECT_EQ(Answer(client->SendAndWait(Post("ping"))).status, 200);
  EXPECT_EQ(moments, (std::vector<std::string>{"before ping", "ok after ping"}));
}

TEST(ClientLifetime, AnOutcomeIsToldAlsoWhenTheThreadsEndBefore) {
  std::promise<bool> is_unknown;
  RawServer server([](RawSocket socket, int) { (void)socket.ReadAll(); });
  {
    runtime::IoThreads threads(1);
    const auto client = Client::Create(threads, {.host = "127.0.0.1", .port = server.port()}, {});
    ASSERT_TRUE(client.ok());
    (*client)->SendThen({}, {}, [&is_unknown](const Outcome& outcome) {
      is_unknown.set_value(std::holds_alternative<Unknown>(outcome) ||
                           std::holds_alternative<NotSent>(outcome));
    });
    threads.Stop();
  }
  EXPECT_TRUE(is_unknown.get_future().get());
}

TEST_F(ClientTest, MoreRequestsThanSlotsWaitForTheirTurn) {
  RawServer server([](RawSocket socket, int) {
    while (!socket.ReadUntil(kEndOfHead).empty()) socket.Write(kOk);
  });
  // The server serves one connection at a time, so a second one would hang.
  const auto client = MakeClient(server.port(), {.max_running = 1});
  std::vector<std::future<Outcome>> running;
  running.reserve(50);
  for (int i = 0; i < 50; ++i) {
    running.push_back(
        boost::asio::co_spawn(threads_.context(), client->Send({}), boost::asio::use_future));
  }
  for (auto& outcome : running) EXPECT_EQ(Answer(outcome.get()).body, "ok");
}

TEST_F(ClientTest, ARequestThatGetsNoSlotInTimeIsNotSent) {
  std::promise<void> started;
  std::promise<void> done;
  RawServer server([&](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    started.set_value();
    done.get_future().wait();
    socket.Write(kOk);
  });
  const auto client = MakeClient(server.port(), {.max_running = 1});
  auto first = boost::asio::co_spawn(threads_.context(), client->Send({}), boost::asio::use_future);
  started.get_future().wait();
  const Outcome second = client->SendAndWait(Post("x"), {.timeout = milliseconds(5)});
  EXPECT_TRUE(IsNotSent(second));
  EXPECT_EQ(Why(second), "no free connection in time");
  done.set_value();
  EXPECT_EQ(Answer(first.get()).status, 200);
}

TEST_F(ClientTest, DestroyingTheClientCancelsWhatRuns) {
  std::promise<void> started;
  RawServer server([&started](RawSocket socket, int) {
    (void)socket.ReadUntil(kEndOfHead);
    started.set_value();
    (void)socket.ReadAll();
  });
  auto client = MakeClient(server.port());
  auto running =
      boost::asio::co_spawn(threads_.context(), client->Send({}), boost::asio::use_future);
  started.get_future().wait();
  client.reset();
  EXPECT_EQ(Why(running.get()), "cancelled");
}

}  // namespace
}  // namespace gs::http
