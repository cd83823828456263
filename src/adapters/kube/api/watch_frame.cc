#include "adapters/kube/api/watch_frame.h"

#include <array>
#include <optional>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/json_pieces.h"
#include "base/text.h"

namespace gs::kube {
namespace {

constexpr std::array kEvents{
    std::pair{WatchEvent::kAdded, std::string_view("ADDED")},
    std::pair{WatchEvent::kModified, std::string_view("MODIFIED")},
    std::pair{WatchEvent::kDeleted, std::string_view("DELETED")},
    std::pair{WatchEvent::kBookmark, std::string_view("BOOKMARK")},
    std::pair{WatchEvent::kError, std::string_view("ERROR")},
};

constexpr std::int64_t kGone = 410;

std::string NoEvent(std::string_view word) {
  return "expected one of " + text::NamesOf(kEvents) + ", got " + json::Quoted(word);
}

WatchEvent ReadEvent(const JsonView& type) {
  const std::string word = type.RequiredText();
  const auto event = text::ValueOf(kEvents, word);
  if (!event) type.Fail(NoEvent(word));
  return event.value_or(WatchEvent::kError);
}

// Some API servers leave the code out and give only the reason.
bool IsExpired(const JsonView& status) {
  return status.Field("code").Int({}, 0) == kGone || status.Field("reason").Word() == "Expired";
}

WatchFrame ReadFrame(const JsonPieces& pieces) {
  WatchFrame frame;
  frame.event = ReadEvent(pieces.Field("type"));
  const JsonView object = pieces.Field("object");
  if (!object.is_present()) object.Fail("is missing");
  frame.object = pieces.TextOf("object");
  if (frame.event == WatchEvent::kError) {
    frame.is_expired = IsExpired(object);
  } else {
    frame.resource_version =
        ResourceVersion(object.Field("metadata").Field("resourceVersion").RequiredText());
  }
  return frame;
}

}  // namespace

std::string_view ToString(WatchEvent event) { return text::NameOf(kEvents, event); }

Result<WatchEvent> ParseWatchEvent(std::string_view word) {
  const auto event = text::ValueOf(kEvents, word);
  if (!event) return Error(ErrorKind::kInvalid, "type: " + NoEvent(word));
  return *event;
}

Result<WatchFrame> ParseWatchFrame(std::string_view line) {
  const auto pieces = JsonPieces::Split(line);
  if (!pieces) return Error(pieces.error()).Within("watch");
  WatchFrame frame = ReadFrame(*pieces);
  if (auto done = pieces->Finish(); !done) return std::move(done).error().Within("watch");
  return frame;
}

}  // namespace gs::kube
