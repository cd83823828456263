#include "adapters/kube/write/answers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace gs::kube {
namespace {

using model::WriteOutcome;

const model::PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};

const http::Response kConflict{
    .status = 409, .headers = {}, .body = R"({"kind":"Status","reason":"Conflict","message":"m"})"};

WriteReply Reply(http::Outcome outcome, WriteVerb verb = WriteVerb::kOther) {
  return ReplyOf(std::move(outcome), verb);
}

TEST(Answers, WhatWasNotSentWasNotExecuted) {
  const auto reply = Reply(http::NotSent{Error(ErrorKind::kUnavailable, "connection refused")});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_EQ(reply.answer.reason, "connection refused");
}

TEST(Answers, WithoutAnAnswerNobodyKnows) {
  const auto reply = Reply(http::Unknown{Error(ErrorKind::kUnavailable, "timed out")});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(reply.answer.reason, "timed out");
}

TEST(Answers, AnAnswerThatProvesNothingStaysUnknown) {
  for (const int status : {500, 502, 503, 504, 301, 307, 101, 408}) {
    const auto reply = Reply(http::Response{.status = status, .headers = {}, .body = "done"});
    EXPECT_EQ(reply.answer.outcome, WriteOutcome::kUnknown) << status;
    EXPECT_EQ(reply.body, "") << status;
  }
}

TEST(Answers, AnOutdatedLoginIsNotExecuted) {
  EXPECT_EQ(Reply(http::Response{.status = 401}).answer.outcome, WriteOutcome::kNotExecuted);
}

TEST(Answers, ReadsHeadersWhateverTheirCase) {
  const auto reply =
      Reply(http::Response{.status = 429,
                           .headers = {{"date", "Wed, 21 Oct 2026 07:28:00 GMT"},
                                       {"retry-after", "Wed, 21 Oct 2026 07:28:02 GMT"}},
                           .body = ""});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_EQ(reply.answer.retry_after, std::chrono::seconds(2));
}

TEST(Answers, ARequestThatCannotBeWrittenIsRefused) {
  const auto reply = ReplyOf(Error(ErrorKind::kInvalid, "bad name"));
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kRefused);
  EXPECT_EQ(reply.answer.reason, "bad name");
}

TEST(Answers, TheAnswerAboutALockFindsItsAttempt) {
  const AttemptId attempt("t1");
  model::GpuLease lease;
  lease.name = LeaseName("gpu-a-0");
  const auto taken = Reply(
      http::Response{
          .status = 409, .headers = {}, .body = R"({"kind":"Status","reason":"AlreadyExists"})"},
      WriteVerb::kCreate);
  EXPECT_EQ(EventOf(model::CreateLease{lease, attempt}, taken),
            (model::LeaseAnswered{lease.name, attempt, WriteOutcome::kAlreadyExists}));
  const auto conflict = Reply(kConflict);
  EXPECT_EQ(EventOf(model::UpdateLease{lease, attempt}, conflict),
            (model::LeaseAnswered{lease.name, attempt, WriteOutcome::kConflict}));
  EXPECT_EQ(EventOf(model::DeleteLease{lease.name, {}, {}, attempt}, conflict),
            (model::LeaseAnswered{lease.name, attempt, WriteOutcome::kConflict}));
}

TEST(Answers, TheAnswerAboutABindingFindsItsPod) {
  const model::BindPod command{kPod, ResourceVersion("4"), AttemptId("t1"), {}};
  const auto done = Reply(http::Response{
      .status = 201, .headers = {}, .body = R"({"kind":"Status","status":"Success"})"});
  EXPECT_EQ(EventOf(command, done),
            (model::BindAnswered{kPod.uid, AttemptId("t1"), WriteOutcome::kDone}));
  EXPECT_EQ(EventOf(command, Reply(kConflict)).outcome, WriteOutcome::kConflict);
}

model::TouchAnswered Touched(int status, const std::string& body) {
  return EventOf(model::TouchPod{kPod, AttemptId("t1"), "m"},
                 Reply(http::Response{.status = status, .headers = {}, .body = body}));
}

TEST(Answers, ATouchShowsWhereThePodIsBound) {
  EXPECT_EQ(Touched(200, R"({"kind":"Pod","metadata":{"uid":"u1","resourceVersion":"12"},
                            "spec":{"nodeName":"node-a"}})"),
            (model::TouchAnswered{kPod.uid, AttemptId("t1"), WriteOutcome::kDone,
                                  NodeName("node-a"), ResourceVersion("12")}));
  EXPECT_EQ(Touched(200, R"({"kind":"Pod","metadata":{"uid":"u1","resourceVersion":"12"},
                            "spec":{}})"),
            (model::TouchAnswered{kPod.uid, AttemptId("t1"), WriteOutcome::kDone, NodeName(),
                                  ResourceVersion("12")}));
}

