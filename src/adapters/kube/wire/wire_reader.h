// WireReader: the fields of one protobuf message, one after the other, whatever they mean.
//
// Nothing is copied: what is text or a message points into the bytes. Stops where the bytes make no
// sense, and says so. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gs::kube {

// One field on the wire: a number, or bytes.
struct WireField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  // What is left makes no sense.
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  // Where the next field begins.
  [[nodiscard]] const char* position() const { return at_; }

  // False: there is nothing more.
  [[nodiscard]] bool Next(WireField& field) {
    if (at_ == end_) return false;
    const auto key = Varint();
    field.number = static_cast<std::uint32_t>(key >> 3U);
    field.value = 0;
    field.bytes = {};
    switch (key & 7U) {
      case 0: field.value = Varint(); break;
      case 1: field.value = Fixed(8); break;
      case 2: field.bytes = Bytes(Varint()); break;
      case 5: field.value = Fixed(4); break;
      default: Break();
    }
    return !is_broken_;
  }

 private:
  // Nearly all have one byte.
  std::uint64_t Varint() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80U) {
      return static_cast<unsigned char>(*at_++);
    }
    return LongVarint();
  }
  std::uint64_t LongVarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) return value;
    }
    Break();
    return 0;
  }
  std::uint64_t Fixed(std::size_t size) {
    const auto bytes = Bytes(size);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8U * i);
    }
    return value;
  }
  std::string_view Bytes(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(end_ - at_)) {
      Break();
      return {};
    }
    const char* const start = at_;
    at_ += size;
    return {start, static_cast<std::size_t>(size)};
  }
  void Break() {
    is_broken_ = true;
    at_ = end_;
  }

  const char* at_;
  const char* end_;
  bool is_broken_ = false;
};

// The last field of that number; nothing in it if there is none.
[[nodiscard]] inline WireField FieldOf(std::string_view message, std::uint32_t number) {
  WireField found;
  WireField field;
  for (WireReader reader(message); reader.Next(field);) {
    if (field.number == number) found = field;
  }
  return found;
}

}  // namespace gs::kube
