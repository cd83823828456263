#include "adapters/kube/api/status_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace gs::kube {
namespace {

using model::WriteOutcome;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string Status(int code, const std::string& reason, const std::string& details = "{}") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" +
         reason + R"(","details":)" + details + R"(,"code":)" + std::to_string(code) + "}";
}

TEST(StatusAnswer, ReadsAStatus) {
  const auto status = ParseStatus(Status(429, "TooManyRequests", R"({"retryAfterSeconds":3})"));
  ASSERT_TRUE(status.ok()) << status.error();
  EXPECT_EQ(*status, (StatusAnswer{429, "TooManyRequests", "m", 3, {}, "", ""}));
  const auto gone = ParseStatus(Status(404, "NotFound", R"({"name":"a","kind":"pods"})"));
  ASSERT_TRUE(gone.ok()) << gone.error();
  EXPECT_EQ(*gone, (StatusAnswer{404, "NotFound", "m", {}, {}, "pods", "a"}));
  EXPECT_FALSE(ParseStatus(R"({"kind":"Pod"})").ok());
  EXPECT_FALSE(ParseStatus("gateway time-out").ok());
}

TEST(ClassifyWrite, EveryCodeHasItsMeaning) {
  struct Case {
    int code;
    const char* reason;
    WriteVerb verb;
    WriteOutcome outcome;
  };
  const Case cases[] = {
      {200, "", WriteVerb::kOther, WriteOutcome::kDone},
      {201, "", WriteVerb::kCreate, WriteOutcome::kDone},
      {409, "AlreadyExists", WriteVerb::kCreate, WriteOutcome::kAlreadyExists},
      {409, "AlreadyExists", WriteVerb::kOther, WriteOutcome::kConflict},
      {409, "Conflict", WriteVerb::kCreate, WriteOutcome::kConflict},
      {404, "NotFound", WriteVerb::kOther, WriteOutcome::kNotFound},
      {429, "TooManyRequests", WriteVerb::kOther, WriteOutcome::kNotExecuted},
      {400, "BadRequest", WriteVerb::kOther, WriteOutcome::kRefused},
      {401, "Unauthorized", WriteVerb::kOther, WriteOutcome::kNotExecuted},
      {403, "Forbidden", WriteVerb::kOther, WriteOutcome::kRefused},
      {408, "", WriteVerb::kOther, WriteOutcome::kUnknown},
      {410, "Gone", WriteVerb::kOther, WriteOutcome::kRefused},
      {413, "RequestEntityTooLarge", WriteVerb::kOther, WriteOutcome::kRefused},
      {415, "UnsupportedMediaType", WriteVerb::kOther, WriteOutcome::kRefused},
      {422, "Invalid", WriteVerb::kCreate, WriteOutcome::kRefused},
      {500, "InternalError", WriteVerb::kOther, WriteOutcome::kUnknown},
      {502, "", WriteVerb::kOther, WriteOutcome::kUnknown},
      {503, "ServiceUnavailable", WriteVerb::kOther, WriteOutcome::kUnknown},
      {504, "Timeout", WriteVerb::kCreate, WriteOutcome::kUnknown},
      {302, "", WriteVerb::kOther, WriteOutcome::kUnknown},
      {307, "", WriteVerb::kCreate, WriteOutcome::kUnknown},
      {100, "", WriteVerb::kOther, WriteOutcome::kUnknown},
      {199, "", WriteVerb::kOther, WriteOutcome::kUnknown},
      {600, "", WriteVerb::kOther, WriteOutcome::kUnknown},
  };
  for (const auto& [code, reason, verb, outcome] : cases) {
    const std::string body = Status(code, reason);
    EXPECT_EQ(ClassifyWrite({.code = code, .body = body}, verb).outcome, outcome) << code;
  }
}

const NamedObject kPodA{"pods", "a"};

WriteOutcome NotFoundWith(const std::string& body, const NamedObject& object = kPodA) {
  EXPECT_EQ(SaysNotFound(body, object),
            ClassifyWrite({.code = 404, .body = body}, WriteVerb::kOther, object).outcome ==
                WriteOutcome::kNotFound);
  return ClassifyWrite({.code = 404, .body = body}, WriteVerb::kOther, object).outcome;
}

TEST(ClassifyWrite, AnObjectIsGoneWhereTheApiServerSaysSoOfIt) {
  const std::string gone = Status(404, "NotFound", R"({"name":"a","kind":"pods"})");
  EXPECT_EQ(NotFoundWith(gone), WriteOutcome::kNotFound);
  EXPECT_EQ(NotFoundWith(gone, {}), WriteOutcome::kNotFound) << "nobody asked by name";
}

