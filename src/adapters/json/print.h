// JSON for people: one member per line, indented by two blanks, short lists of numbers and words on
// one line. Members keep the order in which they were added, so the same value always prints the
// same text.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace gs::json {

// Ends without a line end. For machines use boost::json::serialize.
[[nodiscard]] std::string PrettyJson(const boost::json::value& value);

}  // namespace gs::json
