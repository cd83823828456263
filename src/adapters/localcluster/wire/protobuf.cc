#include "adapters/localcluster/wire/protobuf.h"

#include <bit>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/wire/api_fields.h"
#include "base/time.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr int kMaxDepth = 64;
constexpr std::string_view kMagic{"k8s\0", 4};

// One field on the wire: a number, or bytes.
struct WireField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

// Reads the fields of one message; stops with `is_broken` where the bytes make no sense.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool is_broken() const { return is_broken_; }

  std::optional<WireField> Next() {
    if (rest_.empty() || is_broken_) return std::nullopt;
    const auto key = Varint();
    WireField field{.number = static_cast<std::uint32_t>(key >> 3U), .value = 0, .bytes = {}};
    switch (key & 7U) {
      case 0: field.value = Varint(); break;
      case 1: field.value = Fixed(8); break;
      case 2: field.bytes = Bytes(Varint()); break;
      case 5: field.value = Fixed(4); break;
      default: is_broken_ = true;
    }
    if (is_broken_) return std::nullopt;
    return field;
  }

 private:
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) return value;
    }
    is_broken_ = true;
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
    if (size > rest_.size()) {
      is_broken_ = true;
      return {};
    }
    const auto bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view rest_;
  bool is_broken_ = false;
};

std::string_view BytesOf(std::string_view message, std::uint32_t number) {
  std::string_view found;
  WireReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == number) found = field->bytes;
  }
  return found;
}

std::int64_t NumberOf(std::string_view message, std::uint32_t number) {
  std::int64_t found = 0;
  WireReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == number) found = static_cast<std::int64_t>(field->value);
  }
  return found;
}

// Turns messages into objects by what the table says of their types.
class Decoder {
 public:
  [[nodiscard]] bool is_broken() const { return is_broken_; }

  void Read(std::string_view message, const ApiType& type, int depth, json::object& into) {
    if (depth > kMaxDepth) is_broken_ = true;
    WireReader reader(message);
    while (!is_broken_) {
      const auto wire = reader.Next();
      if (!wire) break;
      for (const auto& field : type.fields) {
        if (field.number == wire->number) Put(field, *wire, depth, into);
      }
    }
    is_broken_ = is_broken_ || reader.is_broken();
  }

 private:
  void Put(const ApiField& field, const WireField& wire, int depth, json::object& into) {
    if (field.is_inline && field.type != nullptr) {
      Read(wire.bytes, *field.type, depth + 1, into);
      return;
    }
    if (field.shape == ApiField::Shape::kMap) {
      PutEntry(field, wire.bytes, depth, into);
      return;
    }
    json::value value = One(field, wire, depth);
    if (field.shape == ApiField::Shape::kList) {
      auto& list = into[field.name];
      if (!list.is_array()) list = json::array();
      list.get_array().push_back(std::move(value));
    } else if (field.is_optional || !IsZero(value)) {
      into[field.name] = std::move(value);
    }
  }

  // A map is a list of messages with a key and a value.
  void PutEntry(const ApiField& field, std::string_view entry, int depth, json::object& into) {
    auto& map = into[field.name];
    if (!map.is_object()) map = json::object();
    WireField value{.number = 2, .value = 0, .bytes = {}};
    WireReader reader(entry);
    std::string_view key;
    while (const auto part = reader.Next()) {
      if (part->number == 1) key = part->bytes;
      if (part->number == 2) value = *part;
    }
    is_broken_ = is_broken_ || reader.is_broken();
    map.get_object()[key] = One(field, value, depth);
  }

  json::value One(const ApiField& field, const WireField& wire, int depth) {
    if (field.type == nullptr) return Basic(field.basic, wire);
    json::object object;
    Read(wire.bytes, *field.type, depth + 1, object);
    return object;
  }

  static json::value Basic(char type, const WireField& wire) {
    switch (type) {
      case 'i': return static_cast<std::int64_t>(wire.value);
      case 'b': return wire.value != 0;
      case 'f': return std::bit_cast<double>(wire.value);
      case 'y': return json::value(kube::EncodeBase64(wire.bytes).c_str());
      case 'T': return Time(wire.bytes, TimeDetail::kSeconds);
      case 'U': return Time(wire.bytes, TimeDetail::kMicros);
      case 'D': return json::string(PrintDuration(Duration(NumberOf(wire.bytes, 1))));
      case 'Q': return json::string(BytesOf(wire.bytes, 1));
      case 'I': return NumberOrText(wire.bytes);
      case 'R': return Raw(BytesOf(wire.bytes, 1));
      default: return json::string(wire.bytes);
    }
  }

  // A time that was never set is a message without anything in it.
  static json::value Time(std::string_view message, TimeDetail detail) {
    if (message.empty()) return nullptr;
    constexpr std::int64_t kFarthest = 9'000'000'000;  // within what a time can hold
    const auto seconds = NumberOf(message, 1);
    if (seconds <= -kFarthest || seconds >= kFarthest) return nullptr;
    const auto nanos = NumberOf(message, 2) % 1'000'000'000;
    const TimePoint time(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos));
    return json::string(PrintTime(time, detail));
  }
  static json::value NumberOrText(std::string_view message) {
    if (NumberOf(message, 1) == 1) return json::string(BytesOf(message, 3));
    return static_cast<std::int64_t>(static_cast<std::int32_t>(NumberOf(message, 2)));
  }
  static json::value Raw(std::string_view text) {
    json::error_code ec;
    auto value = json::parse({text.data(), text.size()}, ec);
    return ec ? json::value(nullptr) : value;
  }
  // What Go leaves out of JSON; an object that is always there says nothing when it is empty.
  static bool IsZero(const json::value& value) {
    if (value.is_null()) return true;
    if (const auto* text = value.if_string()) return text->empty();
    if (const auto* number = value.if_int64()) return *number == 0;
    if (const auto* flag = value.if_bool()) return !*flag;
    if (const auto* object = value.if_object()) return object->empty();
    return false;
  }

  bool is_broken_ = false;
};

}  // namespace

Result<json::object> ReadProtobuf(std::string_view bytes) {
  const auto broken = [] { return Error(ErrorKind::kInvalid, "the protobuf is malformed"); };
  if (!bytes.starts_with(kMagic)) return broken();
  bytes.remove_prefix(kMagic.size());
  const auto type_meta = BytesOf(bytes, 1);
  const auto api_version = BytesOf(type_meta, 1);
  const auto kind = BytesOf(type_meta, 2);
  // Options are sent as whatever version their request is of.
  const auto* type = FindApiType(kind == "DeleteOptions" ? "v1" : api_version, kind);
  if (type == nullptr) {
    return Error(ErrorKind::kUnsupported, "no kind \"" + std::string(kind) + "\" of version \"" +
                                              std::string(api_version) + "\" in protobuf")
        .Advise("send JSON");
  }
  json::object object{{"kind", json::string(kind)}, {"apiVersion", json::string(api_version)}};
  Decoder decoder;
  decoder.Read(BytesOf(bytes, 2), *type, 0, object);
  if (decoder.is_broken()) return broken();
  return object;
}

}  // namespace gs::localcluster
