// Small pure functions on text: trimming, splitting, joining, comparing, and enum names in one
// table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gs::text {

// Without leading and trailing blanks, tabs and line ends.
[[nodiscard]] std::string_view Trim(std::string_view text);

// All fields, empty ones included; "" is one empty field.
[[nodiscard]] std::vector<std::string_view> Split(std::string_view text, char separator);

// ASCII only, whatever the locale.
[[nodiscard]] constexpr bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }
[[nodiscard]] constexpr bool IsLower(char letter) { return letter >= 'a' && letter <= 'z'; }
[[nodiscard]] constexpr bool IsUpper(char letter) { return letter >= 'A' && letter <= 'Z'; }

// ASCII letters only, as everywhere in Kubernetes names.
[[nodiscard]] bool EqualsIgnoringCase(std::string_view a, std::string_view b);
[[nodiscard]] std::string ToLower(std::string_view text);

// "a, b, c"; `print` turns an item into something that can be appended to a string.
template <class Items, class Print>
[[nodiscard]] std::string Join(const Items& items, std::string_view separator, Print print) {
  std::string joined;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) joined += separator;
    is_first = false;
    joined += print(item);
  }
  return joined;
}

// The name of an enumerator in a table of {value, name} pairs; "?" if it is missing.
template <class Table, class Value>
[[nodiscard]] constexpr std::string_view NameOf(const Table& table, Value value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "?";
}

// The enumerator of that name, whatever its case.
template <class Table>
[[nodiscard]] auto ValueOf(const Table& table, std::string_view name)
    -> std::optional<decltype(table[0].first)> {
  for (const auto& [entry, known] : table) {
    if (EqualsIgnoringCase(known, name)) return entry;
  }
  return std::nullopt;
}

// "Exclusive, Shared": what a user may write, for error messages.
template <class Table>
[[nodiscard]] std::string NamesOf(const Table& table) {
  return Join(table, ", ", [](const auto& entry) { return std::string(entry.second); });
}

}  // namespace gs::text
