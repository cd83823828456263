#include "adapters/http/message_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::http {
namespace {

// Feeds a response in pieces of `step` bytes, then ends it: its body, or why there is none.
std::string BodyOf(std::string_view bytes, std::size_t step, const Limits& limits = {},
                   BodyRule rule = BodyRule::kCollected) {
  MessageParser<Response> parser(limits, rule);
  std::string buffer;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    buffer += bytes.substr(at, step);
    const auto used = parser.Feed(buffer);
    if (!used) return "refused: " + std::to_string(static_cast<int>(parser.problem()));
    buffer.erase(0, *used);
  }
  if (!parser.FinishAtEnd()) return "incomplete";
  return parser.message().body;
}

TEST(MessageParser, DoesNotCareHowTheBytesAreCut) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
  const std::string with_length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde";
  const std::string until_end = "HTTP/1.1 200 OK\r\n\r\nabcde";
  const std::string empty = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (std::size_t step = 1; step < 80; ++step) {
    EXPECT_EQ(BodyOf(chunked, step), "abcde") << step;
    EXPECT_EQ(BodyOf(with_length, step), "abcde") << step;
    EXPECT_EQ(BodyOf(until_end, step), "abcde") << step;
    EXPECT_EQ(BodyOf(empty, step), "") << step;
  }
}

TEST(MessageParser, SaysWhenTheConnectionEndedInMidMessage) {
  for (const char* bytes :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    EXPECT_EQ(BodyOf(bytes, 7), "incomplete") << bytes;
  }
}

TEST(MessageParser, RefusesMalformedResponses) {
  for (const char* bytes :
       {"HELLO\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 999 X\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: empty\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\x01\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    EXPECT_EQ(BodyOf(bytes, 1000), "refused: 1") << bytes;
  }
}

TEST(MessageParser, KeepsToItsLimits) {
  const Limits small{.max_head_bytes = 64, .max_body_bytes = 4};
  const std::string wide = "HTTP/1.1 200 OK\r\nA: " + std::string(100, 'x') + "\r\n\r\n";
  EXPECT_EQ(BodyOf(wide, 1000, small), "refused: 2");
  EXPECT_EQ(BodyOf(wide, 1, small), "refused: 2");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", 9, small), "refused: 3");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\n\r\nabcde", 9, small), "refused: 3");
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde";
  EXPECT_EQ(BodyOf(chunked, 9, small), "refused: 3");
}

TEST(MessageParser, AnAnswerToHeadHasNoBodyWhateverItAnnounces) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 9, {}, BodyRule::kAbsent), "");
}

TEST(MessageParser, TellsUnknownMethods) {
  MessageParser<Request> parser({});
  EXPECT_FALSE(parser.Feed("BREW /pot HTTP/1.1\r\n\r\n").ok());
  EXPECT_EQ(parser.problem(), ParseProblem::kUnknownMethod);
}

TEST(MessageParser, LeavesTheNextMessageAlone) {
  MessageParser<Request> parser({});
  const std::string_view bytes =
      "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nokGET / HTTP/1.1\r\n";
  const auto used = parser.Feed(bytes);
  ASSERT_TRUE(used.ok());
  EXPECT_TRUE(parser.is_done());
  EXPECT_EQ(parser.message().body, "ok");
  EXPECT_EQ(bytes.substr(*used), "GET / HTTP/1.1\r\n");
}

}  // namespace
}  // namespace gs::http
