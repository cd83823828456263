// Any bytes as an AdmissionReview: refused with a sentence or answered, never a crash; and what is
// answered with a patch has one that applies and leaves nothing to be patched.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/admission/print_answer.h"
#include "adapters/admission/read_review.h"
#include "adapters/json/parse.h"
#include "adapters/localcluster/patch/json_patch.h"
#include "base/check.h"

namespace {

namespace json = boost::json;
using gs::admission::ReadReview;

void CheckPatch(std::string_view text, const gs::admit::Patch& patch,
                const gs::admit::Policy& policy) {
  auto review = gs::json::ParseJson(text);
  if (!review) return;  // stricter than the other parser: keys that stand there twice
  const auto steps = gs::json::ParseJson(gs::admission::PrintPatch(patch));
  GS_CHECK(steps.ok());
  auto& object = review->as_object()["request"].as_object()["object"];
  auto after = gs::localcluster::ApplyJsonPatch(object, *steps);
  GS_CHECK(after.ok());
  object = *std::move(after);
  const auto again = ReadReview(json::serialize(*review));
  GS_CHECK(again.ok());
  GS_CHECK(gs::admit::Admit(again->review, policy) == gs::admit::Verdict(gs::admit::Patch{}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto question = ReadReview(text);
  if (!question) {
    GS_CHECK(!ToString(question.error()).empty());
    return 0;
  }
  GS_CHECK(!question->uid.empty());
  for (const auto handover : {gs::admit::Handover::kEnv, gs::admit::Handover::kUuid}) {
    const gs::admit::Policy policy{question->review.scheduler, handover, "nvidia.com/gpu"};
    const auto verdict = gs::admit::Admit(question->review, policy);
    GS_CHECK(!gs::admission::PrintAnswer(question->uid, verdict).empty());
    const auto* patch = std::get_if<gs::admit::Patch>(&verdict);
    if (patch != nullptr && !patch->empty()) CheckPatch(text, *patch, policy);
  }
  return 0;
}
