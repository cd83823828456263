// Two lines of bytes, a document and a patch: all three kinds of patch answer, what they build can
// be read again, and a merge patch that is applied twice changes nothing the second time.
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/json/parse.h"
#include "adapters/localcluster/patch/json_patch.h"
#include "adapters/localcluster/patch/merge_patch.h"
#include "adapters/localcluster/patch/patch_schema.h"
#include "adapters/localcluster/patch/strategic_patch.h"
#include "base/check.h"

using gs::Result;
using gs::json::ParseJson;

namespace {

void Check(const Result<boost::json::value>& patched) {
  if (patched) {
    GS_CHECK(ParseJson(boost::json::serialize(*patched)).ok());
  } else {
    GS_CHECK(!patched.error().message().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line_end = text.find('\n');
  if (line_end == std::string_view::npos) return 0;
  const auto document = ParseJson(text.substr(0, line_end), {.max_bytes = 1 << 14});
  const auto patch = ParseJson(text.substr(line_end), {.max_bytes = 1 << 14});
  if (!document || !patch) return 0;

  Check(gs::localcluster::ApplyJsonPatch(*document, *patch));
  for (const auto* kind : {"Pod", "Node", "PodDisruptionBudget"}) {
    const auto& type = gs::localcluster::PatchTypeOf(kind);
    Check(gs::localcluster::ApplyStrategicMergePatch(*document, *patch, type));
  }
  const auto merged = gs::localcluster::ApplyMergePatch(*document, *patch);
  Check(merged);
  if (merged) GS_CHECK(gs::localcluster::ApplyMergePatch(*merged, *patch) == merged);
  return 0;
}
