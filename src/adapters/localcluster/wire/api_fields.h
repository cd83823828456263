// The fields of the API's built-in types: what they are called, what they hold and which number
// they have in protobuf, in which typed clients of today write their requests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gs::localcluster {

// The facts as text. "= API_VERSION KIND TYPE" names the type of a kind; "TYPE:NUMBER NAME
// TYPE;..." lists its fields. Types are s (text), i (whole number), b (bool), y (bytes), f
// (floating point), T and U (times), D (duration), Q (quantity), I (number or text), R (raw JSON)
// and names of other types; in front * is optional, [] a list and {} a map from text. A name with ~
// stands for fields of the type around it.
extern const char* const kApiFields;

struct ApiType;

struct ApiField {
  enum class Shape : std::uint8_t { kOne, kList, kMap };

  std::uint32_t number = 0;
  std::string_view name;
  Shape shape = Shape::kOne;
  bool is_optional = false;  // may be absent, so that its zero means something
  bool is_inline = false;
  bool is_optional_item = false;
  char basic = 0;                 // a letter of the table, or 0 for an object
  const ApiType* type = nullptr;  // of an object
};

struct ApiType {
  std::vector<ApiField> fields;
};

// Null if nothing is known of the kind.
[[nodiscard]] const ApiType* FindApiType(std::string_view api_version, std::string_view kind);

}  // namespace gs::localcluster
