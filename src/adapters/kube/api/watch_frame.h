// One frame of a watch: what happened to which object.
//
// The object stays text: only its kind's decoder knows what to read of it, and bookmarks and errors
// have none. Of a line it points into that, byte for byte, so it is good only as long as the line
// is. The whole line has been checked to be JSON. Pure functions of the line.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace gs::kube {

enum class WatchEvent : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

[[nodiscard]] std::string_view ToString(WatchEvent event);
[[nodiscard]] Result<WatchEvent> ParseWatchEvent(std::string_view word);

struct WatchFrame {
  WatchEvent event = WatchEvent::kAdded;
  // Up to where the watch has come; empty with kError.
  ResourceVersion resource_version;
  std::string_view object;  // JSON; with kError a Status, for ParseStatus
  // With kError: the version that was asked for is too old, so everything has to be listed again.
  bool is_expired = false;

  friend bool operator==(const WatchFrame&, const WatchFrame&) = default;
};

[[nodiscard]] Result<WatchFrame> ParseWatchFrame(std::string_view line);

}  // namespace gs::kube
