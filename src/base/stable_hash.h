// A hash that is the same in every process, version and machine, so that it may appear in names
// that are stored. Not for secrets, and not where somebody gains by making two texts collide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs {

// FNV-1a with 64 bits.
[[nodiscard]] constexpr std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

// The hash as 16 hexadecimal digits, lower case.
[[nodiscard]] inline std::string StableHashHex(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::uint64_t hash = StableHash(text);
  std::string hex;
  for (unsigned shift = 64; shift > 0; shift -= 4) hex += kHex[(hash >> (shift - 4)) & 0xFU];
  return hex;
}

}  // namespace gs
