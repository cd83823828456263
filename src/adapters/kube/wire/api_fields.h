// The fields of the API's built-in types: what they are called, what they hold and which number
// they have in protobuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gs::kube {

// The facts as text. "= API_VERSION KIND TYPE" names the type of a kind; "TYPE:NUMBER NAME
// TYPE;..." lists its fields. Types are s (text), i (whole number), b (bool), y (bytes), f
// (floating point), T and U (times), D (duration), Q (quantity), I (number or text), R (raw JSON)
// and names of other types; in front * is optional, [] a list and {} a map from text. A name with ~
// stands for fields of the type around it; one with + is in JSON even when it is zero.
extern const char* const kApiFields;

struct ApiType;

struct ApiField {
  enum class Shape : std::uint8_t { kOne, kList, kMap };

  std::uint32_t number = 0;
  std::string_view name;
  std::string key;  // as it begins in JSON, "\"name\":"
  Shape shape = Shape::kOne;
  bool is_optional = false;  // may be absent, so that its zero means something
  bool is_inline = false;
  bool is_optional_item = false;
  bool keeps_zero = false;
  bool is_never_read = false;     // by our decoders; see never_read.h
  char basic = 0;                 // a letter of the table, or 0 for an object
  const ApiType* type = nullptr;  // of an object
};

struct ApiType {
  std::vector<ApiField> fields;
  std::vector<std::uint8_t> places;  // by number: where in `fields`, plus one

  // Null if there is none of that number.
  [[nodiscard]] const ApiField* Find(std::uint32_t number) const {
    const std::size_t place = number < places.size() ? places[number] : 0;
    return place == 0 ? nullptr : &fields[place - 1];
  }
};

// Null if nothing is known of the kind.
[[nodiscard]] const ApiType* FindApiType(std::string_view api_version, std::string_view kind);

}  // namespace gs::kube
