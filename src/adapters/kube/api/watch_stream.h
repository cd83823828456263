// WatchStream: a watch that arrives piece by piece: each frame as soon as it is complete. By its
// first byte it is lines of JSON, or protobuf with a length before each frame. Which frames come
// out never depends on how the stream was cut. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "adapters/kube/api/line_splitter.h"
#include "adapters/kube/api/watch_frame.h"
#include "base/result.h"

namespace gs::kube {

class WatchStream {
 public:
  // The frame is good until it returns. False: nothing more is wanted.
  using TakeFrame = std::function<bool(const WatchFrame& frame)>;

  // Calls `take` with every frame that these bytes complete, while it wants more; whether it still
  // does. After an error the stream is lost.
  [[nodiscard]] Result<bool> Append(std::string_view bytes, const TakeFrame& take);

 private:
  enum class Form : std::uint8_t { kNotKnown, kLines, kProtobuf };

  [[nodiscard]] Result<bool> AppendLines(std::string_view bytes, const TakeFrame& take);
  [[nodiscard]] Result<bool> AppendProtobuf(std::string_view bytes, const TakeFrame& take);

  Form form_ = Form::kNotKnown;
  LineSplitter lines_;
  std::string waiting_;  // protobuf that is not complete yet
  std::string json_;     // of one object
};

}  // namespace gs::kube
