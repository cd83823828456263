#include "adapters/kube/api/watch_stream.h"

#include <optional>
#include <utility>

#include "adapters/kube/api/object_limit.h"
#include "adapters/kube/api/protobuf_frame.h"

namespace gs::kube {
namespace {

constexpr std::size_t kLengthBytes = 4;
// Of a length, since frames are shorter than 16 MiB; no JSON begins with it.
constexpr char kLengthStart = '\0';

std::size_t LengthOf(std::string_view bytes) {
  std::size_t length = 0;
  for (const char byte : bytes.substr(0, kLengthBytes)) {
    length = (length << 8U) | static_cast<unsigned char>(byte);
  }
  return length;
}

// The frame at the beginning of the bytes; nothing while it is not complete.
Result<std::optional<std::string_view>> FirstFrame(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return std::optional<std::string_view>();
  const std::size_t length = LengthOf(bytes);
  if (length > kMostObjectBytes) return ObjectTooLong().Within("watch");
  if (bytes.size() - kLengthBytes < length) return std::optional<std::string_view>();
  return std::optional(bytes.substr(kLengthBytes, length));
}

}  // namespace

Result<bool> WatchStream::Append(std::string_view bytes, const TakeFrame& take) {
  if (bytes.empty()) return true;
  if (form_ == Form::kNotKnown) {
    form_ = bytes.starts_with(kLengthStart) ? Form::kProtobuf : Form::kLines;
  }
  return form_ == Form::kProtobuf ? AppendProtobuf(bytes, take) : AppendLines(bytes, take);
}

Result<bool> WatchStream::AppendLines(std::string_view bytes, const TakeFrame& take) {
  lines_.Append(bytes);
  while (true) {
    const auto line = lines_.Next();
    if (!line) return line.error();
    if (!*line) return true;
    const auto frame = ParseWatchFrame(**line);
    if (!frame) return frame.error();
    if (!take(*frame)) return false;
  }
}

Result<bool> WatchStream::AppendProtobuf(std::string_view bytes, const TakeFrame& take) {
  waiting_.append(bytes);
  std::string_view left = waiting_;
  while (true) {
    const auto bytes_of_frame = FirstFrame(left);
    if (!bytes_of_frame) return bytes_of_frame.error();
    if (!*bytes_of_frame) break;
    const auto frame = ParseProtobufFrame(**bytes_of_frame, json_);
    if (!frame) return frame.error();
    if (!take(*frame)) return false;
    left.remove_prefix(kLengthBytes + (*bytes_of_frame)->size());
  }
  waiting_.erase(0, waiting_.size() - left.size());
  return true;
}

}  // namespace gs::kube
