// Paint: colours for a terminal, and nothing where the output is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs::kubectl_gpu {

enum class Colour : std::uint8_t { kPlain, kRed, kGreen, kYellow, kBlue, kMagenta, kGrey };

class Paint {
 public:
  Paint() = default;
  [[nodiscard]] static Paint ForTerminal() { return Paint(true); }

  [[nodiscard]] std::string operator()(Colour colour, std::string_view text) const;

 private:
  explicit Paint(bool is_on) : is_on_(is_on) {}

  bool is_on_ = false;
};

// Text from files and clusters must not move the cursor of a terminal.
[[nodiscard]] std::string Printable(std::string text);

}  // namespace gs::kubectl_gpu
