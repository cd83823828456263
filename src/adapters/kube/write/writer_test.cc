#include "adapters/kube/write/writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kube/write/server_for_test.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;
using std::chrono::milliseconds;

Result<WriteRequest> Create(const std::string& body) {
  return CreateRequest(kLeases, Namespace("locks"), body);
}

TEST(Writer, SendsTheRequestAndReadsTheAnswer) {
  ServerForTest server([](const http::Request&) {
    return http::Response{.status = 201, .headers = {}, .body = R"({"kind":"Lease"})"};
  });
  const WriteReply reply = Write(server.client(), Create("{}"));
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kDone);
  EXPECT_EQ(reply.body, R"({"kind":"Lease"})");
  const auto requests = server.Await(1);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, http::Method::kPost);
  EXPECT_EQ(requests[0].body, "{}");
  EXPECT_EQ(*requests[0].headers.Find("content-type"), "application/json");
}

TEST(Writer, TheVerbSaysWhatAConflictMeans) {
  ServerForTest server([](const http::Request&) {
    return http::Response{
        .status = 409, .headers = {}, .body = R"({"kind":"Status","reason":"AlreadyExists"})"};
  });
  EXPECT_EQ(Write(server.client(), Create("{}")).answer.outcome, WriteOutcome::kAlreadyExists);
  EXPECT_EQ(Write(server.client(), UpdateRequest({kLeases, Namespace("locks"), "a"}, "{}"))
                .answer.outcome,
            WriteOutcome::kConflict);
}

TEST(Writer, A404IsAboutTheObjectThatTheRequestNames) {
  std::string body = "404 page not found";
  ServerForTest server([&body](const http::Request&) {
    return http::Response{.status = 404, .headers = {}, .body = body};
  });
  const auto outcome = [&server] {
    const auto target = ObjectTarget{kLeases, Namespace("locks"), "a"};
    std::promise<WriteOutcome> later;
    WriteThen(server.client(), PatchRequest(target, PatchKind::kMerge, "{}"), {},
              [&later](const WriteReply& reply) { later.set_value(reply.answer.outcome); });
    const WriteOutcome now = Write(server.client(), DeleteRequest(target, {})).answer.outcome;
    EXPECT_EQ(later.get_future().get(), now);
    EXPECT_EQ(Write(server.client(), UpdateRequest(target, "{}")).answer.outcome, now);
    EXPECT_EQ(Write(server.client(), PostRequest(target, "{}")).answer.outcome, now);
    return now;
  };
  EXPECT_EQ(outcome(), WriteOutcome::kUnknown);
  body = R"({"kind":"Status","reason":"NotFound","details":{"name":"b","kind":"leases"}})";
  EXPECT_EQ(outcome(), WriteOutcome::kUnknown);
  body = R"({"kind":"Status","reason":"NotFound","details":{"name":"a","kind":"leases"}})";
  EXPECT_EQ(outcome(), WriteOutcome::kNotFound);
}

TEST(Writer, RepeatsNothing) {
  ServerForTest server([](const http::Request&) {
    return http::Response{.status = 503, .headers = {{"Retry-After", "1"}}, .body = ""};
  });
  const WriteReply reply = Write(server.client(), Create("{}"));
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(reply.answer.retry_after, std::chrono::seconds(1));
  EXPECT_EQ(server.Await(1).size(), 1U);
}

TEST(Writer, WithoutAnAnswerInTimeTheOutcomeIsUnknown) {
  ServerForTest server([](const http::Request&) { return std::nullopt; });
  const WriteReply reply = Write(server.client(), Create("{}"), {.timeout = milliseconds(200)});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kUnknown);
  EXPECT_NE(reply.answer.reason, "");
  EXPECT_EQ(server.Await(1).size(), 1U);
}

TEST(Writer, WhatCannotBeWrittenDownIsRefusedAndNotSent) {
  ServerForTest server([](const http::Request&) { return http::Response{}; });
  EXPECT_EQ(Write(server.client(), DeleteRequest({kLeases, Namespace("locks"), "../x"}, {}))
                .answer.outcome,
            WriteOutcome::kRefused);
  std::promise<WriteReply> answered;
  WriteThen(server.client(), DeleteRequest({kLeases, Namespace("locks"), ""}, {}), {},
            [&answered](WriteReply reply) { answered.set_value(std::move(reply)); });
  EXPECT_EQ(answered.get_future().get().answer.outcome, WriteOutcome::kRefused);
  EXPECT_EQ(server.Await(0).size(), 0U);
}

TEST(Writer, ManyWritesRunAtATimeAndEachGetsItsOwnAnswer) {
  constexpr std::size_t kWrites = 50;
  // Before the server, whose threads set them.
  std::vector<std::promise<WriteReply>> answers(kWrites);
  ServerForTest server([](const http::Request& request) {
    return http::Response{.status = 201, .headers = {}, .body = request.body};
  });
  for (std::size_t i = 0; i < kWrites; ++i) {
    WriteThen(server.client(), Create(std::to_string(i)), {},
              [&answers, i](WriteReply reply) { answers[i].set_value(std::move(reply)); });
  }
  for (std::size_t i = 0; i < kWrites; ++i) {
    const WriteReply reply = answers[i].get_future().get();
    EXPECT_EQ(reply.answer.outcome, WriteOutcome::kDone);
    EXPECT_EQ(reply.body, std::to_string(i));
  }
}

}  // namespace
}  // namespace gs::kube
