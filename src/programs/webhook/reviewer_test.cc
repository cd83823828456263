#include "programs/webhook/reviewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::webhook {
namespace {

using testing::HasSubstr;

class ReviewerTest : public testing::Test {
 protected:
  static http::Request Question(std::string body) {
    return {.method = http::Method::kPost,
            .target = "/mutate?timeout=10s",
            .headers = {{"Content-Type", "application/json; charset=utf-8"}},
            .body = std::move(body),
            .peer = {}};
  }
  static std::string ReviewOfPod(const std::string& gpus) {
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",)"
           R"("namespace":"team","resource":{"group":"","version":"v1","resource":"pods"},)"
           R"("operation":"CREATE","object":{"metadata":{"name":"a","annotations":)"
           R"({"gpu.scheduling/claim":"pair"}},"spec":{"schedulerName":"gpu-scheduler",)"
           R"("containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":")" +
           gpus + R"("}}}]}}}})";
  }

  runtime::SystemClock clock_;
  metrics::Registry registry_;
  std::optional<model::Exclusivity> claim_;
  Reviewer reviewer_{{SchedulerName("gpu-scheduler"), admit::Handover::kEnv, ""},
                     [this](const Namespace& ns, const ClaimName& name) {
                       EXPECT_EQ(ns, Namespace("team"));
                       EXPECT_EQ(name, ClaimName("pair"));
                       return claim_;
                     },
                     registry_,
                     clock_,
                     runtime::Logger({.write = [](std::string_view) {}})};
};

TEST_F(ReviewerTest, AnswersWithAPatch) {
  const auto answer = reviewer_.Answer(Question(ReviewOfPod("0")));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(*answer.headers.Find("Content-Type"), "application/json");
  EXPECT_THAT(answer.body, HasSubstr(R"("uid":"u","allowed":true,"patchType":"JSONPatch")"));
  EXPECT_THAT(registry_.Print(), HasSubstr(R"(gpu_webhook_reviews_total{result="changed"} 1)"));
  EXPECT_THAT(registry_.Print(), HasSubstr("gpu_webhook_review_duration_seconds_count 1"));
}

TEST_F(ReviewerTest, RefusesWhatTheClaimForbids) {
  EXPECT_THAT(reviewer_.Answer(Question(ReviewOfPod("1"))).body, HasSubstr(R"("allowed":true)"));
  claim_ = model::Exclusivity::kShared;
  EXPECT_THAT(reviewer_.Answer(Question(ReviewOfPod("1"))).body, HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(registry_.Print(), HasSubstr(R"(gpu_webhook_reviews_total{result="refused"} 1)"));
}

TEST_F(ReviewerTest, SaysWhatIsWrongWithAQuestion) {
  const auto malformed = reviewer_.Answer(Question("{]"));
  EXPECT_EQ(malformed.status, 400);
  EXPECT_THAT(malformed.body, HasSubstr("JSON"));
  auto text = Question(ReviewOfPod("0"));
  text.headers = {{"Content-Type", "text/plain"}};
  EXPECT_EQ(reviewer_.Answer(text).status, 415);
  text.headers = {};
  EXPECT_EQ(reviewer_.Answer(text).status, 415);
  text.method = http::Method::kGet;
  EXPECT_EQ(reviewer_.Answer(text).status, 405);
  EXPECT_THAT(registry_.Print(), HasSubstr(R"(gpu_webhook_reviews_total{result="malformed"} 4)"));
}

}  // namespace
}  // namespace gs::webhook
