#include "adapters/kube/wire/wire_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/parse.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "adapters/kube/login/base64.h"
#include "adapters/kube/wire/quoted_text.h"
#include "base/time.h"

namespace gs::kube {
namespace {

constexpr int kMaxDepth = 64;

template <class Number>
void AppendNumber(Number number, std::string& json) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  json.append(digits.data(), end.ptr);
}

std::int64_t NumberOf(std::string_view message, std::uint32_t number) {
  return static_cast<std::int64_t>(FieldOf(message, number).value);
}

std::string_view BytesOf(std::string_view message, std::uint32_t number) {
  return FieldOf(message, number).bytes;
}

// A time that was never set is a message without anything in it.
void AppendTime(std::string_view message, TimeDetail detail, std::string& json) {
  if (message.empty()) {
    json += "null";
    return;
  }
  constexpr std::int64_t kFarthest = 9'000'000'000;  // within what a time can hold
  const auto seconds = std::clamp(NumberOf(message, 1), -kFarthest, kFarthest);
  const auto nanos = NumberOf(message, 2) % 1'000'000'000;
  const TimePoint time(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos));
  json.append("\"").append(PrintTime(time, detail)).append("\"");
}

void AppendNumberOrText(std::string_view message, std::string& json) {
  if (NumberOf(message, 1) == 1) {
    AppendQuoted(BytesOf(message, 3), json);
  } else {
    AppendNumber(static_cast<std::int32_t>(NumberOf(message, 2)), json);
  }
}

void AppendDouble(double number, std::string& json) {
  if (std::isfinite(number)) {
    AppendNumber(number, json);
  } else {
    json += "null";
  }
}

// Bytes that claim to be JSON.
void AppendRaw(std::string_view text, std::string& json) {
  boost::json::error_code ec;
  (void)boost::json::parse({text.data(), text.size()}, ec);
  json += ec ? std::string_view("null") : text;
}

// What Go leaves out of JSON.
bool IsZero(const ApiField& field, const WireField& wire) {
  switch (field.basic) {
    case 'i':
    case 'b': return wire.value == 0;
    case 's':
    case 'y':
    case 'T':
    case 'U': return wire.bytes.empty();
    case 'I': return NumberOf(wire.bytes, 1) == 0 && NumberOf(wire.bytes, 2) == 0;
    case 'Q': return BytesOf(wire.bytes, 1).empty();
    default: return false;
  }
}

// The same message with its fields in the order of their numbers.
std::string SortedFields(std::string_view message) {
  std::vector<std::pair<std::uint32_t, std::string_view>> fields;
  WireField field;
  WireReader reader(message);
  for (const char* start = reader.position(); reader.Next(field); start = reader.position()) {
    const auto size = static_cast<std::size_t>(reader.position() - start);
    fields.emplace_back(field.number, std::string_view(start, size));
  }
  std::ranges::stable_sort(fields, {}, &std::pair<std::uint32_t, std::string_view>::first);
  std::string sorted;
  for (const auto& each : fields) sorted += each.second;
  return sorted;
}

}  // namespace

bool WireJson::Append(std::string_view message, const ApiType& type) {
  Object(message, type, 0);
  return !is_broken_;
}

bool WireJson::AppendMembers(std::string_view message, const ApiType& type) {
  Members(message, type, 0);
  return !is_broken_;
}

void WireJson::Object(std::string_view message, const ApiType& type, int depth) {
  json_ += '{';
  Members(message, type, depth);
  Close('}');
}

// Every member, item and entry leaves a comma, which the last one does not need.
void WireJson::Close(char bracket) {
  if (json_.back() == ',') {
    json_.back() = bracket;
  } else {
    json_ += bracket;
  }
}

void WireJson::Members(std::string_view message, const ApiType& type, int depth) {
  if (depth > kMaxDepth) is_broken_ = true;
  if (is_broken_) return;
  const std::size_t start = json_.size();
  WireReader reader(message);
  if (!MembersInOrder(reader, type, depth)) {
    // API servers write them in order; nobody has to.
    json_.resize(start);
    WireField rest;
    while (reader.Next(rest)) continue;
    const std::string sorted = SortedFields(message);
    WireReader again(sorted);
    (void)MembersInOrder(again, type, depth);
  }
  is_broken_ = is_broken_ || reader.is_broken();
}

