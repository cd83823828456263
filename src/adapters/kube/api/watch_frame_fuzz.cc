// Any bytes as a watch: however the stream is cut, the same frames come out, and the object of a
// frame is JSON that can be read again. Lists, Statuses and plugin answers go the same way.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/login/exec_credential.h"
#include "adapters/kube/api/line_splitter.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/api/watch_frame.h"
#include "base/check.h"

namespace {

constexpr std::size_t kLimit = 4096;

std::vector<std::string> LinesOf(std::string_view stream, std::size_t piece) {
  gs::kube::LineSplitter splitter(kLimit);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    splitter.Append(stream.substr(at, piece));
    auto line = splitter.Next();
    for (; line && *line; line = splitter.Next()) {
      GS_CHECK((*line)->size() <= kLimit);
      lines.emplace_back(**line);
    }
    if (!line) return lines;
  }
  return lines;
}

void CheckFrame(const std::string& line) {
  const auto frame = gs::kube::ParseWatchFrame(line);
  if (!frame) return;
  GS_CHECK(frame->event == gs::kube::WatchEvent::kError || !frame->resource_version.empty());
  const auto again =
      gs::kube::ParseWatchFrame(R"({"type":")" + std::string(ToString(frame->event)) +
                                R"(","object":)" + frame->object + "}");
  GS_CHECK(again.ok() && again->object == frame->object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  const auto lines = LinesOf(stream, stream.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}})
    GS_CHECK(LinesOf(stream, piece) == lines);
  for (const auto& line : lines) CheckFrame(line);
  (void)gs::kube::ParseListPage(stream);
  (void)gs::kube::ParseExecAnswer(stream, "client.authentication.k8s.io/v1");
  const auto answer =
      gs::kube::ClassifyWrite({.code = 409, .body = stream}, gs::kube::WriteVerb::kCreate);
  GS_CHECK(answer.outcome == gs::model::WriteOutcome::kConflict ||
           answer.outcome == gs::model::WriteOutcome::kAlreadyExists);
  return 0;
}
