#include "adapters/http/http2_session.h"

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <array>
#include <map>

#include "adapters/http/test_http2_peer.h"

namespace gs::http {
namespace {

constexpr std::size_t kMuch = std::size_t{1} << 30;

// A session and a server that hear each other, without anything between them.
class Http2SessionTest : public testing::Test {
 protected:
  StreamId Submit(const Request& request) {
    const auto stream = session_.Submit(request, "example:6443");
    EXPECT_TRUE(stream.ok());
    return stream ? *stream : 0;
  }
  // Both say what they have to say until neither has anything.
  void Talk() {
    for (bool is_quiet = false; !is_quiet;) {
      std::string out;
      EXPECT_TRUE(session_.Collect(out, kMuch).ok());
      EXPECT_TRUE(peer_.Receive(out));
      const std::string in = peer_.Collect();
      EXPECT_TRUE(session_.Receive(in).ok());
      is_quiet = in.empty() && out.empty();
    }
  }
  StreamEnd OnlyEnd() {
    auto ends = session_.TakeEnds();
    EXPECT_EQ(ends.size(), 1U);
    return ends.size() == 1 ? std::move(ends.front()) : StreamEnd{.stream = 0, .how = Response{}};
  }

  Http2Session session_{{.max_head_bytes = 1000, .max_body_bytes = 5000}};
  Http2Peer peer_;
  const Request get_{.target = "/a"};
  const Request post_{.method = Method::kPost, .target = "/b", .body = "ping"};
};

TEST_F(Http2SessionTest, ARequestArrivesWithLowerCaseNamesAndItsLength) {
  Request request = post_;
  request.headers.Add("X-Mixed-Case", "Value");
  const StreamId stream = Submit(request);
  Talk();
  const auto seen = peer_.Next();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->stream, stream);
  EXPECT_EQ(seen->method + " " + seen->path + " " + seen->authority, "POST /b example:6443");
  EXPECT_EQ(seen->body, "ping");
  const Headers want{{":scheme", "https"}, {"x-mixed-case", "Value"}, {"content-length", "4"}};
  EXPECT_EQ(seen->headers.entries(), want.entries());
}

TEST_F(Http2SessionTest, HostBecomesTheAuthority) {
  Submit({.headers = {{"Host", "other"}}});
  Talk();
  EXPECT_EQ(peer_.Next()->authority, "other");
}

TEST_F(Http2SessionTest, HeadersOfTheConnectionAreRefused) {
  for (const char* name : {"Keep-Alive", "upgrade", "Proxy-Connection", "TE"}) {
    EXPECT_FALSE(session_.Submit({.headers = {{name, "x"}}}, "a").ok()) << name;
  }
}

TEST_F(Http2SessionTest, AnAnswerHasItsHeadersAndBody) {
  const StreamId stream = Submit(get_);
  Talk();
  peer_.SendHead(stream, 103, {{"x-early", "1"}});
  peer_.Answer(stream, 201, "pong", {{"x-a", "b"}});
  Talk();
  const StreamEnd end = OnlyEnd();
  EXPECT_EQ(end.stream, stream);
  const auto& response = std::get<Response>(end.how);
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "pong");
  ASSERT_NE(response.headers.Find("X-A"), nullptr);
  EXPECT_EQ(response.headers.Find("x-early"), nullptr);
}

TEST_F(Http2SessionTest, AnswersMayComeInAnyOrderAndInAnyPieces) {
  const std::array<StreamId, 2> streams = {Submit(get_), Submit(post_)};
  Talk();
  peer_.Answer(streams[1], 200, "second");
  peer_.Answer(streams[0], 404, "first");
  for (const char byte : peer_.Collect()) EXPECT_TRUE(session_.Receive({&byte, 1}).ok());
  const auto ends = session_.TakeEnds();
  ASSERT_EQ(ends.size(), 2U);
  std::map<StreamId, std::string> bodies;
  for (const auto& end : ends) bodies[end.stream] = std::get<Response>(end.how).body;
  EXPECT_EQ(bodies[streams[0]], "first");
  EXPECT_EQ(bodies[streams[1]], "second");
}

TEST_F(Http2SessionTest, AnAnswerToHeadHasNoBody) {
  const StreamId stream = Submit({.method = Method::kHead});
  Talk();
  peer_.Answer(stream, 200, "", {{"content-length", "7"}});
  Talk();
  EXPECT_EQ(std::get<Response>(OnlyEnd().how).body, "");
}

TEST_F(Http2SessionTest, AnAnswerBeforeTheBodyWasReadCounts) {
  const Request large{.method = Method::kPost, .body = std::string(1 << 20, 'x')};
  const StreamId stream = Submit(large);
  std::string out;
  ASSERT_TRUE(session_.Collect(out, kMuch).ok());  // as much as the server's window takes
  ASSERT_TRUE(peer_.Receive(out));
  peer_.Answer(stream, 413, "too much");
  EXPECT_TRUE(session_.Receive(peer_.Collect()).ok());
  EXPECT_EQ(std::get<Response>(OnlyEnd().how).status, 413);
  Talk();
  ASSERT_EQ(peer_.resets().size(), 1U);
  EXPECT_EQ(peer_.resets()[0].first, stream);
}

TEST_F(Http2SessionTest, WhatTheServerRefusesWasNotActedOn) {
  const StreamId stream = Submit(post_);
  Talk();
  peer_.Reset(stream, NGHTTP2_REFUSED_STREAM);
  Talk();
  EXPECT_TRUE(std::holds_alternative<StreamRefused>(OnlyEnd().how));
}

