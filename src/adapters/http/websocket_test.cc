#include "adapters/http/websocket.h"

#include <gtest/gtest.h>

#include "adapters/http/test_peer.h"

namespace gs::http {
namespace {

// The key and its answer are the example of RFC 6455.
constexpr std::string_view kHandshake =
    "GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: old, new\r\n\r\n";

TEST(WebSocket, TellsItsMessagesAndSaysGoodbye) {
  runtime::IoThreads threads(1);
  const auto server =
      Server::Start(threads, {}, [](Request request) -> boost::asio::awaitable<Reply> {
        co_return *TellByWebSocket(request.headers, "new", {"hello", "world"});
      });
  ASSERT_TRUE(server.ok());
  RawSocket socket = RawSocket::Connect((*server)->port());
  socket.Write(kHandshake);
  EXPECT_EQ(socket.ReadUntil("\r\n\r\n"),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: new\r\n"
            "Connection: Upgrade\r\n\r\n");
  EXPECT_EQ(socket.ReadAll(), "\x82\x05hello\x82\x05world\x88\x02\x03\xe8");
}

TEST(WebSocket, OnlyForWhoeverAsksForItsProtocol) {
  const Headers asked{
      {"Upgrade", "websocket"}, {"Sec-WebSocket-Key", "x"}, {"Sec-WebSocket-Protocol", "new"}};
  EXPECT_TRUE(TellByWebSocket(asked, "new", {}).has_value());
  EXPECT_FALSE(TellByWebSocket(asked, "newer", {}).has_value());
  EXPECT_FALSE(TellByWebSocket({}, "new", {}).has_value());
}

TEST(WebSocket, LongMessagesHaveLongerLengths) {
  EXPECT_EQ(PrintMessage(std::string(125, 'x')).substr(0, 2), "\x82\x7d");
  EXPECT_EQ(PrintMessage(std::string(256, 'x')).substr(0, 4), std::string("\x82\x7e\x01\x00", 4));
  EXPECT_EQ(PrintMessage(std::string(65536, 'x')).substr(0, 10),
            std::string("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

}  // namespace
}  // namespace gs::http
