// What a YAML word without quotes stands for.
//
// The rules are those of kubectl and the other Kubernetes tools, which read YAML 1.1: `yes`, `on`
// and `y` are true like `true`, and 0644 is octal. A manifest must mean the same here as there.
// Quotes always make text.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::yaml {

// null, a boolean, a number or text. Refuses .nan and .inf, which JSON does not have.
[[nodiscard]] Result<boost::json::value> ResolvePlain(std::string_view word);

// A resolved scalar as the key of a map: text, and whole numbers and booleans as they are printed.
// Refuses the rest.
[[nodiscard]] Result<std::string> KeyOf(const boost::json::value& scalar);

}  // namespace gs::yaml
