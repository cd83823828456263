// The names Kubernetes gives to objects: DNS-1123 subdomains.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace gs {

inline constexpr std::size_t kMaxDnsSubdomain = 253;

// Fine: parts of lower case letters, digits and '-', joined by '.', each beginning and ending with
// a letter or digit, 253 characters in all. An error names the column of the first character that
// is wrong.
[[nodiscard]] Result<void> CheckDnsSubdomain(std::string_view name);

}  // namespace gs
