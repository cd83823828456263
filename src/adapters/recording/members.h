// Described structs as JSON and back: every member under its name, those that have their default
// left out, so that a recording stays small and old ones lack nothing.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/recording/variant_names.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/shared.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "core/model/labels.h"
#include "core/model/link.h"
#include "core/model/rare.h"
#include "core/model/rare_list.h"
#include "core/model/resources.h"

namespace gs::recording {

template <class Struct>
concept Described = boost::describe::has_describe_members<Struct>::value;

template <class Struct>
using MembersOf = boost::describe::describe_members<Struct, boost::describe::mod_public>;

// Whether these are all members of the struct, by its size: they lie there in this order, or
// without gaps in another one.
template <class Struct>
constexpr bool HasJustThese() {
  std::size_t in_order = 0;
  std::size_t together = 0;
  const auto align = [](std::size_t size, std::size_t to) { return (size + to - 1) / to * to; };
  boost::mp11::mp_for_each<MembersOf<Struct>>([&](auto member) {
    using Member = std::remove_cvref_t<decltype(std::declval<Struct&>().*member.pointer)>;
    in_order = align(in_order, alignof(Member)) + sizeof(Member);
    together += sizeof(Member);
  });
  return align(in_order, alignof(Struct)) == sizeof(Struct) ||
         align(together, alignof(Struct)) == sizeof(Struct);
}

inline Error Expected(const char* what) {
  return {ErrorKind::kInvalid, std::string("expected ") + what};
}

// --- plain values --------------------------------------------------------------------------------

inline boost::json::value ToJson(bool value) { return value; }
inline boost::json::value ToJson(const std::string& text) { return boost::json::string(text); }

template <std::integral Number>
  requires(!std::same_as<Number, bool>)
boost::json::value ToJson(Number number) {
  return number;
}

template <class Enum>
  requires std::is_enum_v<Enum>
boost::json::value ToJson(Enum value) {
  return boost::json::string(ToString(value));
}

inline boost::json::value ToJson(const SharedText& text) {
  return boost::json::string(text.text());
}

template <class Tag>
boost::json::value ToJson(const TextId<Tag>& id) {
  return boost::json::string(id.text());
}

inline boost::json::value ToJson(const GpuUuid& uuid) { return boost::json::string(uuid.text()); }

template <class Tag>
boost::json::value ToJson(const NumberId<Tag>& id) {
  return id.number();
}

inline boost::json::value ToJson(Duration time) { return time.count(); }
inline boost::json::value ToJson(TimePoint time) { return time.time_since_epoch().count(); }

boost::json::value ToJson(const model::Labels& labels);
boost::json::value ToJson(const model::LinkMatrix& links);
boost::json::value ToJson(const model::OtherAmounts& amounts);

Result<void> FromJson(const boost::json::value& json, bool& value);
Result<void> FromJson(const boost::json::value& json, std::string& text);
Result<void> FromJson(const boost::json::value& json, SharedText& text);
Result<void> FromJson(const boost::json::value& json, GpuUuid& uuid);
Result<void> FromJson(const boost::json::value& json, Duration& time);
Result<void> FromJson(const boost::json::value& json, TimePoint& time);
Result<void> FromJson(const boost::json::value& json, model::Labels& labels);
Result<void> FromJson(const boost::json::value& json, model::LinkMatrix& links);
Result<void> FromJson(const boost::json::value& json, model::OtherAmounts& amounts);

template <std::integral Number>
  requires(!std::same_as<Number, bool>)
Result<void> FromJson(const boost::json::value& json, Number& number) {
  boost::json::error_code problem;
  number = json.to_number<Number>(problem);
  if (problem) return Expected("a whole number that fits");
  return {};
}

template <class Enum>
  requires std::is_enum_v<Enum>
Result<void> FromJson(const boost::json::value& json, Enum& value) {
  constexpr int kMostEnumerators = 64;
  if (!json.is_string()) return Expected("a word");
  for (int number = 0; number < kMostEnumerators; ++number) {
    value = static_cast<Enum>(number);
    if (ToString(value) == std::string_view(json.get_string())) return {};
  }
  return Error(ErrorKind::kInvalid, "\"" + std::string(json.get_string()) + "\" is not known here");
}

template <class Tag>
Result<void> FromJson(const boost::json::value& json, TextId<Tag>& id) {
  std::string text;
  if (auto read = FromJson(json, text); !read) return std::move(read).error();
  id = TextId<Tag>(text);
  return {};
}

template <class Tag>
Result<void> FromJson(const boost::json::value& json, NumberId<Tag>& id) {
  std::int32_t number = 0;
  if (auto read = FromJson(json, number); !read) return std::move(read).error();
  id = NumberId<Tag>(number);
  return {};
}

// --- what is made of others: declared first, because they contain each other ---------------------

template <class Value>
boost::json::value ToJson(const std::vector<Value>& list);
template <class Value>
boost::json::value ToJson(const std::set<Value>& list);
template <class Value>
boost::json::value ToJson(const std::map<std::string, Value>& map);
template <class Value>
boost::json::value ToJson(const std::optional<Value>& value);
template <class Value>
boost::json::value ToJson(const Shared<Value>& value);
template <class Part>
boost::json::value ToJson(const model::Rare<Part>& part);
template <class Item>
boost::json::value ToJson(const model::RareList<Item>& list);
template <class... Values>
boost::json::value ToJson(const std::variant<Values...>& value);
template <Described Struct>
boost::json::value ToJson(const Struct& value);

template <class Value>
Result<void> FromJson(const boost::json::value& json, std::vector<Value>& list);
template <class Value>
Result<void> FromJson(const boost::json::value& json, std::set<Value>& list);
template <class Value>
Result<void> FromJson(const boost::json::value& json, std::map<std::string, Value>& map);
template <class Value>
Result<void> FromJson(const boost::json::value& json, std::optional<Value>& value);
template <class Value>
Result<void> FromJson(const boost::json::value& json, Shared<Value>& value);
template <class Part>
Result<void> FromJson(const boost::json::value& json, model::Rare<Part>& part);
template <class Item>
Result<void> FromJson(const boost::json::value& json, model::RareList<Item>& list);
template <class... Values>
Result<void> FromJson(const boost::json::value& json, std::variant<Values...>& value);
template <Described Struct>
Result<void> FromJson(const boost::json::value& json, Struct& value);

// --- lists and maps ------------------------------------------------------------------------------

template <class Value>
boost::json::value ToJson(const std::vector<Value>& list) {
  boost::json::array array;
  array.reserve(list.size());
  for (const Value& value : list) array.push_back(ToJson(value));
  return array;
}

template <class Value>
boost::json::value ToJson(const std::set<Value>& list) {
  return ToJson(std::vector<Value>(list.begin(), list.end()));
}

template <class Value>
boost::json::value ToJson(const std::map<std::string, Value>& map) {
  boost::json::object object;
  for (const auto& [name, value] : map) object.emplace(name, ToJson(value));
  return object;
}

template <class Value>
boost::json::value ToJson(const std::optional<Value>& value) {
  return value ? ToJson(*value) : boost::json::value(nullptr);
}

template <class Value>
boost::json::value ToJson(const Shared<Value>& value) {
  return value ? ToJson(*value) : boost::json::value(nullptr);
}

template <class Part>
boost::json::value ToJson(const model::Rare<Part>& part) {
  return ToJson(*part);
}

template <class Value>
Result<void> FromJson(const boost::json::value& json, std::vector<Value>& list) {
  if (!json.is_array()) return Expected("a list");
  for (const boost::json::value& item : json.get_array()) {
    if (auto read = FromJson(item, list.emplace_back()); !read) {
      return std::move(read).error().Within("item " + std::to_string(list.size()));
    }
  }
  return {};
}

template <class Value>
Result<void> FromJson(const boost::json::value& json, std::set<Value>& list) {
  std::vector<Value> values;
  if (auto read = FromJson(json, values); !read) return std::move(read).error();
  list = std::set<Value>(values.begin(), values.end());
  return {};
}

template <class Value>
Result<void> FromJson(const boost::json::value& json, std::map<std::string, Value>& map) {
  if (!json.is_object()) return Expected("an object");
  for (const auto& [name, value] : json.get_object()) {
    if (auto read = FromJson(value, map[name]); !read) {
      return std::move(read).error().Within(name);
    }
  }
  return {};
}

template <class Value>
Result<void> FromJson(const boost::json::value& json, std::optional<Value>& value) {
  if (json.is_null()) {
    value.reset();
    return {};
  }
  return FromJson(json, value.emplace());
}

template <class Value>
Result<void> FromJson(const boost::json::value& json, Shared<Value>& value) {
  std::optional<Value> read;
  if (auto done = FromJson(json, read); !done) return std::move(done).error();
  value = read ? Shared<Value>(*std::move(read)) : Shared<Value>();
  return {};
}

template <class Part>
Result<void> FromJson(const boost::json::value& json, model::Rare<Part>& part) {
  return FromJson(json, *part);
}

template <class Item>
boost::json::value ToJson(const model::RareList<Item>& list) {
  return ToJson(list.items());
}

template <class Item>
Result<void> FromJson(const boost::json::value& json, model::RareList<Item>& list) {
  std::vector<Item> items;
  if (auto read = FromJson(json, items); !read) return std::move(read).error();
  list = std::move(items);
  return {};
}

// --- one of several: {"PodSeen": {...}} ----------------------------------------------------------

template <class... Values>
boost::json::value ToJson(const std::variant<Values...>& value) {
  constexpr auto& kNames = VariantNames<std::variant<Values...>>::kNames;
  static_assert(kNames.size() == sizeof...(Values));
  boost::json::object object;
  object.emplace(kNames[value.index()],
                 std::visit([](const auto& one) { return ToJson(one); }, value));
  return object;
}

template <class... Values>
Result<void> FromJson(const boost::json::value& json, std::variant<Values...>& value) {
  constexpr auto& kNames = VariantNames<std::variant<Values...>>::kNames;
  if (!json.is_object() || json.get_object().size() != 1)
    return Expected("an object with one name");
  const auto& [name, content] = *json.get_object().begin();
  Result<void> read = Error(ErrorKind::kInvalid, "\"" + std::string(name) + "\" is not known here");
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<sizeof...(Values)>>([&](auto index) {
    if (kNames[index] == std::string_view(name)) {
      read = FromJson(content, value.template emplace<index>());
    }
  });
  if (!read) return std::move(read).error().Within(name);
  return {};
}

// --- structs -------------------------------------------------------------------------------------

// Options are never compared, so they are written in full.
template <class Value>
bool IsSame(const Value& a, const Value& b) {
  if constexpr (std::equality_comparable<Value>) {
    return a == b;
  } else {
    return false;
  }
}

template <Described Struct>
boost::json::value ToJson(const Struct& value) {
  static_assert(HasJustThese<Struct>(), "a member is missing here");
  const Struct fallback{};
  boost::json::object object;
  boost::mp11::mp_for_each<MembersOf<Struct>>([&](auto member) {
    if (IsSame(value.*member.pointer, fallback.*member.pointer)) return;
    object.emplace(member.name, ToJson(value.*member.pointer));
  });
  return object;
}

template <Described Struct>
Result<void> FromJson(const boost::json::value& json, Struct& value) {
  if (!json.is_object()) return Expected("an object");
  const boost::json::object& object = json.get_object();
  std::size_t known = 0;
  std::optional<Error> problem;
  boost::mp11::mp_for_each<MembersOf<Struct>>([&](auto member) {
    const boost::json::value* found = object.if_contains(member.name);
    if (found == nullptr || problem) return;
    ++known;
    auto read = FromJson(*found, value.*member.pointer);
    if (!read) problem = std::move(read).error().Within(member.name);
  });
  if (problem) return *std::move(problem);
  if (known != object.size()) {
    return Error(ErrorKind::kInvalid, "has a member that is not known here")
        .Advise("a newer version may have written it");
  }
  return {};
}

}  // namespace gs::recording
