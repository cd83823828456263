#include "programs/kubectl_gpu/paint.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gs::kubectl_gpu {

std::string Paint::operator()(Colour colour, std::string_view text) const {
  constexpr std::array<std::string_view, 7> kCodes{"", "31", "32", "33", "34", "35", "90"};
  if (!is_on_ || colour == Colour::kPlain) return std::string(text);
  return "\x1b[" + std::string(kCodes.at(static_cast<std::size_t>(colour))) + "m" +
         std::string(text) + "\x1b[0m";
}

std::string Printable(std::string text) {
  const auto is_control = [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace gs::kubectl_gpu
