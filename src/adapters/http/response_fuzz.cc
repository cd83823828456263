// Any bytes as a response, whole and byte by byte: the parser answers, keeps to its limits, and
// never reads two different bodies from the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/message_parser.h"
#include "base/check.h"

namespace {

constexpr gs::http::Limits kLimits{.max_head_bytes = 512, .max_body_bytes = 1024};

// The body of a response that is complete; "?" for anything else.
std::string Read(std::string_view bytes, std::size_t step) {
  gs::http::MessageParser<gs::http::Response> parser(kLimits);
  std::string buffer;
  for (std::size_t at = 0; at < bytes.size() && !parser.is_done(); at += step) {
    buffer += bytes.substr(at, step);
    const auto used = parser.Feed(buffer);
    if (!used) return "?";
    buffer.erase(0, *used);
  }
  if (!parser.FinishAtEnd()) return "?";
  GS_CHECK(parser.message().body.size() <= kLimits.max_body_bytes);
  return parser.message().body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = Read(bytes, size + 1);
  const std::string in_pieces = Read(bytes, 1);
  GS_CHECK(whole == in_pieces || whole == "?" || in_pieces == "?");
  return 0;
}
