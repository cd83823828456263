#include "adapters/kube/login/base64.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gs::kube {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

Error Refuse(std::string message) {
  return Error(ErrorKind::kInvalid, "is no base64: " + std::move(message))
      .Advise("write it with `base64 -w0`");
}

std::optional<std::uint32_t> ValueOf(char letter) {
  const auto at = kAlphabet.find(letter);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

// The text without line ends, once it is known that nothing but padding follows padding.
Result<std::string> LettersOf(std::string_view text) {
  std::string letters;
  letters.reserve(text.size());
  bool is_padded = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') continue;
    const bool is_fine = text[i] == kPadding || (!is_padded && ValueOf(text[i]));
    if (!is_fine) return Refuse("unexpected character at position " + std::to_string(i + 1));
    is_padded = text[i] == kPadding;
    letters += text[i];
  }
  return letters;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group =
        ByteAt(bytes, i) << 16U | ByteAt(bytes, i + 1) << 8U | ByteAt(bytes, i + 2);
    text += kAlphabet[group >> 18U];
    text += kAlphabet[group >> 12U & 63U];
    text += i + 1 < bytes.size() ? kAlphabet[group >> 6U & 63U] : kPadding;
    text += i + 2 < bytes.size() ? kAlphabet[group & 63U] : kPadding;
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  auto letters = LettersOf(text);
  if (!letters) return letters;
  if (letters->size() % 4 != 0) return Refuse("its length is no multiple of four");
  const std::size_t padding = letters->size() - (letters->find_last_not_of(kPadding) + 1);
  if (padding > 2) return Refuse("too much padding");

  std::string bytes;
  bytes.reserve(letters->size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t bit_count = 0;
  for (std::size_t i = 0; i + padding < letters->size(); ++i) {
    bits = bits << 6U | *ValueOf((*letters)[i]);
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes += static_cast<char>(bits >> bit_count & 255U);
  }
  // What is left over stands for nothing, so only zeros can be there.
  if ((bits & ((1U << bit_count) - 1)) != 0) return Refuse("the last letter says too much");
  return bytes;
}

}  // namespace gs::kube
