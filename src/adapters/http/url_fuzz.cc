// Any bytes: ParseUrl answers, what it accepts survives being printed, and query text round-trips.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/http/url.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto url = gs::http::ParseUrl(text);
  if (url) {
    GS_CHECK(gs::http::ParseUrl(gs::http::PrintUrl(*url)) == url);
  } else {
    GS_CHECK(!ToString(url.error()).empty());
  }
  GS_CHECK(*gs::http::DecodeQuery(gs::http::EncodeQuery(text)) == text);
  (void)gs::http::DecodeQuery(text);
  return 0;
}
