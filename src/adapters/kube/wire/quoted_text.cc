#include "adapters/kube/wire/quoted_text.h"

#include <cstdint>
#include <cstring>

namespace gs::kube {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

unsigned char ByteOf(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool IsPlain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// The high bit of every byte that is zero, and perhaps of some after it.
std::uint64_t ZeroBytes(std::uint64_t bytes) {
  return (bytes - 0x0101010101010101U) & ~bytes & 0x8080808080808080U;
}

// All of eight bytes at once.
bool ArePlain(const char* eight) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const auto is_control = (bytes - 0x2020202020202020U) & ~bytes;
  const auto is_quote = ZeroBytes(bytes ^ 0x2222222222222222U);
  const auto is_backslash = ZeroBytes(bytes ^ 0x5c5c5c5c5c5c5c5cU);
  return ((is_control | is_quote | is_backslash | bytes) & 0x8080808080808080U) == 0;
}

std::size_t PlainPrefix(std::string_view text) {
  std::size_t size = 0;
  while (size + 8 <= text.size() && ArePlain(text.data() + size)) size += 8;
  while (size < text.size() && IsPlain(ByteOf(text, size))) ++size;
  return size;
}

// What the byte after the first may be: it keeps out long forms, surrogates and what lies beyond
// the last letter.
bool IsSecond(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0: return second >= 0xa0 && second <= 0xbf;
    case 0xed: return second >= 0x80 && second <= 0x9f;
    case 0xf0: return second >= 0x90 && second <= 0xbf;
    case 0xf4: return second >= 0x80 && second <= 0x8f;
    default: return second >= 0x80 && second <= 0xbf;
  }
}

// How many bytes the letter has that the text begins with; 0: it is none.
std::size_t LetterSize(std::string_view text) {
  const unsigned char first = ByteOf(text, 0);
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < size || !IsSecond(first, ByteOf(text, 1))) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((ByteOf(text, i) & 0xc0U) != 0x80U) return 0;
  }
  return size;
}

void AppendEscaped(unsigned char byte, std::string& json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json += '\\';
  if (byte >= 0x20) {
    json += static_cast<char>(byte);
  } else {
    json.append("u00").append({kDigits[byte >> 4U], kDigits[byte & 0xfU]});
  }
}

// One letter, or one byte that is none.
void TakeSpecial(std::string_view& text, std::string& json) {
  const unsigned char first = ByteOf(text, 0);
  const std::size_t size = LetterSize(text);
  if (first < 0x80) {
    AppendEscaped(first, json);
  } else {
    json += size == 0 ? kReplacement : text.substr(0, size);
  }
  text.remove_prefix(size == 0 ? 1 : size);
}

}  // namespace

void AppendQuoted(std::string_view text, std::string& json) {
  json += '"';
  while (true) {
    const std::size_t plain = PlainPrefix(text);
    json += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    TakeSpecial(text, json);
  }
  json += '"';
}

}  // namespace gs::kube
