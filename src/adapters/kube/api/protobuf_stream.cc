#include "adapters/kube/api/protobuf_stream.h"

#include <algorithm>
#include <utility>

#include "adapters/kube/api/object_limit.h"
#include "adapters/kube/api/protobuf_page.h"
#include "adapters/kube/wire/protobuf.h"
#include "adapters/kube/wire/wire_reader.h"

namespace gs::kube {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kLongestVarint = 10;

enum EnvelopeField : std::uint32_t { kTypeMeta = 1, kRaw = 2 };
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// A number at the beginning of the bytes; nothing while it is not complete.
struct Varint {
  std::uint64_t value = 0;
  std::size_t size = 0;
};
Result<std::optional<Varint>> ReadVarint(std::string_view bytes) {
  Varint read;
  for (const char byte : bytes.substr(0, kLongestVarint)) {
    const auto bits = static_cast<unsigned char>(byte);
    read.value |= std::uint64_t{bits & 0x7fU} << (7U * read.size);
    ++read.size;
    if (bits < 0x80U) return std::optional(read);
  }
  if (read.size == kLongestVarint) return MalformedProtobuf();
  return std::optional<Varint>();
}

// A field as far as it is there.
struct FieldStart {
  std::uint32_t number = 0;
  std::size_t head = 0;    // bytes before its content
  std::uint64_t size = 0;  // of its content
  bool is_bytes = false;
};
Result<std::optional<FieldStart>> ReadStart(std::string_view bytes) {
  const auto key = ReadVarint(bytes);
  if (!key) return key.error();
  if (!*key) return std::optional<FieldStart>();
  FieldStart start{.number = static_cast<std::uint32_t>((*key)->value >> 3U), .head = (*key)->size};
  const auto type = (*key)->value & 7U;
  if (type == kFixed64 || type == kFixed32) {
    start.size = type == kFixed64 ? 8 : 4;
    return std::optional(start);
  }
  if (type != kVarint && type != kBytes) return MalformedProtobuf();
  const auto next = ReadVarint(bytes.substr(start.head));
  if (!next) return next.error();
  if (!*next) return std::optional<FieldStart>();
  start.head += (*next)->size;
  start.is_bytes = type == kBytes;
  if (start.is_bytes) start.size = (*next)->value;
  return std::optional(start);
}

}  // namespace

Result<void> ProtobufStream::Append(std::string_view bytes, const TakeItem& take) {
  // What is complete is read where it is; only what is left is copied.
  const bool is_alone = waiting_.empty();
  if (!is_alone) waiting_.append(bytes);
  const std::string_view all = is_alone ? bytes : std::string_view(waiting_);
  std::size_t used = 0;
  while (used < all.size()) {
    const auto taken = TakeField(all.substr(used), take);
    if (!taken) return Error(taken.error()).Within("list");
    if (*taken == 0) break;
    used += *taken;
  }
  if (is_alone) {
    waiting_ = all.substr(used);
  } else {
    waiting_.erase(0, used);
  }
  return {};
}

Result<std::size_t> ProtobufStream::TakeField(std::string_view bytes, const TakeItem& take) {
  if (!is_begun_) {
    if (bytes.size() < kMagicBytes) return 0;
    if (!IsProtobuf(bytes)) return MalformedProtobuf();
    is_begun_ = true;
    return kMagicBytes;
  }
  const auto start = ReadStart(bytes);
  if (!start) return start.error();
  if (!*start) return 0;
  const FieldStart& field = **start;
  const bool is_in_list = list_left_ > 0;
  if (!is_in_list && field.number == kRaw && field.is_bytes) {
    if (item_ == nullptr || has_list_) return MalformedProtobuf();
    has_list_ = true;
    list_left_ = field.size;
    return field.head;
  }
  if (field.size > kMostObjectBytes) return ObjectTooLong();
  const std::size_t size = field.head + static_cast<std::size_t>(field.size);
  if (is_in_list && size > list_left_) return MalformedProtobuf();
  if (size > bytes.size()) return 0;
  const std::string_view content =
      field.is_bytes ? bytes.substr(field.head, size - field.head) : "";
  auto done =
      is_in_list ? TakeInList(field.number, content, take) : TakeInEnvelope(field.number, content);
  if (!done) return std::move(done).error();
  if (is_in_list) list_left_ -= size;
  return size;
}

Result<void> ProtobufStream::TakeInEnvelope(std::uint32_t number, std::string_view bytes) {
  if (number != kTypeMeta) return {};
  const auto item = ListItemType(FieldOf(bytes, 1).bytes, FieldOf(bytes, 2).bytes);
  if (!item) return item.error();
  item_ = *item;
  return {};
}

Result<void> ProtobufStream::TakeInList(std::uint32_t number, std::string_view bytes,
                                        const TakeItem& take) {
  if (number == kListMetadata) return ReadListMetadata(bytes, page_);
  if (number != kListItems) return {};
  if (page_.resource_version.empty()) return NoListVersion();
  json_.clear();
  if (!writer_.Append(bytes, *item_)) return MalformedProtobuf();
  return take(json_);
}

Result<ListPage> ProtobufStream::Finish() const {
  const bool is_whole = has_list_ && list_left_ == 0 && waiting_.empty();
  Result<ListPage> page = page_;
  if (!is_whole) page = MalformedProtobuf();
  if (is_whole && page_.resource_version.empty()) page = NoListVersion();
  if (!page) return std::move(page).error().Within("list");
  return page;
}

}  // namespace gs::kube
