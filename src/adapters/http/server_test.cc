#include "adapters/http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/test_peer.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kEndOfHead = "\r\n\r\n";

// Answers with what it was asked.
asio::awaitable<Reply> Echo(Request request) {
  co_return Response{.body = std::string(ToString(request.method)) + " " + request.target + " " +
                             request.body};
}

class ServerTest : public testing::Test {
 protected:
  std::unique_ptr<Server> Start(Handler handler, ServerOptions options = {}) {
    auto server = Server::Start(threads_, std::move(options), std::move(handler));
    return *std::move(server);
  }
  std::unique_ptr<Client> ClientOf(const Server& server) {
    return *Client::Create(threads_, {.host = "127.0.0.1", .port = server.port()}, {});
  }

  runtime::IoThreads threads_{2};
};

// What a fresh connection gets for these bytes, until the server closes it.
std::string AnswerTo(const Server& server, std::string_view bytes) {
  RawSocket socket = RawSocket::Connect(server.port());
  socket.Write(bytes);
  return socket.ReadAll();
}

std::string StatusLine(const std::string& answer) { return answer.substr(0, answer.find('\r')); }

TEST_F(ServerTest, AnswersOnAFreePortAndKeepsTheConnection) {
  const auto server = Start(Echo);
  ASSERT_NE(server->port(), 0);
  RawSocket socket = RawSocket::Connect(server->port());
  for (int i = 0; i < 3; ++i) {
    socket.Write("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_EQ(socket.ReadUntil("hi"), "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nPOST /x hi");
  }
}

TEST_F(ServerTest, AnswersRequestsThatCameTogetherInOrder) {
  const auto server = Start(Echo);
  const std::string answer = AnswerTo(
      *server, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n");
  const auto first = answer.find("GET /1 ");
  EXPECT_NE(first, std::string::npos);
  EXPECT_GT(answer.find("GET /2 "), first);
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(ServerTest, HeadHasTheLengthAndNoBody) {
  const auto server = Start(Echo);
  EXPECT_EQ(AnswerTo(*server, "HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 8\r\n\r\n");
  const auto client = ClientOf(*server);
  const Outcome outcome = client->SendAndWait({.method = Method::kHead});
  EXPECT_EQ(std::get<Response>(outcome).body, "");
}

TEST_F(ServerTest, RefusesWhatIsMalformedTooLargeOrUnknown) {
  const auto server = Start(Echo, {.limits = {.max_head_bytes = 256, .max_body_bytes = 16}});
  const auto status = [&server](const std::string& bytes) {
    return StatusLine(AnswerTo(*server, bytes));
  };
  EXPECT_EQ(status("hello\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nbad header\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nA: " + std::string(5000, 'x') + "\r\n\r\n"),
            "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_EQ(status("POST / HTTP/1.1\r\nContent-Length: 17\r\n\r\n"),
            "HTTP/1.1 413 Content Too Large");
  EXPECT_EQ(
      status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + std::string(255, 'x')),
      "HTTP/1.1 413 Content Too Large");
  EXPECT_EQ(status("BREW / HTTP/1.1\r\n\r\n"), "HTTP/1.1 501 Not Implemented");
}

TEST_F(ServerTest, ARefusalIsReadEvenByAClientThatIsStillSending) {
  const auto server = Start(Echo, {.limits = {.max_body_bytes = 16}});
  const auto client = ClientOf(*server);
  const Outcome outcome =
      client->SendAndWait({.method = Method::kPost, .body = std::string(1 << 16, 'x')});
  ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << *ErrorOf(outcome);
  EXPECT_EQ(std::get<Response>(outcome).status, 413);
}

TEST_F(ServerTest, InvitesABodyThatWaitsToBeInvited) {
  const auto server = Start(Echo);
  RawSocket socket = RawSocket::Connect(server->port());
  socket.Write("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(socket.ReadUntil(kEndOfHead), "HTTP/1.1 100 Continue\r\n\r\n");
  socket.Write("body");
  EXPECT_TRUE(socket.ReadUntil("body").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, AHandlerThatThrowsOrAnswersNonsenseIsA500) {
  const auto server = Start([](Request request) -> asio::awaitable<Reply> {
    if (request.target == "/throw") throw std::runtime_error("boom");
    co_return Response{.headers = {{"A", "b\r\nc"}}};
  });
  const auto client = ClientOf(*server);
  for (const char* target : {"/throw", "/header"}) {
    const Outcome outcome = client->SendAndWait({.target = target});
    EXPECT_EQ(std::get<Response>(outcome).status, 500) << target;
  }
}

TEST_F(ServerTest, StreamsPiecesAsTheyAreWritten) {
  const auto server = Start([](Request) -> asio::awaitable<Reply> {
    co_return Reply({}, [](BodyWriter& writer) -> asio::awaitable<void> {
      for (const char* piece : {"one ", "", "two ", "three"}) co_await writer.Write(piece);
    });
  });
  const auto client = ClientOf(*server);
  std::string seen;
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = client->StreamAndWait({}, {}, [&seen](std::string_view bytes) {
      seen += bytes;
      return true;
    });
    EXPECT_TRUE(std::holds_alternative<Response>(outcome));
  }
  EXPECT_EQ(seen, "one two threeone two three");
}

TEST_F(ServerTest, AStreamThatThrowsBreaksOff) {
  const auto server = Start([](Request) -> asio::awaitable<Reply> {
    co_return Reply({}, [](BodyWriter& writer) -> asio::awaitable<void> {
      co_await writer.Write("one");
      throw std::runtime_error("boom");
    });
  });
  const Outcome outcome = ClientOf(*server)->SendAndWait({});
  EXPECT_TRUE(std::holds_alternative<Unknown>(outcome));
}

TEST_F(ServerTest, AHandlerMayCloseTheConnectionWithoutAnAnswer) {
  const auto server = Start([](Request) -> asio::awaitable<Reply> { co_return Reply::Silence(); });
  EXPECT_EQ(AnswerTo(*server, "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"), "");
  const Outcome outcome = ClientOf(*server)->SendAndWait({.method = Method::kPost});
  EXPECT_TRUE(std::holds_alternative<Unknown>(outcome));
}

TEST_F(ServerTest, CutsOffSlowClients) {
  const auto server = Start(Echo, {.head_timeout = milliseconds(20),
                                   .body_timeout = milliseconds(20),
                                   .idle_timeout = milliseconds(20)});
  EXPECT_EQ(AnswerTo(*server, ""), "");
  EXPECT_EQ(AnswerTo(*server, "GET / HT"), "");
  EXPECT_EQ(AnswerTo(*server, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"), "");
}

TEST_F(ServerTest, ClosesAConnectionTooMany) {
  const auto server = Start(Echo, {.max_connections = 1});
  RawSocket first = RawSocket::Connect(server->port());
  first.Write("GET / HTTP/1.1\r\n\r\n");
  EXPECT_NE(first.ReadUntil("GET / "), "");
  EXPECT_EQ(AnswerTo(*server, ""), "");
}

TEST_F(ServerTest, ServesManyRequestsAtATime) {
  const auto server = Start(Echo);
  const auto client = ClientOf(*server);
  std::vector<std::future<Outcome>> running;
  for (int i = 0; i < 300; ++i) {
    Request request{.method = Method::kPost, .target = "/" + std::to_string(i), .body = "b"};
    running.push_back(
        asio::co_spawn(threads_.context(), client->Send(std::move(request)), asio::use_future));
  }
  for (int i = 0; i < 300; ++i) {
    const Outcome outcome = running.at(static_cast<std::size_t>(i)).get();
    ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << *ErrorOf(outcome);
    EXPECT_EQ(std::get<Response>(outcome).body, "POST /" + std::to_string(i) + " b");
  }
}

// A handler that is entered, and answers only when the test lets it. It owns what it refers to,
// because a handler that was cut off ends later than the test.
struct Gate : std::enable_shared_from_this<Gate> {
  Handler handler() {
    return [self = shared_from_this()](Request) -> asio::awaitable<Reply> {
      const std::shared_ptr<Gate> gate = self;
      asio::steady_timer timer(co_await asio::this_coro::executor);
      gate->entered.set_value();
      while (!gate->is_open) {
        timer.expires_after(milliseconds(1));
        co_await timer.async_wait(asio::use_awaitable);
      }
      co_return Response{.body = "finished"};
    };
  }
  std::promise<void> entered;
  std::atomic<bool> is_open = false;
};

TEST_F(ServerTest, AfterALastReplyTheConnectionIsClosed) {
  const auto server = Start([](Request /*request*/) -> asio::awaitable<Reply> {
    Reply reply = Response{.body = "bye"};
    reply.is_last = true;
    co_return reply;
  });
  EXPECT_EQ(AnswerTo(*server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbye");
}

TEST_F(ServerTest, AGracefulShutdownFinishesWhatRunsAndAcceptsNothingMore) {
  const auto gate = std::make_shared<Gate>();
  const auto server = Start(gate->handler());
  RawSocket resting = RawSocket::Connect(server->port());
  const auto client = ClientOf(*server);
  auto running = asio::co_spawn(threads_.context(), client->Send({}), asio::use_future);
  gate->entered.get_future().wait();
  std::jthread shutdown([&server] { server->Shutdown(seconds(30)); });
  EXPECT_EQ(resting.ReadAll(), "");  // closed although the other request still runs
  gate->is_open = true;
  const Outcome outcome = running.get();
  ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << *ErrorOf(outcome);
  EXPECT_EQ(std::get<Response>(outcome).body, "finished");
  shutdown.join();
  EXPECT_TRUE(std::holds_alternative<NotSent>(client->SendAndWait({})));
}

TEST_F(ServerTest, AShutdownWithoutGraceCutsOffWhatRuns) {
  const auto gate = std::make_shared<Gate>();
  const auto server = Start(gate->handler());
  const auto client = ClientOf(*server);
  auto running =
      asio::co_spawn(threads_.context(), client->Send({.method = Method::kPost}), asio::use_future);
  gate->entered.get_future().wait();
  server->Shutdown(Duration(0));
  EXPECT_TRUE(std::holds_alternative<Unknown>(running.get()));
  gate->is_open = true;
}

TEST_F(ServerTest, AShutdownTellsStreamsToEnd) {
  const auto streaming = std::make_shared<std::promise<void>>();
  const auto server = Start([streaming](Request) -> asio::awaitable<Reply> {
    co_return Reply({}, [streaming](BodyWriter& writer) -> asio::awaitable<void> {
      asio::steady_timer timer(co_await asio::this_coro::executor);
      co_await writer.Write("first");
      streaming->set_value();
      while (!writer.stop().stop_requested()) {
        timer.expires_after(milliseconds(1));
        co_await timer.async_wait(asio::use_awaitable);
      }
      co_await writer.Write(" last");
    });
  });
  const auto client = ClientOf(*server);
  auto running = asio::co_spawn(threads_.context(), client->Send({}), asio::use_future);
  streaming->get_future().wait();
  server->Shutdown(seconds(30));
  const Outcome outcome = running.get();
  ASSERT_TRUE(std::holds_alternative<Response>(outcome)) << *ErrorOf(outcome);
  EXPECT_EQ(std::get<Response>(outcome).body, "first last");
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  const auto server = Start(Echo);
  const auto second = Server::Start(threads_, {.port = server->port()}, Echo);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(ToString(second.error()).find("cannot listen on 127.0.0.1:"), std::string::npos);
  EXPECT_FALSE(Server::Start(threads_, {.address = "localhost"}, Echo).ok());
}

}  // namespace
}  // namespace gs::http
