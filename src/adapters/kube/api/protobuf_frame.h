// A frame of a watch in protobuf: what happened, and the object in an envelope of its own. Inside
// this folder only; see watch_frame.h.
#pragma once

#include <string>
#include <string_view>

#include "adapters/kube/api/watch_frame.h"
#include "base/result.h"

namespace gs::kube {

// The object of the frame is JSON text in `json`.
[[nodiscard]] Result<WatchFrame> ParseProtobufFrame(std::string_view bytes, std::string& json);

}  // namespace gs::kube
