// Fields of API objects that are kept as JSON: read with a fallback where they are absent, made
// where they are missing. A path that leads through something that is no object counts as absent,
// so that no object a user wrote can stop whoever reads it.
//
// boost::json's object[field] may move all fields of the object, even if this one is there. So a
// field that stays in use while others are looked up is taken with Find, Field or Make, which move
// nothing that is there; whatever is added to an object still moves what it holds.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace gs::localcluster {

using Json = boost::json::value;
using Path = std::initializer_list<std::string_view>;

// Whatever fields are read from: an object, or a value that may be one. For parameters only.
class ReadFrom {
 public:
  ReadFrom(const boost::json::object& object) : object_(&object) {}  // NOLINT: it stands for one
  ReadFrom(const Json& value) : value_(&value), object_(value.if_object()) {}  // NOLINT: as above

  // Null where any step is absent. A value that is null counts as absent.
  [[nodiscard]] const Json* Find(Path path) const;

 private:
  const Json* value_ = nullptr;  // what an empty path leads to
  const boost::json::object* object_;
};

// Null where any step is absent, or is something else. A value that is null counts as absent.
[[nodiscard]] const Json* Find(ReadFrom from, Path path);
[[nodiscard]] const boost::json::object* FindObject(ReadFrom from, Path path);
[[nodiscard]] const boost::json::array* FindArray(ReadFrom from, Path path);
// The same, of an object that is to be changed.
[[nodiscard]] Json* Find(boost::json::object& object, Path path);
[[nodiscard]] boost::json::object* FindObject(boost::json::object& object, Path path);
[[nodiscard]] boost::json::array* FindArray(boost::json::object& object, Path path);

[[nodiscard]] std::string_view Text(ReadFrom from, Path path, std::string_view fallback = "");
[[nodiscard]] std::int64_t Int(ReadFrom from, Path path, std::int64_t fallback = 0);
[[nodiscard]] std::optional<std::int64_t> MaybeInt(ReadFrom from, Path path);
[[nodiscard]] bool Bool(ReadFrom from, Path path, bool fallback = false);
// Empty where there is none.
[[nodiscard]] const boost::json::object& Members(ReadFrom from, Path path);
[[nodiscard]] const boost::json::array& Items(ReadFrom from, Path path);

// The field of that name, null where it was missing.
[[nodiscard]] Json& Field(boost::json::object& object, std::string_view field);
// The object at that path, made with all that leads to it where it is missing. Whatever stands in
// the way is replaced.
boost::json::object& Make(boost::json::object& object, Path path);
boost::json::object& Make(Json& in, Path path);
// The array of that name; made where there is something else.
boost::json::array& MakeArray(boost::json::object& object, std::string_view field);
// Sets what is missing or null.
void SetDefault(boost::json::object& object, std::string_view field, Json value);
// Copies a field, or takes it away where `from` has none.
void CopyField(const boost::json::object& from, boost::json::object& to, std::string_view field);

// A number, or a percentage of `whole` as text ("25%"), as in maxSurge. The fallback where it is
// neither.
enum class Rounding : std::uint8_t { kUp, kDown };
[[nodiscard]] std::int64_t IntOrPercent(const Json* value, std::int64_t whole, Rounding rounding,
                                        std::int64_t fallback);

}  // namespace gs::localcluster