TEST_F(Http2SessionTest, AServerThatRefusesAfterItsHeadMayHaveActed) {
  const StreamId stream = Submit(post_);
  Talk();
  peer_.SendHead(stream, 200);
  Talk();
  peer_.Reset(stream, NGHTTP2_REFUSED_STREAM);
  Talk();
  EXPECT_TRUE(std::holds_alternative<StreamBroken>(OnlyEnd().how));
}

TEST_F(Http2SessionTest, AnyOtherResetIsNoAnswer) {
  const StreamId stream = Submit(post_);
  Talk();
  peer_.Reset(stream, NGHTTP2_INTERNAL_ERROR);
  Talk();
  const auto end = OnlyEnd();
  ASSERT_TRUE(std::holds_alternative<StreamBroken>(end.how));
  EXPECT_EQ(ToString(std::get<StreamBroken>(end.how).error),
            "the request was reset: INTERNAL_ERROR");
}

TEST_F(Http2SessionTest, AGoodbyeRefusesWhatTheServerHasNotLookedAt) {
  const StreamId first = Submit(get_);
  const StreamId second = Submit(post_);
  Talk();
  EXPECT_TRUE(session_.takes_more());
  peer_.GoAway(first, NGHTTP2_NO_ERROR);
  Talk();
  EXPECT_FALSE(session_.takes_more());
  const auto refused = OnlyEnd();
  EXPECT_EQ(refused.stream, second);
  EXPECT_TRUE(std::holds_alternative<StreamRefused>(refused.how));
  peer_.Answer(first, 200, "ok");
  Talk();
  EXPECT_EQ(std::get<Response>(OnlyEnd().how).body, "ok");
}

TEST_F(Http2SessionTest, ARequestBehindAGoodbyeNeverLeaves) {
  Submit(get_);
  Talk();
  const StreamId late = Submit(post_);
  peer_.GoAway(1, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(session_.Receive(peer_.Collect()).ok());
  std::string out;
  EXPECT_TRUE(session_.Collect(out, kMuch).ok());
  const auto end = OnlyEnd();
  EXPECT_EQ(end.stream, late);
  EXPECT_TRUE(std::holds_alternative<StreamRefused>(end.how));
}

TEST_F(Http2SessionTest, LimitsHold) {
  const StreamId body = Submit(get_);
  const StreamId head = Submit(get_);
  Talk();
  peer_.Answer(body, 200, std::string(5001, 'x'));
  peer_.Answer(head, 200, "", {{"x-a", std::string(1000, 'x')}});
  Talk();
  const auto ends = session_.TakeEnds();
  ASSERT_EQ(ends.size(), 2U);
  for (const auto& end : ends) {
    ASSERT_TRUE(std::holds_alternative<StreamBroken>(end.how));
    EXPECT_EQ(ToString(std::get<StreamBroken>(end.how).error),
              end.stream == body ? "the body exceeds the limit" : "the head exceeds the limit");
  }
  EXPECT_EQ(peer_.resets().size(), 2U);
}

TEST_F(Http2SessionTest, ABodyOtherThanAnnouncedIsNoAnswer) {
  const StreamId stream = Submit(get_);
  Talk();
  peer_.Answer(stream, 200, "four", {{"content-length", "5"}});
  Talk();
  EXPECT_TRUE(std::holds_alternative<StreamBroken>(OnlyEnd().how));
}

TEST_F(Http2SessionTest, NobodyHearsOfWhatWasReset) {
  const StreamId stream = Submit(get_);
  Talk();
  session_.Reset(stream);
  peer_.Answer(stream, 200, "late");
  Talk();
  EXPECT_TRUE(session_.TakeEnds().empty());
  ASSERT_EQ(peer_.resets().size(), 1U);
  EXPECT_EQ(peer_.resets()[0].second, std::uint32_t{NGHTTP2_CANCEL});
}

TEST_F(Http2SessionTest, TheServerSaysHowManyMayRun) {
  Http2Peer strict(2);
  std::string out;
  ASSERT_TRUE(session_.Collect(out, kMuch).ok());
  ASSERT_TRUE(strict.Receive(out));
  ASSERT_TRUE(session_.Receive(strict.Collect()).ok());
  EXPECT_TRUE(session_.has_room());
  Submit(get_);
  EXPECT_TRUE(session_.has_room());
  Submit(get_);
  EXPECT_FALSE(session_.has_room());
}

TEST_F(Http2SessionTest, BytesThatAreNoHttp2EndTheSession) {
  Submit(get_);
  Talk();
  std::string out;
  const bool is_refused = !session_.Receive("HTTP/1.1 400 Bad Request\r\n\r\n").ok();
  EXPECT_TRUE(is_refused || !session_.Collect(out, kMuch).ok());
  EXPECT_FALSE(session_.takes_more());
}

TEST_F(Http2SessionTest, AFrameThatBreaksTheProtocolEndsTheSession) {
  Submit(get_);
  Talk();
  // DATA on stream 0, which no frame of that kind may have.
  EXPECT_TRUE(session_.Receive(std::string_view("\0\0\1\0\0\0\0\0\0x", 10)).ok());
  std::string out;
  EXPECT_FALSE(session_.Collect(out, kMuch).ok());
  EXPECT_FALSE(session_.takes_more());
}

}  // namespace
}  // namespace gs::http
