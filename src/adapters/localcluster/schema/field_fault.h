// What is wrong with a field of an object, in the words of an API server. A StatusCause has the
// reason that programs read, the field, and the message for people without the field.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

// "Invalid value: 0: spec.count in body should be greater than or equal to 1"
[[nodiscard]] StatusCause InvalidField(std::string_view field, const boost::json::value& found,
                                       std::string_view why);
// The same without the value, for objects and lists that would fill the line.
[[nodiscard]] StatusCause InvalidField(std::string_view field, std::string_view why);
// `found` is the name of the type that was found.
[[nodiscard]] StatusCause WrongTypeOfField(std::string_view field, std::string_view found,
                                           std::string_view why);
[[nodiscard]] StatusCause RequiredField(std::string_view field, std::string_view why = "");
[[nodiscard]] StatusCause ForbiddenField(std::string_view field, std::string_view why);
[[nodiscard]] StatusCause UnsupportedField(std::string_view field, const boost::json::value& found,
                                           const boost::json::array& supported);
[[nodiscard]] StatusCause DuplicateField(std::string_view field, const boost::json::value& found);
[[nodiscard]] StatusCause TooLongField(std::string_view field, std::int64_t most);
[[nodiscard]] StatusCause TooManyInField(std::string_view field, std::size_t found,
                                         std::int64_t most);

// "spec.count: Invalid value: ...", as it stands in a Status.
[[nodiscard]] std::string ToString(const StatusCause& cause);

// A number as Go prints it: 1, 0.5, 1e+06.
[[nodiscard]] std::string PrintNumber(double number);

}  // namespace gs::localcluster