TEST(Answers, ATouchThatDoesNotShowItIsUnknown) {
  for (const auto* body :
       {"", "{", "[]", R"({"kind":"Status","status":"Success"})",
        R"({"kind":"Pod","metadata":{"uid":"u1","resourceVersion":"12"}})",
        R"({"kind":"Pod","metadata":{"uid":"u1"},"spec":{}})",
        R"({"kind":"Pod","metadata":{"resourceVersion":"12"},"spec":{}})",
        R"({"kind":"Pod","metadata":{"uid":"u2","resourceVersion":"12"},"spec":{}})",
        R"({"kind":"Pod","metadata":{"uid":"u1","resourceVersion":"12"},"spec":{"nodeName":7}})",
        R"({"kind":"Pod","metadata":{"uid":"u1","resourceVersion":"12"},"spec":[]})"}) {
    const auto event = Touched(200, body);
    EXPECT_EQ(event.outcome, WriteOutcome::kUnknown) << body;
    EXPECT_EQ(event.node, NodeName()) << body;
  }
}

TEST(Answers, ATouchOfANamesakeIsNotFound) {
  EXPECT_EQ(Touched(422, R"({"kind":"Status","reason":"Invalid","code":422,
                            "details":{"causes":[{"field":"metadata.uid"}]}})")
                .outcome,
            WriteOutcome::kNotFound);
}

// What a proxy says, a path that is not served, and an API server of a pod that is not there.
constexpr const char* kProxyPage = "404 page not found\n";
constexpr const char* kUnknownPath =
    R"({"kind":"Status","status":"Failure","reason":"NotFound","details":{},"code":404})";
constexpr const char* kPodIsGone = R"({"kind":"Status","status":"Failure","reason":"NotFound",
    "message":"pods \"a\" not found","details":{"name":"a","kind":"pods"},"code":404})";

TEST(Answers, APodIsGoneOnlyByTheWordOfTheApiServer) {
  const auto looked_up = [](int status, const std::string& body) {
    return EventOf(model::LookUpPod{kPod},
                   http::Outcome(http::Response{.status = status, .headers = {}, .body = body}))
        .outcome;
  };
  EXPECT_EQ(looked_up(404, kPodIsGone), WriteOutcome::kNotFound);
  EXPECT_EQ(looked_up(404, kProxyPage), WriteOutcome::kUnknown);
  EXPECT_EQ(looked_up(404, kUnknownPath), WriteOutcome::kUnknown);
  EXPECT_EQ(looked_up(404, ""), WriteOutcome::kUnknown);
  EXPECT_EQ(looked_up(503, kPodIsGone), WriteOutcome::kUnknown);
  const auto pod = [](const std::string& uid) {
    return R"({"kind":"Pod","metadata":{"uid":")" + uid + R"(","resourceVersion":"12"},"spec":{}})";
  };
  EXPECT_EQ(looked_up(200, pod("u1")), WriteOutcome::kDone);
  EXPECT_EQ(looked_up(200, pod("u2")), WriteOutcome::kNotFound) << "another has the name";
  EXPECT_EQ(looked_up(200, "{}"), WriteOutcome::kUnknown);
  EXPECT_EQ(EventOf(model::LookUpPod{kPod},
                    http::Outcome(http::Unknown{Error(ErrorKind::kUnavailable, "timed out")}))
                .outcome,
            WriteOutcome::kUnknown);
}

TEST(Answers, AClaimsStatusComesWithTheVersionItStandsIn) {
  const model::WriteClaimStatus command{Namespace("team"), ClaimName("pair"), {}};
  const auto answered = [&](int status, const std::string& body) {
    return EventOf(command, Reply(http::Response{.status = status, .headers = {}, .body = body}));
  };
  EXPECT_EQ(answered(200, R"({"metadata":{"resourceVersion":"12"}})"),
            (model::ClaimStatusAnswered{command.ns, command.name, WriteOutcome::kDone,
                                        ResourceVersion("12")}));
  // It was done, whatever the answer says besides.
  EXPECT_EQ(answered(200, "{"),
            (model::ClaimStatusAnswered{command.ns, command.name, WriteOutcome::kDone, {}}));
  EXPECT_EQ(answered(404, R"({"kind":"Status","reason":"NotFound"})").outcome,
            WriteOutcome::kNotFound);
  EXPECT_EQ(answered(404, "").outcome, WriteOutcome::kUnknown);
}

}  // namespace
}  // namespace gs::kube
