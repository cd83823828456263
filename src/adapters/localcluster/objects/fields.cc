#include "adapters/localcluster/objects/fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/parse.h"

namespace gs::localcluster {

const Json* Find(const Json& from, Path path) {
  const Json* at = &from;
  for (const std::string_view key : path) {
    const auto* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(key);
    if (at == nullptr || at->is_null()) return nullptr;
  }
  return at;
}

std::string_view Text(const Json& from, Path path, std::string_view fallback) {
  const Json* found = Find(from, path);
  if (found == nullptr || !found->is_string()) return fallback;
  const auto& text = found->get_string();
  return {text.data(), text.size()};
}

std::optional<std::int64_t> MaybeInt(const Json& from, Path path) {
  const Json* found = Find(from, path);
  if (found == nullptr) return std::nullopt;
  if (const auto* number = found->if_int64()) return *number;
  if (const auto* number = found->if_uint64()) return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

std::int64_t Int(const Json& from, Path path, std::int64_t fallback) {
  return MaybeInt(from, path).value_or(fallback);
}

bool Bool(const Json& from, Path path, bool fallback) {
  const Json* found = Find(from, path);
  return found != nullptr && found->is_bool() ? found->get_bool() : fallback;
}

const boost::json::object& Members(const Json& from, Path path) {
  static const boost::json::object kNone;
  const Json* found = Find(from, path);
  return found != nullptr && found->is_object() ? found->get_object() : kNone;
}

const boost::json::array& Items(const Json& from, Path path) {
  static const boost::json::array kNone;
  const Json* found = Find(from, path);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

boost::json::object& Make(Json& in, Path path) {
  Json* at = &in;
  if (!at->is_object()) at->emplace_object();
  for (const std::string_view key : path) {
    auto& members = at->get_object();
    // members[key] may move all fields even if this one is there, under whoever holds a reference.
    auto* present = members.if_contains(key);
    at = present != nullptr ? present : &members[key];
    if (!at->is_object()) at->emplace_object();
  }
  return at->get_object();
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
