#include "programs/webhook/reviewer.h"

#include <chrono>
#include <utility>

#include "adapters/admission/print_answer.h"
#include "adapters/admission/read_review.h"
#include "base/text.h"

namespace gs::webhook {
namespace {

constexpr std::string_view kJson = "application/json";

bool IsJson(const http::Request& request) {
  const auto* type = request.headers.Find("Content-Type");
  if (type == nullptr) return false;
  return text::EqualsIgnoringCase(text::Trim(std::string_view(*type).substr(0, type->find(';'))),
                                  kJson);
}

std::string_view ResultOf(const admit::Verdict& verdict) {
  const auto* patch = std::get_if<admit::Patch>(&verdict);
  if (patch == nullptr) return "refused";
  return patch->empty() ? "untouched" : "changed";
}

}  // namespace

Reviewer::Reviewer(admit::Policy policy, FindClaim find_claim, const metrics::Registry& registry,
                   const runtime::Clock& clock, runtime::Logger log)
    : policy_(std::move(policy)),
      find_claim_(std::move(find_claim)),
      clock_(clock),
      log_(std::move(log)),
      reviews_(registry.AddCounters({.name = "gpu_webhook_reviews_total",
                                     .help = "Questions of API servers, by answer.",
                                     .labels = {"result"}})),
      durations_(
          registry.AddHistograms({.name = "gpu_webhook_review_duration_seconds",
                                  .help = "Time to answer a question, from its last byte on.",
                                  .labels = {}},
                                 metrics::Exponential(0.00001, 2, 16))) {
  for (const auto* result : {"changed", "untouched", "refused", "malformed"}) {
    reviews_.Add({result}, 0);
  }
  durations_.Show({});
}

http::Response Reviewer::Malformed(int status, const std::string& why) const {
  reviews_.Add({"malformed"});
  log_.Warning("malformed", {{"why", why}});
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = why + "\n"};
}

http::Response Reviewer::Answer(const http::Request& request) const {
  if (request.method != http::Method::kPost) return Malformed(405, "only POST");
  if (!IsJson(request)) return Malformed(415, "Content-Type must be application/json");
  const Duration began = clock_.Monotonic();
  auto response = Review(request.body);
  durations_.Observe({}, std::chrono::duration<double>(clock_.Monotonic() - began).count());
  return response;
}

http::Response Reviewer::Review(const std::string& body) const {
  auto question = admission::ReadReview(body);
  if (!question) return Malformed(400, ToString(question.error()));
  if (!question->claim.empty()) {
    question->review.exclusivity = find_claim_(question->ns, question->claim);
  }
  const auto verdict = admit::Admit(question->review, policy_);
  reviews_.Add({ResultOf(verdict)});
  if (const auto* refused = std::get_if<admit::Refused>(&verdict)) {
    log_.Info("refused",
              {{"pod", question->ns.text() + "/" + question->name}, {"why", refused->message}});
  }
  return {.status = 200,
          .headers = {{"Content-Type", std::string(kJson)}},
          .body = admission::PrintAnswer(question->uid, verdict)};
}

}  // namespace gs::webhook
