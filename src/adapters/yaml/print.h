// JSON values as plain YAML that parse.h reads back to the same value: block style, keys as they
// come, quotes only where a word would mean something else.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace gs::yaml {

// Ends with a line end.
[[nodiscard]] std::string PrintYaml(const boost::json::value& value);

}  // namespace gs::yaml