bool WireJson::MembersInOrder(WireReader& reader, const ApiType& type, int depth) {
  WireField wire;
  std::uint32_t last = 0;
  for (bool has_more = reader.Next(wire); has_more && !is_broken_;) {
    if (wire.number < last) return false;
    last = wire.number;
    const ApiField* field = type.Find(wire.number);
    if (field == nullptr) Mark(wire.number);
    if (field == nullptr || (wanted_ == WireFields::kRead && field->is_never_read)) {
      has_more = reader.Next(wire);
    } else if (field->shape == ApiField::Shape::kOne) {
      has_more = Single(*field, reader, wire, depth);
    } else {
      has_more = Several(*field, reader, wire, depth);
    }
  }
  return true;
}

// Of a field that is there more than once the last one counts.
bool WireJson::Single(const ApiField& field, WireReader& reader, WireField& wire, int depth) {
  WireField next;
  bool has_more = reader.Next(next);
  while (has_more && next.number == wire.number) {
    wire = next;
    has_more = reader.Next(next);
  }
  One(field, wire, depth);
  wire = next;
  return has_more;
}

bool WireJson::Several(const ApiField& field, WireReader& reader, WireField& wire, int depth) {
  const std::uint32_t number = wire.number;
  const bool is_map = field.shape == ApiField::Shape::kMap;
  bool has_more = true;
  json_ += field.key;
  json_ += is_map ? '{' : '[';
  for (; has_more && wire.number == number; has_more = reader.Next(wire)) {
    if (is_map) {
      Entry(field, wire.bytes, depth);
    } else {
      Value(field, wire, depth);
    }
    json_ += ',';
  }
  Close(is_map ? '}' : ']');
  json_ += ',';
  return has_more;
}

void WireJson::Mark(std::uint32_t number) {
  if (wanted_ == WireFields::kAll) return;
  json_ += "\"field";
  AppendNumber(number, json_);
  json_ += "\":true,";
}

void WireJson::One(const ApiField& field, const WireField& wire, int depth) {
  if (field.is_inline && field.type != nullptr) {
    Members(wire.bytes, *field.type, depth + 1);
    return;
  }
  const bool shows_zero = field.is_optional || field.keeps_zero;
  if (!shows_zero && IsZero(field, wire)) return;
  const std::size_t start = json_.size();
  json_ += field.key;
  Value(field, wire, depth);
  json_ += ',';
  // An object that is always there says nothing when it is empty.
  if (!shows_zero && field.type != nullptr && json_.ends_with("{},")) json_.resize(start);
}

// A map is a list of messages with a key and a value.
void WireJson::Entry(const ApiField& field, std::string_view entry, int depth) {
  std::string_view key;
  WireField value;
  WireField part;
  WireReader reader(entry);
  while (reader.Next(part)) {
    if (part.number == 1) key = part.bytes;
    if (part.number == 2) value = part;
  }
  is_broken_ = is_broken_ || reader.is_broken();
  AppendQuoted(key, json_);
  json_ += ':';
  Value(field, value, depth);
}

void WireJson::Value(const ApiField& field, const WireField& wire, int depth) {
  if (field.type == nullptr) {
    Basic(field.basic, wire);
  } else {
    Object(wire.bytes, *field.type, depth + 1);
  }
}

void WireJson::Basic(char type, const WireField& wire) {
  switch (type) {
    case 'i': return AppendNumber(static_cast<std::int64_t>(wire.value), json_);
    case 'b': json_ += wire.value != 0 ? "true" : "false"; return;
    case 'f': return AppendDouble(std::bit_cast<double>(wire.value), json_);
    case 'y': return AppendQuoted(EncodeBase64(wire.bytes), json_);
    case 'T': return AppendTime(wire.bytes, TimeDetail::kSeconds, json_);
    case 'U': return AppendTime(wire.bytes, TimeDetail::kMicros, json_);
    case 'D': return AppendQuoted(PrintDuration(Duration(NumberOf(wire.bytes, 1))), json_);
    case 'Q': return AppendQuoted(BytesOf(wire.bytes, 1), json_);
    case 'I': return AppendNumberOrText(wire.bytes, json_);
    case 'R': return AppendRaw(BytesOf(wire.bytes, 1), json_);
    default: return AppendQuoted(wire.bytes, json_);
  }
}

}  // namespace gs::kube
