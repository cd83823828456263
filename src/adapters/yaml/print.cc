#include "adapters/yaml/print.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <string_view>

#include "adapters/yaml/scalar.h"

namespace gs::yaml {
namespace {

constexpr std::string_view kNeverFirst = "-?:,[]{}#&*!|>'\"%@`=~<";

bool IsPlainLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') ||
         std::string_view("-_./+$()=@ ").find(letter) != std::string_view::npos;
}

// Whether the word, without quotes, is read as this very text.
bool IsPlain(std::string_view text) {
  if (text.empty() || kNeverFirst.find(text.front()) != std::string_view::npos) return false;
  if (text.front() == ' ' || text.back() == ' ') return false;
  for (const char letter : text) {
    if (!IsPlainLetter(letter)) return false;
  }
  const auto meaning = ResolvePlain(text);
  return meaning && meaning->is_string() && meaning->get_string() == text;
}

// A JSON string is a quoted YAML string.
std::string PrintText(std::string_view text) {
  return IsPlain(text) ? std::string(text) : boost::json::serialize(boost::json::string(text));
}

void Print(const boost::json::value& value, std::size_t indent, std::string& out);

void PrintMembers(const boost::json::object& object, std::size_t indent, std::string& out) {
  bool is_first = true;
  for (const auto& [key, value] : object) {
    if (!is_first) out.append(indent, ' ');
    is_first = false;
    out += PrintText(key) + ":";
    const bool is_nested = (value.is_object() && !value.get_object().empty()) ||
                           (value.is_array() && !value.get_array().empty());
    if (!is_nested) {
      out += " ";
      Print(value, indent, out);
      continue;
    }
    // Lists stand below their key, as kubectl prints them.
    const std::size_t inner = value.is_array() ? indent : indent + 2;
    out += "\n" + std::string(inner, ' ');
    Print(value, inner, out);
  }
}

void PrintItems(const boost::json::array& array, std::size_t indent, std::string& out) {
  bool is_first = true;
  for (const auto& item : array) {
    if (!is_first) out.append(indent, ' ');
    is_first = false;
    out += "- ";
    Print(item, indent + 2, out);
  }
}

// Begins where the cursor is and ends with a line end.
void Print(const boost::json::value& value, std::size_t indent, std::string& out) {
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    PrintMembers(*object, indent, out);
  } else if (const auto* array = value.if_array(); array != nullptr && !array->empty()) {
    PrintItems(*array, indent, out);
  } else {
    out += value.is_string() ? PrintText(value.get_string()) : boost::json::serialize(value);
    out += "\n";
  }
}

}  // namespace

std::string PrintYaml(const boost::json::value& value) {
  std::string out;
  Print(value, 0, out);
  return out;
}

}  // namespace gs::yaml
