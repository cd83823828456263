#include "adapters/json/object_reader.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <sstream>
#include <utility>

#include "base/quoted.h"
#include "base/text.h"

namespace gs::json {
namespace {

// The library's own form would be 1.5E0.
std::string Decimal(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

const boost::json::array& EmptyArray() {
  static const boost::json::array kEmpty;
  return kEmpty;
}

std::optional<std::int64_t> WholeNumber(const boost::json::value& value) {
  if (value.is_int64()) return value.get_int64();
  // Above the range of int64 means out of every range that is asked for.
  if (value.is_uint64()) return INT64_MAX;
  return std::nullopt;
}

}  // namespace

std::string Describe(const boost::json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_double()) return Decimal(value.get_double());
  return text::Shortened(boost::json::serialize(value));
}

ObjectReader::ObjectReader(const boost::json::value& value, std::string path)
    : object_(value.if_object()), path_(std::move(path)) {
  if (object_ == nullptr) FailKind("", "an object", value);
}

std::string ObjectReader::PathOf(std::string_view field) const {
  if (path_.empty() || field.empty()) return path_ + std::string(field);
  return path_ + "." + std::string(field);
}

const boost::json::value* ObjectReader::Raw(std::string_view field) {
  asked_.emplace_back(field);
  if (object_ == nullptr) return nullptr;
  const auto* value = object_->if_contains(field);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void ObjectReader::Fail(std::string_view field, std::string message, std::string advice) {
  if (first_error_) return;
  Error error = Error(ErrorKind::kInvalid, std::move(message)).Advise(std::move(advice));
  const std::string path = PathOf(field);
  first_error_ = path.empty() ? std::move(error) : std::move(error).Within(path);
}

void ObjectReader::FailKind(std::string_view field, std::string_view expected,
                            const boost::json::value& got) {
  Fail(field, "expected " + std::string(expected) + ", got " + Describe(got));
}

std::int64_t ObjectReader::ReadInt(std::string_view field, const boost::json::value& value,
                                   IntegerRange range) {
  const auto number = WholeNumber(value);
  if (!number) {
    FailKind(field, "a whole number", value);
    return range.min;
  }
  if (*number < range.min || *number > range.max) {
    Fail(field, "expected a number from " + std::to_string(range.min) + " to " +
                    std::to_string(range.max) + ", got " + Describe(value));
    return range.min;
  }
  return *number;
}

std::int64_t ObjectReader::RequiredInt(std::string_view field, IntegerRange range) {
  const auto* value = Raw(field);
  if (value != nullptr) return ReadInt(field, *value, range);
  Fail(field, "is missing");
  return range.min;
}

std::int64_t ObjectReader::Int(std::string_view field, IntegerRange range, std::int64_t fallback) {
  const auto* value = Raw(field);
  return value == nullptr ? fallback : ReadInt(field, *value, range);
}

std::optional<std::string> ObjectReader::ReadText(std::string_view field) {
  const auto* value = Raw(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    FailKind(field, "text", *value);
    return std::nullopt;
  }
  return std::string(value->get_string());
}

std::string ObjectReader::RequiredText(std::string_view field) {
  auto text = ReadText(field);
  if (!text) Fail(field, "is missing");
  return std::move(text).value_or("");
}

std::string ObjectReader::Text(std::string_view field, std::string_view fallback) {
  return ReadText(field).value_or(std::string(fallback));
}

bool ObjectReader::Bool(std::string_view field, bool fallback) {
  const auto* value = Raw(field);
  if (value == nullptr) return fallback;
  if (!value->is_bool()) FailKind(field, "true or false", *value);
  return value->is_bool() ? value->get_bool() : fallback;
}

const boost::json::array& ObjectReader::Array(std::string_view field) {
  const auto* value = Raw(field);
  if (value == nullptr) return EmptyArray();
  if (!value->is_array()) FailKind(field, "a list", *value);
  return value->is_array() ? value->get_array() : EmptyArray();
}

std::vector<std::string> ObjectReader::Texts(std::string_view field) {
  std::vector<std::string> texts;
  for (const auto& item : Array(field)) {
    if (item.is_string()) {
      texts.emplace_back(item.get_string());
    } else {
      FailKind(std::string(field) + "[" + std::to_string(texts.size()) + "]", "text", item);
      return {};
    }
  }
  return texts;
}

std::optional<Error> ObjectReader::UnknownField() const {
  if (object_ == nullptr) return std::nullopt;
  for (const auto& [key, value] : *object_) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    Error error(ErrorKind::kInvalid, "unknown field " + Quoted({key.data(), key.size()}));
    error = std::move(error).Advise(
        "known are " + text::Join(asked_, ", ", [](const std::string& name) { return name; }));
    return path_.empty() ? std::move(error) : std::move(error).Within(path_);
  }
  return std::nullopt;
}

Result<void> ObjectReader::Finish() const {
  // First, since a misspelt name is often why a required field is missing.
  if (auto unknown = UnknownField()) return *std::move(unknown);
  if (first_error_) return *first_error_;
  return {};
}

}  // namespace gs::json
