// Reading and writing fields of JSON objects by their path, for objects whose shape nobody has
// checked: what is not there, or is something else, reads as nothing.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gs::localcluster {

using Path = std::initializer_list<std::string_view>;

// Null if it is not there, or is null.
[[nodiscard]] const boost::json::value* FindValue(const boost::json::object& object, Path path);
[[nodiscard]] boost::json::value* FindValue(boost::json::object& object, Path path);
[[nodiscard]] const boost::json::object* FindObject(const boost::json::object& object, Path path);
[[nodiscard]] boost::json::object* FindObject(boost::json::object& object, Path path);
[[nodiscard]] const boost::json::array* FindArray(const boost::json::object& object, Path path);
[[nodiscard]] boost::json::array* FindArray(boost::json::object& object, Path path);
// "" if it is no text.
[[nodiscard]] std::string_view FindText(const boost::json::object& object, Path path);
[[nodiscard]] std::optional<std::int64_t> FindInt(const boost::json::object& object, Path path);
[[nodiscard]] bool FindBool(const boost::json::object& object, Path path);

// The object of that name; made where there is something else.
[[nodiscard]] boost::json::object& MakeObject(boost::json::object& object, std::string_view field);
// Sets what is missing or null.
void SetDefault(boost::json::object& object, std::string_view field, boost::json::value value);
// Copies a field, or takes it away where `from` has none.
void CopyField(const boost::json::object& from, boost::json::object& to, std::string_view field);

}  // namespace gs::localcluster
