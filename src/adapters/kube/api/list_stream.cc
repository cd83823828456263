#include "adapters/kube/api/list_stream.h"

#include <utility>

#include "adapters/kube/api/object_limit.h"
#include "base/text.h"

namespace gs::kube {
namespace {

constexpr char kProtobufStart = 'k';  // see IsProtobuf
constexpr int kListDepth = 2;         // inside of the list's own brackets

bool IsItemsList(std::string_view around) {
  around = text::Trim(around);
  if (!around.ends_with(':')) return false;
  around.remove_suffix(1);
  return text::Trim(around).ends_with("\"items\"");
}

bool IsBlank(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

}  // namespace

Result<void> ListStream::Append(std::string_view bytes, const TakeItem& take) {
  const bool is_first = around_.empty() && !protobuf_;
  if (is_first && bytes.starts_with(kProtobufStart)) protobuf_.emplace();
  return protobuf_ ? protobuf_->Append(bytes, take) : AppendJson(bytes, take);
}

Result<void> ListStream::AppendJson(std::string_view bytes, const TakeItem& take) {
  while (!bytes.empty()) {
    Result<std::size_t> used = std::size_t{1};
    switch (place_) {
      case Place::kAround: TakeAround(bytes.front()); break;
      case Place::kBetweenItems: used = TakeBetweenItems(bytes.front()); break;
      case Place::kInItem: used = TakeInItem(bytes, take); break;
    }
    if (!used) return std::move(used).error();
    bytes.remove_prefix(*used);
  }
  if (item_.size() > kMostObjectBytes || around_.size() > kMostObjectBytes) {
    return ObjectTooLong().Within("list");
  }
  return {};
}

// Brackets count outside of texts only.
void ListStream::Follow(char byte) {
  if (is_in_text_) {
    if (!is_escaped_ && byte == '"') is_in_text_ = false;
    is_escaped_ = !is_escaped_ && byte == '\\';
  } else if (byte == '"') {
    is_in_text_ = true;
  } else if (byte == '{' || byte == '[') {
    ++depth_;
  } else if (byte == '}' || byte == ']') {
    --depth_;
  }
}

void ListStream::TakeAround(char byte) {
  const bool may_begin = !is_in_text_ && byte == '[' && depth_ == kListDepth - 1;
  if (may_begin && IsItemsList(around_)) place_ = Place::kBetweenItems;
  Follow(byte);
  around_ += byte;
}

Result<std::size_t> ListStream::TakeBetweenItems(char byte) {
  if (byte == ',' || IsBlank(byte)) return 1;
  if (byte == ']') {
    place_ = Place::kAround;
    TakeAround(byte);
    return 1;
  }
  if (byte != '{') {
    return Error(ErrorKind::kInvalid, "items: expected a list of objects").Within("list");
  }
  place_ = Place::kInItem;
  item_.clear();
  return 0;
}

Result<std::size_t> ListStream::TakeInItem(std::string_view bytes, const TakeItem& take) {
  std::size_t used = 0;
  do {
    Follow(bytes[used]);
    ++used;
  } while (used < bytes.size() && (is_in_text_ || depth_ > kListDepth));
  item_.append(bytes.substr(0, used));
  if (is_in_text_ || depth_ > kListDepth) return used;
  place_ = Place::kBetweenItems;
  if (auto taken = take(item_); !taken) return std::move(taken).error();
  return used;
}

}  // namespace gs::kube
