// LineSplitter: a stream of bytes that comes in any pieces, as lines of bounded length.
//
// Which lines come out never depends on how the stream was cut. Blank lines are left out; what has
// no line end yet is not a line. For one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/api/object_limit.h"
#include "base/result.h"

namespace gs::kube {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line_bytes = kMostObjectBytes)
      : max_bytes_(max_line_bytes) {}

  void Append(std::string_view bytes);
  // The next whole line, without its end; nullopt: more bytes are needed. The text is good until
  // the next Append. A line that is too long is an error from then on: the stream is lost.
  [[nodiscard]] Result<std::optional<std::string_view>> Next();

 private:
  [[nodiscard]] Error TooLong() const;

  std::size_t max_bytes_;  // constant after construction

  std::string buffer_;
  std::size_t begin_ = 0;    // where the next line begins
  std::size_t scanned_ = 0;  // no line end lies between begin_ and here
};

}  // namespace gs::kube
