// Any bytes: ParseJson answers, and what it accepts survives being printed and read again.
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/json/print.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = gs::json::ParseJson(text, {.max_bytes = 1 << 16, .max_depth = 64});
  if (!value) {
    GS_CHECK(!ToString(value.error()).empty());
    return 0;
  }
  GS_CHECK(gs::json::ParseJson(boost::json::serialize(*value)).ok());
  GS_CHECK(gs::json::ParseJson(gs::json::PrettyJson(*value)).ok());
  gs::json::ObjectReader reader(*value, "text");
  (void)reader.Int("a", {.min = 0, .max = 9}, 0);
  (void)reader.Texts("b");
  (void)reader.Finish();
  return 0;
}
