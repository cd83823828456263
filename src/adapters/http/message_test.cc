#include "adapters/http/message.h"

#include <gtest/gtest.h>

namespace gs::http {
namespace {

TEST(Message, WritesARequestHead) {
  EXPECT_EQ(PrintHead(Request{.target = "/x", .headers = {{"Accept", "a/b"}}}, "host:1"),
            "GET /x HTTP/1.1\r\nHost: host:1\r\nAccept: a/b\r\n\r\n");
  EXPECT_EQ(PrintHead(Request{.method = Method::kPost, .headers = {{"host", "own"}}}, "host"),
            "POST / HTTP/1.1\r\nhost: own\r\nContent-Length: 0\r\n\r\n");
}

TEST(Message, WritesAResponseHead) {
  const Response response{.status = 404, .headers = {{"A", "b"}}, .body = "four"};
  EXPECT_EQ(PrintHead(response, Framing::kLength, Connection::kKeep),
            "HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(PrintHead({.status = 204}, Framing::kLength, Connection::kClose),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(PrintHead({.status = 299}, Framing::kChunked, Connection::kKeep),
            "HTTP/1.1 299 \r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(PrintChunk(std::string(17, 'x')), "11\r\nxxxxxxxxxxxxxxxxx\r\n");
}

TEST(Message, RefusesWhatWouldSmuggleASecondMessage) {
  EXPECT_TRUE(CheckRequest({.target = "/a?b=%20"}).ok());
  for (const char* target : {"", "a", "/a b", "/a\r\nX: y", "/\x7F"}) {
    EXPECT_FALSE(CheckRequest({.target = target}).ok()) << target;
  }
  EXPECT_FALSE(CheckRequest({.headers = {{"A", "b\r\nC: d"}}}).ok());
  EXPECT_FALSE(CheckRequest({.headers = {{"A:", "b"}}}).ok());
  EXPECT_FALSE(CheckRequest({.headers = {{"", "b"}}}).ok());
  const auto ours = CheckRequest({.headers = {{"content-length", "3"}}});
  EXPECT_EQ(ToString(ours.error()),
            "header content-length: is written by the HTTP layer; leave it out");
  EXPECT_FALSE(CheckResponse({.status = 100}).ok());
  EXPECT_FALSE(CheckResponse({.status = 600}).ok());
}

TEST(Message, HeadersAreFoundWhateverTheirCase) {
  const Headers headers{{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(*headers.Find("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.Find("Accept"), nullptr);
}

TEST(Method, HasACase) {
  EXPECT_EQ(ParseMethod("PATCH"), Method::kPatch);
  EXPECT_EQ(ParseMethod("patch"), std::nullopt);
  EXPECT_EQ(ToString(Method::kDelete), "DELETE");
}

}  // namespace
}  // namespace gs::http
