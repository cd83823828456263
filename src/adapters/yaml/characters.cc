#include "adapters/yaml/characters.h"

#include <cstdint>

namespace gs::yaml {
namespace {

// One multi-byte form of UTF-8: how long it is and the range its second byte must lie in, which is
// what rules out overlong forms, surrogates and everything above U+10FFFF.
struct Form {
  std::size_t length = 0;
  std::uint8_t second_min = 0x80;
  std::uint8_t second_max = 0xBF;
};

Form FormOf(std::uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {.length = 2};
  if (lead == 0xE0) return {.length = 3, .second_min = 0xA0};
  if (lead == 0xED) return {.length = 3, .second_max = 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {.length = 3};
  if (lead == 0xF0) return {.length = 4, .second_min = 0x90};
  if (lead == 0xF4) return {.length = 4, .second_max = 0x8F};
  if (lead >= 0xF1 && lead <= 0xF3) return {.length = 4};
  return {};
}

bool IsAllowedAscii(std::uint8_t byte) {
  return (byte >= 0x20 && byte != 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
}

// Bytes of the character at the front of `text`; 0 if it is none. Requires: not empty.
std::size_t LengthOfFirst(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const Form form = FormOf(byte(0));
  if (form.length == 0 || text.size() < form.length) return 0;
  if (byte(1) < form.second_min || byte(1) > form.second_max) return 0;
  for (std::size_t i = 2; i < form.length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return form.length;
}

}  // namespace

std::optional<std::size_t> FindForbiddenByte(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (text[offset] >= ' ' && text[offset] <= '~') {  // nearly all there is
      ++offset;
      continue;
    }
    const std::size_t length = LengthOfFirst(text.substr(offset));
    const bool is_control = length == 1 && !IsAllowedAscii(static_cast<std::uint8_t>(text[offset]));
    if (length == 0 || is_control) return offset;
    offset += length;
  }
  return std::nullopt;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = LengthOfFirst(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace gs::yaml
