#include "adapters/json/print.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/text.h"

namespace gs::json {
namespace {

void Print(const boost::json::value& value, const std::string& indent, std::string& out);

// True for lists that read best on one line, such as GPU ids.
bool IsFlat(const boost::json::array& items) {
  return std::none_of(items.begin(), items.end(),
                      [](const auto& item) { return item.is_structured(); });
}

std::string OnOneLine(const boost::json::array& items) {
  return "[" +
         text::Join(items, ", ", [](const auto& item) { return boost::json::serialize(item); }) +
         "]";
}

void PrintArray(const boost::json::array& items, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  out += "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + inner;
    Print(items[i], inner, out);
  }
  out += "\n" + indent + "]";
}

void PrintObject(const boost::json::object& members, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  out += "{";
  bool is_first = true;
  for (const auto& [key, value] : members) {
    out += (is_first ? "\n" : ",\n") + inner + boost::json::serialize(key) + ": ";
    is_first = false;
    Print(value, inner, out);
  }
  out += "\n" + indent + "}";
}

void Print(const boost::json::value& value, const std::string& indent, std::string& out) {
  if (value.is_object() && !value.get_object().empty()) {
    PrintObject(value.get_object(), indent, out);
  } else if (value.is_array() && IsFlat(value.get_array())) {
    out += OnOneLine(value.get_array());
  } else if (value.is_array()) {
    PrintArray(value.get_array(), indent, out);
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string PrettyJson(const boost::json::value& value) {
  std::string out;
  Print(value, "", out);
  return out;
}

}  // namespace gs::json
