// Protobuf as an API server writes it, for tests: by hand, and from JSON by the table.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/login/base64.h"
#include "adapters/kube/wire/api_fields.h"
#include "base/time.h"

namespace gs::kube::wire_test {

[[nodiscard]] inline std::string Varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7U) text += static_cast<char>(0x80U | (value & 0x7fU));
  return text + static_cast<char>(value);
}
[[nodiscard]] inline std::string Text(std::uint32_t number, std::string_view bytes) {
  return Varint((number << 3U) | 2U) + Varint(bytes.size()) + std::string(bytes);
}
[[nodiscard]] inline std::string Number(std::uint32_t number, std::uint64_t value) {
  return Varint(number << 3U) + Varint(value);
}
[[nodiscard]] inline std::string Double(std::uint32_t number, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  std::string text = Varint((number << 3U) | 1U);
  for (int i = 0; i < 8; ++i, bits >>= 8U) text += static_cast<char>(bits & 0xffU);
  return text;
}
[[nodiscard]] inline std::string Envelope(std::string_view version, std::string_view kind,
                                          std::string_view object) {
  return std::string("k8s\0", 4) + Text(1, Text(1, version) + Text(2, kind)) + Text(2, object);
}
// A page of a list, from its items.
[[nodiscard]] inline std::string ListEnvelope(std::string_view version, std::string_view kind,
                                              std::string_view metadata,
                                              const std::vector<std::string>& items) {
  std::string list = Text(1, metadata);
  for (const auto& item : items) list += Text(2, item);
  return Envelope(version, kind, list);
}

[[nodiscard]] inline std::string Encode(const ApiType& type, const boost::json::object& object);

[[nodiscard]] inline std::string EncodeTime(const boost::json::value& value) {
  if (!value.is_string()) return "";
  const auto since = (*ParseTime(std::string_view(value.get_string()))).time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return Number(1, static_cast<std::uint64_t>(seconds.count())) +
         Number(2, static_cast<std::uint64_t>((since - seconds).count()));
}

[[nodiscard]] inline std::string EncodeDuration(const std::string& text) {
  return Number(1, static_cast<std::uint64_t>(text.empty() ? 0 : (*ParseDuration(text)).count()));
}

[[nodiscard]] inline std::string EncodeNumberOrText(const boost::json::value& value) {
  if (value.is_string()) return Number(1, 1) + Number(2, 0) + Text(3, value.get_string());
  const auto number = value.is_int64() ? value.get_int64() : 0;
  return Number(1, 0) + Number(2, static_cast<std::uint64_t>(number)) + Text(3, "");
}

// Null is what Go has for something that was not set.
[[nodiscard]] inline std::string EncodeOne(const ApiField& field, std::uint32_t number,
                                           const boost::json::value& value) {
  const std::string text(value.is_string() ? std::string_view(value.get_string()) : "");
  const auto integer = static_cast<std::uint64_t>(value.is_int64() ? value.get_int64() : 0);
  if (field.type != nullptr) {
    const auto* object = value.if_object();
    return Text(number, Encode(*field.type, object ? *object : boost::json::object()));
  }
  switch (field.basic) {
    case 'i': return Number(number, integer);
    case 'b': return Number(number, value.is_bool() && value.get_bool() ? 1 : 0);
    case 'f': return Double(number, value.is_double() ? value.get_double() : 0);
    case 'y': return Text(number, *DecodeBase64(text));
    case 'T':
    case 'U': return Text(number, EncodeTime(value));
    case 'D': return Text(number, EncodeDuration(text));
    case 'Q': return Text(number, Text(1, text));
    case 'I': return Text(number, EncodeNumberOrText(value));
    case 'R': return Text(number, Text(1, boost::json::serialize(value)));
    default: return Text(number, text);
  }
}

[[nodiscard]] inline std::string EncodeField(const ApiField& field,
                                             const boost::json::object& object) {
  if (field.is_inline) return Text(field.number, Encode(*field.type, object));
  const auto* value = object.if_contains(field.name);
  std::string bytes;
  if (field.shape == ApiField::Shape::kOne) {
    if (value == nullptr && field.is_optional) return "";
    return EncodeOne(field, field.number, value == nullptr ? boost::json::value() : *value);
  }
  if (value == nullptr) return "";
  if (field.shape == ApiField::Shape::kList) {
    for (const auto& item : value->as_array()) bytes += EncodeOne(field, field.number, item);
    return bytes;
  }
  for (const auto& [key, item] : value->as_object()) {
    bytes += Text(field.number, Text(1, key) + EncodeOne(field, 2, item));
  }
  return bytes;
}

// What an API server sends of an object whose fields are all of the table. Of those that cannot be
// absent in Go, zeroes are sent too.
[[nodiscard]] inline std::string Encode(const ApiType& type, const boost::json::object& object) {
  std::vector<const ApiField*> fields;
  fields.reserve(type.fields.size());
  for (const auto& field : type.fields) fields.push_back(&field);
  std::sort(fields.begin(), fields.end(),
            [](const auto* a, const auto* b) { return a->number < b->number; });
  std::string bytes;
  for (const auto* field : fields) bytes += EncodeField(*field, object);
  return bytes;
}

}  // namespace gs::kube::wire_test
