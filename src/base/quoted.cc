#include "base/quoted.h"

#include <cstddef>

namespace gs::text {
namespace {

// Long enough to recognise the value, short enough for one line.
constexpr std::size_t kShownBytes = 40;

void AppendEscaped(std::string& quoted, char letter) {
  constexpr std::string_view kNamed = "\b\f\n\r\t\"\\";
  constexpr std::string_view kNames = "bfnrt\"\\";
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(letter);
  if (const std::size_t known = kNamed.find(letter); known != std::string_view::npos) {
    quoted.append({'\\', kNames[known]});
  } else if (code < 0x20U) {
    quoted.append("\\u00").append({kDigits[code >> 4U], kDigits[code & 0xFU]});
  } else {
    quoted += letter;
  }
}

}  // namespace

std::string Shortened(std::string text) {
  if (text.size() <= kShownBytes) return text;
  std::size_t end = kShownBytes;
  // Continuation bytes look like 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) AppendEscaped(quoted, letter);
  return Shortened(quoted + "\"");
}

}  // namespace gs::text