TEST(ClassifyWrite, A404OfSomebodyElseOrAboutSomethingElseLeavesItOpen) {
  for (const std::string& body :
       {std::string(), std::string("404 page not found\n"), std::string("<html>404</html>"),
        // A path that is not served.
        Status(404, "NotFound"), Status(404, "NotFound", R"({"kind":"pods"})"),
        // Another pod, another kind: the namespace, or what a webhook looked for.
        Status(404, "NotFound", R"({"name":"b","kind":"pods"})"),
        Status(404, "NotFound", R"({"name":"a","kind":"namespaces"})"),
        Status(404, "NotFound", R"({"name":"a"})"),
        Status(404, "", R"({"name":"a","kind":"pods"})"),
        Status(404, "Gone", R"({"name":"a","kind":"pods"})")}) {
    EXPECT_EQ(NotFoundWith(body), WriteOutcome::kUnknown) << body;
  }
  EXPECT_EQ(NotFoundWith("404 page not found", {}), WriteOutcome::kUnknown);
}

TEST(ClassifyWrite, AWrongUidMeansThatAnotherObjectHasTheName) {
  const std::string causes =
      R"({"causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]})";
  const std::string body = Status(422, "Invalid", causes);
  EXPECT_EQ(ClassifyWrite({.code = 422, .body = body}, WriteVerb::kOther).outcome,
            WriteOutcome::kNotFound);
  EXPECT_EQ(ClassifyWrite({.code = 422, .body = body}, WriteVerb::kCreate).outcome,
            WriteOutcome::kRefused);
  const std::string other = Status(422, "Invalid", R"({"causes":[{"field":"spec.uid"}]})");
  EXPECT_EQ(ClassifyWrite({.code = 422, .body = other}, WriteVerb::kOther).outcome,
            WriteOutcome::kRefused);
}

TEST(ClassifyWrite, NoAnswerLeavesItOpen) {
  const auto answer = ClassifyWrite({}, WriteVerb::kCreate);
  EXPECT_EQ(answer.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(answer.reason, "no answer");
}

TEST(ClassifyWrite, SaysWhy) {
  const std::string body = Status(409, "Conflict");
  EXPECT_EQ(ClassifyWrite({.code = 409, .body = body}, WriteVerb::kOther).reason,
            "409 Conflict: m");
  EXPECT_EQ(ClassifyWrite({.code = 502, .body = "Bad\nGateway"}, WriteVerb::kOther).reason,
            R"(502: "Bad\nGateway")");
}

TEST(ClassifyWrite, TellsHowLongToWait) {
  const auto wait = [](std::string_view header, const std::string& details) {
    const std::string body = Status(429, "TooManyRequests", details);
    return ClassifyWrite({.code = 429, .retry_after = header, .body = body}, WriteVerb::kOther)
        .retry_after;
  };
  EXPECT_EQ(wait(" 5 ", R"({"retryAfterSeconds":3})"), seconds(5));
  EXPECT_EQ(wait("", R"({"retryAfterSeconds":3})"), seconds(3));
  EXPECT_EQ(wait("Wed, 21 Oct 2026 07:28:00 GMT", "{}"), std::nullopt);
  EXPECT_EQ(wait("-1", "{}"), std::nullopt);
  EXPECT_EQ(wait("99999999999", "{}"), seconds(3600));
}

TEST(ClassifyWrite, ReadsADateByTheClockOfTheServer) {
  const auto wait = [](std::string_view until, std::string_view now) {
    return ClassifyWrite({.code = 429, .retry_after = until, .date = now}, WriteVerb::kOther)
        .retry_after;
  };
  const std::string_view now = "Wed, 21 Oct 2026 07:28:00 GMT";
  EXPECT_EQ(wait("Wed, 21 Oct 2026 07:28:05 GMT", now), seconds(5));
  EXPECT_EQ(wait("Sun, 01 Nov 2026 00:00:00 GMT", "Sat, 31 Oct 2026 23:59:50 GMT"), seconds(10));
  EXPECT_EQ(wait("Wed, 21 Oct 2026 07:27:00 GMT", now), seconds(0));
  EXPECT_EQ(wait("Thu, 22 Oct 2026 07:28:00 GMT", now), seconds(3600));
  for (const auto* until : {"Wed, 21 Okt 2026 07:28:05 GMT", "Wed, 21 anF 2026 07:28:05 GMT",
                            "Wed, 21 Oct 2026 07:28:05 CET", "Wed, 31 Feb 2026 07:28:05 GMT",
                            "Wednesday, 21-Oct-26 07:28:05 GMT", "soon"}) {
    EXPECT_EQ(wait(until, now), std::nullopt) << until;
  }
  EXPECT_EQ(wait("Wed, 21 Oct 2026 07:28:05 GMT", ""), std::nullopt);
}

TEST(ClassifyWrite, A503ThatAsksToWaitIsStillOpen) {
  const auto answer = ClassifyWrite({.code = 503, .retry_after = "1"}, WriteVerb::kOther);
  EXPECT_EQ(answer.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(answer.retry_after, seconds(1));
}

}  // namespace
}  // namespace gs::kube
