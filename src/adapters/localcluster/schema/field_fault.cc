#include "adapters/localcluster/schema/field_fault.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace gs::localcluster {
namespace {

using boost::json::value;

std::string Printed(const value& found) {
  return found.is_double() ? PrintNumber(found.get_double()) : boost::json::serialize(found);
}

StatusCause Fault(std::string reason, std::string_view field, std::string message) {
  return {.reason = std::move(reason),
          .message = std::move(message),
          .field = field.empty() ? "<nil>" : std::string(field)};
}

std::string WithDetail(std::string message, std::string_view detail) {
  if (!detail.empty()) message.append(": ").append(detail);
  return message;
}

}  // namespace

StatusCause InvalidField(std::string_view field, const value& found, std::string_view why) {
  return Fault("FieldValueInvalid", field, WithDetail("Invalid value: " + Printed(found), why));
}

StatusCause InvalidField(std::string_view field, std::string_view why) {
  return Fault("FieldValueInvalid", field, WithDetail("Invalid value", why));
}

StatusCause WrongTypeOfField(std::string_view field, std::string_view found, std::string_view why) {
  return Fault("FieldValueTypeInvalid", field,
               WithDetail("Invalid value: \"" + std::string(found) + "\"", why));
}

StatusCause RequiredField(std::string_view field, std::string_view why) {
  return Fault("FieldValueRequired", field, WithDetail("Required value", why));
}

StatusCause ForbiddenField(std::string_view field, std::string_view why) {
  return Fault("FieldValueForbidden", field, WithDetail("Forbidden", why));
}

StatusCause UnsupportedField(std::string_view field, const value& found,
                             const boost::json::array& supported) {
  const auto quoted = [](const value& word) {
    return word.is_string() ? boost::json::serialize(word)
                            : boost::json::serialize(value(boost::json::serialize(word)));
  };
  return Fault("FieldValueNotSupported", field,
               "Unsupported value: " + Printed(found) +
                   ": supported values: " + text::Join(supported, ", ", quoted));
}

StatusCause DuplicateField(std::string_view field, const value& found) {
  return Fault("FieldValueDuplicate", field, "Duplicate value: " + Printed(found));
}

StatusCause TooLongField(std::string_view field, std::int64_t most) {
  return Fault(
      "FieldValueTooLong", field,
      "Too long: may not be more than " + std::to_string(most) + (most == 1 ? " byte" : " bytes"));
}

StatusCause TooManyInField(std::string_view field, std::size_t found, std::int64_t most) {
  return Fault("FieldValueTooMany", field,
               "Too many: " + std::to_string(found) + ": must have at most " +
                   std::to_string(most) + (most == 1 ? " item" : " items"));
}

std::string ToString(const StatusCause& cause) { return cause.field + ": " + cause.message; }

std::string PrintNumber(double number) {
  std::array<char, 400> buffer{};
  const auto print = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
    return std::string(buffer.data(), end.ptr);
  };
  const std::string scientific = print(std::chars_format::scientific);
  const std::string exponent = scientific.substr(scientific.find('e') + 1);
  const bool is_small = exponent.starts_with('-') && exponent > "-04";
  const bool is_large = exponent.starts_with('+') && (exponent.size() > 3 || exponent > "+05");
  return is_small || is_large ? scientific : print(std::chars_format::fixed);
}

}  // namespace gs::localcluster
