// Any bytes as a watch: however the stream is cut, the same frames come out, and the object of a
// frame is JSON that can be read again. Lists, Statuses and plugin answers go the same way.
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/api/discovery.h"
#include "adapters/kube/api/line_splitter.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/api/watch_stream.h"
#include "adapters/kube/login/exec_credential.h"
#include "adapters/kube/objects/json_pieces.h"
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
  GS_CHECK(line.find(frame->object) != std::string::npos);
  const std::string same = R"({"type":")" + std::string(ToString(frame->event)) + R"(","object":)" +
                           std::string(frame->object) + "}";
  const auto again = gs::kube::ParseWatchFrame(same);
  GS_CHECK(again.ok() && again->object == frame->object);
}

// The objects of a watch that comes in such pieces, and last whether it was lost.
std::vector<std::string> ObjectsOf(std::string_view stream, std::size_t piece) {
  gs::kube::WatchStream watch;
  std::vector<std::string> objects;
  bool is_lost = false;
  for (std::size_t at = 0; at < stream.size() && !is_lost; at += piece) {
    const auto read = watch.Append(stream.substr(at, piece), [&](const auto& frame) {
      objects.emplace_back(frame.object);
      return true;
    });
    is_lost = !read.ok();
  }
  objects.emplace_back(is_lost ? "lost" : "");
  return objects;
}

// The items of a list by the strict parser, without their layout; nothing where it refuses the
// text.
std::optional<std::vector<std::string>> StrictItems(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (text.empty() || parser.parse(text.data(), text.size()).get(root)) return std::nullopt;
  std::vector<std::string> items;
  simdjson::dom::array list;
  if (root.at_key("items").get(list)) return items;
  for (const auto item : list) items.push_back(simdjson::minify(item));
  return items;
}

// Whether each item can be parsed, and what it says then.
std::optional<std::vector<std::string>> LazyItems(const gs::kube::JsonPieces& pieces) {
  std::vector<std::string> items;
  for (const auto item : pieces.items()) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (parser.parse(item.data(), item.size()).get(root)) return std::nullopt;
    items.push_back(simdjson::minify(root));
  }
  return items;
}

// Deep nesting is refused by depth, which the pieces of a text have less of than the whole.
bool IsDeep(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; }) >
         1000;
}

// Taking a text apart lazily and having the items decoded finds the same as a strict reading.
void CheckPieces(std::string_view text) {
  if (IsDeep(text)) return;
  const auto pieces = gs::kube::JsonPieces::Split(text, "items");
  const auto strict = StrictItems(text);
  if (pieces) {
    GS_CHECK(LazyItems(*pieces) == strict);
  } else if (strict) {
    // The one thing it refuses that is JSON is a text that is no object.
    simdjson::dom::parser parser;
    GS_CHECK(!parser.parse(text.data(), text.size()).is_object());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  const auto lines = LinesOf(stream, stream.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}})
    GS_CHECK(LinesOf(stream, piece) == lines);
  for (const auto& line : lines) CheckFrame(line);
  // Also as one frame of protobuf, whose length stands before it.
  const std::string length{'\0', '\0', static_cast<char>(size >> 8U), static_cast<char>(size)};
  for (const std::string& watch : {std::string(stream), length + std::string(stream)}) {
    GS_CHECK(ObjectsOf(watch, watch.size() + 1) == ObjectsOf(watch, 3));
  }
  CheckPieces(stream);
  (void)gs::kube::ParseListPage(stream);
  (void)gs::kube::ServingInVersion(200, stream, gs::kube::kClaims);
  (void)gs::kube::ServingInGroups(200, stream, gs::kube::kClaims);
  (void)gs::kube::ParseExecAnswer(stream, "client.authentication.k8s.io/v1");
  const auto answer =
      gs::kube::ClassifyWrite({.code = 409, .body = stream}, gs::kube::WriteVerb::kCreate);
  GS_CHECK(answer.outcome == gs::model::WriteOutcome::kConflict ||
           answer.outcome == gs::model::WriteOutcome::kAlreadyExists);
  // Whatever stands in a 404, only a Status can mean that the object is gone.
  const gs::kube::NamedObject pod{"pods", "a"};
  GS_CHECK(!gs::kube::SaysNotFound(stream, pod) ||
           gs::kube::ParseStatus(stream)->reason == "NotFound");
  return 0;
}
