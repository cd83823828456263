#include "adapters/kube/api/line_splitter.h"

#include "base/text.h"

namespace gs::kube {

void LineSplitter::Append(std::string_view bytes) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  buffer_ += bytes;
}

Error LineSplitter::TooLong() const {
  return Error(ErrorKind::kInvalid,
               "a line of the stream is longer than " + std::to_string(max_bytes_) + " bytes");
}

Result<std::optional<std::string_view>> LineSplitter::Next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    scanned_ = end == std::string::npos ? buffer_.size() : end;
    // begin_ stays where it is, so that every further call says the same.
    if (scanned_ - begin_ > max_bytes_) return TooLong();
    if (end == std::string::npos) return std::optional<std::string_view>();
    const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    if (!text::Trim(line).empty()) return std::optional(line);
  }
}

}  // namespace gs::kube
