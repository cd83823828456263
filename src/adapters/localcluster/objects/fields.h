// Fields of API objects that are kept as JSON: read with a fallback where they are absent, made
// where they are missing. A path that leads through something that is no object counts as absent,
// so that no object a user wrote can stop a controller.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace gs::localcluster {

using Json = boost::json::value;
using Path = std::initializer_list<std::string_view>;

// Null where any step is absent. A value that is null counts as absent.
[[nodiscard]] const Json* Find(const Json& from, Path path);

[[nodiscard]] std::string_view Text(const Json& from, Path path, std::string_view fallback = "");
[[nodiscard]] std::int64_t Int(const Json& from, Path path, std::int64_t fallback = 0);
[[nodiscard]] std::optional<std::int64_t> MaybeInt(const Json& from, Path path);
[[nodiscard]] bool Bool(const Json& from, Path path, bool fallback = false);
// Empty where there is none.
[[nodiscard]] const boost::json::object& Members(const Json& from, Path path);
[[nodiscard]] const boost::json::array& Items(const Json& from, Path path);

// The object at that path, made with all that leads to it where it is missing. Whatever stands in
// the way is replaced.
boost::json::object& Make(Json& in, Path path);

// A number, or a percentage of `whole` as text ("25%"), as in maxSurge. The fallback where it is
// neither.
enum class Rounding : std::uint8_t { kUp, kDown };
[[nodiscard]] std::int64_t IntOrPercent(const Json* value, std::int64_t whole, Rounding rounding,
                                        std::int64_t fallback);

}  // namespace gs::localcluster
