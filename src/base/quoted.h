// Text of others as error messages show it: on one line, and no longer than is needed to recognise
// it.
#pragma once

#include <string>
#include <string_view>

namespace gs::text {

// In quotes, shortened, and with control characters escaped as in JSON.
[[nodiscard]] std::string Quoted(std::string_view text);

// What is too long ends in "..."; never cuts a UTF-8 letter in two.
[[nodiscard]] std::string Shortened(std::string text);

}  // namespace gs::text
