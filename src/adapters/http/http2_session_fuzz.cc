// Any bytes as what a server says over HTTP/2 while three requests run: whole, byte by byte, and
// with our own words in between. The session answers, keeps to its limits, ends no request twice,
// and reads the same answers however the bytes are cut.
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "adapters/http/http2_session.h"
#include "base/check.h"

namespace {

using gs::http::Http2Session;
using gs::http::Method;
using gs::http::Request;
using gs::http::Response;

constexpr gs::http::Limits kLimits{.max_head_bytes = 512, .max_body_bytes = 1024};
constexpr std::size_t kMost = std::size_t{64} << 10;

const std::array<Request, 3>& Requests() {
  static const std::array<Request, 3> kRequests = {
      Request{}, Request{.method = Method::kPost, .body = std::string(100000, 'x')},
      Request{.method = Method::kHead}};
  return kRequests;
}

enum class Between : std::uint8_t { kNothing, kOurWords };

// What became of the requests, as text.
std::string Told(Http2Session& session, std::set<gs::http::StreamId>& ended) {
  std::string told;
  for (const auto& end : session.TakeEnds()) {
    GS_CHECK(ended.insert(end.stream).second);
    told += std::to_string(end.stream) + "=";
    if (const auto* response = std::get_if<Response>(&end.how)) {
      GS_CHECK(response->body.size() <= kLimits.max_body_bytes);
      GS_CHECK(response->status >= 200 && response->status < 600);
      told += std::to_string(response->status) + response->body;
    } else {
      told += end.how.index() == 1 ? "refused" : "broken";
    }
    told += "\n";
  }
  return told;
}

// The same for all that the server says; "?" if that is refused.
std::string Feed(std::string_view bytes, std::size_t step, Between between) {
  Http2Session session(kLimits);
  for (const Request& request : Requests()) GS_CHECK(session.Submit(request, "a").ok());
  std::string out;
  GS_CHECK(session.Collect(out, kMost).ok());
  std::set<gs::http::StreamId> ended;
  std::string told;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const bool is_fine = session.Receive(bytes.substr(at, step)).ok();
    told += Told(session, ended);
    if (!is_fine) return "?";
    if (between == Between::kNothing) continue;
    if (!session.Collect(out, out.size() + kMost)) return "?";
    (void)Told(session, ended);
  }
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = Feed(bytes, size + 1, Between::kNothing);
  const std::string in_pieces = Feed(bytes, 1, Between::kNothing);
  // The library has less patience with a head whose second frame comes in many pieces.
  GS_CHECK(whole == in_pieces || whole == "?" || in_pieces == "?");
  (void)Feed(bytes, 7, Between::kOurWords);
  return 0;
}
