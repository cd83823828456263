// Requests of any bytes against a small cluster: the first line is the method and the target, the
// second the content type, the rest the body. Nothing may crash, and every answer must be a status
// that HTTP has.
#include <cstddef>
#include <cstdint>
#include <string>

#include "adapters/localcluster/api/api_for_test.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

std::string TakeLine(std::string_view& text) {
  const auto end = text.find('\n');
  std::string line(text.substr(0, end));
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return line;
}

void Try(ApiForTest& cluster, std::string_view text) {
  const std::string head = TakeLine(text);
  const std::string type = TakeLine(text);
  const auto blank = head.find(' ');
  const auto method = http::ParseMethod(head.substr(0, blank));
  if (!method || blank == head.npos) return;
  const auto reply = cluster.Send(*method, head.substr(blank + 1), std::string(text), type);
  GS_CHECK(reply.status >= 200 && reply.status < 600);
  if (reply.watch) {
    (void)reply.watch->Pull(1 << 16);
  } else if (reply.content_type == "application/json") {
    boost::json::error_code ec;
    (void)boost::json::parse(reply.Text(), ec);
    GS_CHECK(!ec);
  }
}

}  // namespace
}  // namespace gs::localcluster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gs::localcluster::ApiForTest cluster;
  cluster.Post(gs::localcluster::kPods, gs::localcluster::ApiForTest::Pod("a"));
  gs::localcluster::Try(cluster, {reinterpret_cast<const char*>(data), size});
  return 0;
}
