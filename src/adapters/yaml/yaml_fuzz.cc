// Any bytes: ParseYamlDocuments answers, and what it accepts is printable JSON that reads back.
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/json/parse.h"
#include "adapters/yaml/parse.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const gs::yaml::Limits limits{.max_bytes = 1 << 14, .max_nodes = 10'000, .max_depth = 64};
  const auto documents = gs::yaml::ParseYamlDocuments(text, limits);
  if (!documents) {
    GS_CHECK(!ToString(documents.error()).empty());
    GS_CHECK(documents.error().kind() != gs::ErrorKind::kInternal);
    return 0;
  }
  for (const auto& document : *documents) {
    GS_CHECK(gs::json::ParseJson(boost::json::serialize(document)).ok());
  }
  return 0;
}
