#include "adapters/runtime/log_text.h"

#include <cstddef>
#include <string_view>

namespace gs::runtime {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// How many bytes the UTF-8 letter at the start of `text` has; 0 if there is none.
std::size_t LetterBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  // Overlong spellings, surrogates and what lies beyond Unicode are refused by the second byte.
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
  }
  return size;
}

// Control characters, and bytes that are no UTF-8, as the letter of that number.
std::string Escaped(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  if (letter == '\n') return "\\n";
  if (letter == '"' || letter == '\\') return std::string("\\") + letter;
  return std::string("\\u00") + kHex[byte >> 4U] + kHex[byte & 15U];
}

bool NeedsEscape(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte < 0x20 || byte == 0x7F || letter == '"' || letter == '\\';
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t size = LetterBytes(text);
    const bool is_plain = size > 0 && !NeedsEscape(text.front());
    quoted += is_plain ? std::string(text.substr(0, size)) : Escaped(text.front());
    text.remove_prefix(is_plain ? size : 1);
  }
  return quoted + "\"";
}

// What a reader, or a tool that splits at blanks and '=', would misread without quotes.
bool ReadsPlainly(std::string_view text, bool is_word) {
  if (text.empty()) return false;
  for (const char letter : text) {
    if (NeedsEscape(letter) || static_cast<unsigned char>(letter) >= 0x80) return false;
    if (is_word && (letter == ' ' || letter == '=')) return false;
  }
  return true;
}

}  // namespace

std::string PrintMessage(LogFormat format, std::string_view message) {
  if (format == LogFormat::kJson) return "\"message\":" + Quoted(message);
  return ReadsPlainly(message, /*is_word=*/false) ? std::string(message) : Quoted(message);
}

std::string PrintField(LogFormat format, const LogField& field) {
  const std::string& value = field.value();
  if (format == LogFormat::kJson) {
    return "," + Quoted(field.key()) + ":" + (field.is_text() ? Quoted(value) : value);
  }
  const bool is_plain = ReadsPlainly(value, /*is_word=*/true);
  return " " + field.key() + "=" + (is_plain ? value : Quoted(value));
}

}  // namespace gs::runtime
