#include "adapters/localcluster/objects/fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "base/parse.h"

namespace gs::localcluster {

namespace json = boost::json;

const Json* ReadFrom::Find(Path path) const {
  const Json* found = value_ == nullptr || value_->is_null() ? nullptr : value_;
  const json::object* members = object_;
  for (const std::string_view field : path) {
    found = members == nullptr ? nullptr : members->if_contains(field);
    if (found == nullptr || found->is_null()) return nullptr;
    members = found->if_object();
  }
  return found;
}

const Json* Find(ReadFrom from, Path path) { return from.Find(path); }

const json::object* FindObject(ReadFrom from, Path path) {
  const Json* found = from.Find(path);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* FindArray(ReadFrom from, Path path) {
  const Json* found = from.Find(path);
  return found == nullptr ? nullptr : found->if_array();
}

Json* Find(json::object& object, Path path) {
  return const_cast<Json*>(Find(std::as_const(object), path));  // NOLINT: it is the caller's
}

json::object* FindObject(json::object& object, Path path) {
  Json* found = Find(object, path);
  return found == nullptr ? nullptr : found->if_object();
}

json::array* FindArray(json::object& object, Path path) {
  Json* found = Find(object, path);
  return found == nullptr ? nullptr : found->if_array();
}

std::string_view Text(ReadFrom from, Path path, std::string_view fallback) {
  const Json* found = from.Find(path);
  if (found == nullptr || !found->is_string()) return fallback;
  const auto& text = found->get_string();
  return {text.data(), text.size()};
}

std::optional<std::int64_t> MaybeInt(ReadFrom from, Path path) {
  const Json* found = from.Find(path);
  if (found == nullptr) return std::nullopt;
  if (const auto* number = found->if_int64()) return *number;
  // What was set to the size of something is unsigned.
  const auto* number = found->if_uint64();
  if (number == nullptr || !std::in_range<std::int64_t>(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::int64_t Int(ReadFrom from, Path path, std::int64_t fallback) {
  return MaybeInt(from, path).value_or(fallback);
}

bool Bool(ReadFrom from, Path path, bool fallback) {
  const Json* found = from.Find(path);
  return found != nullptr && found->is_bool() ? found->get_bool() : fallback;
}

const json::object& Members(ReadFrom from, Path path) {
  static const json::object kNone;
  const auto* found = FindObject(from, path);
  return found != nullptr ? *found : kNone;
}

const json::array& Items(ReadFrom from, Path path) {
  static const json::array kNone;
  const auto* found = FindArray(from, path);
  return found != nullptr ? *found : kNone;
}

Json& Field(json::object& object, std::string_view field) {
  Json* present = object.if_contains(field);
  return present != nullptr ? *present : object[field];
}

json::object& Make(json::object& object, Path path) {
  json::object* at = &object;
  for (const std::string_view field : path) {
    Json& value = Field(*at, field);
    at = value.is_object() ? &value.get_object() : &value.emplace_object();
  }
  return *at;
}

json::object& Make(Json& in, Path path) {
  return Make(in.is_object() ? in.get_object() : in.emplace_object(), path);
}

json::array& MakeArray(json::object& object, std::string_view field) {
  Json& value = Field(object, field);
  return value.is_array() ? value.get_array() : value.emplace_array();
}

void SetDefault(json::object& object, std::string_view field, Json value) {
  Json& present = Field(object, field);
  if (present.is_null()) present = std::move(value);
}

void CopyField(const json::object& from, json::object& to, std::string_view field) {
  const Json* found = from.if_contains(field);
  if (found == nullptr) {
    to.erase(field);
  } else {
    Field(to, field) = *found;
  }
}

std::int64_t IntOrPercent(const Json* value, std::int64_t whole, Rounding rounding,
                          std::int64_t fallback) {
  if (value == nullptr) return fallback;
  if (const auto number = MaybeInt(*value, {})) return *number;
  std::string_view text = Text(*value, {});
  if (!text.ends_with('%')) return fallback;
  text.remove_suffix(1);
  const auto percent = ParseInt32(text);
  if (!percent) return fallback;
  const std::int64_t hundredths = *percent * whole;
  return rounding == Rounding::kUp ? (hundredths + 99) / 100 : hundredths / 100;
}

}  // namespace gs::localcluster
