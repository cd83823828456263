// What the command lines of all programs have in common: --help, --version, and how they refuse.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace gs::config {

// --help and --version: nothing is left to do but to show this.
struct ShowText {
  std::string text;
};

// Reads the arguments, without the program's name, into whatever `app` was told to fill. A text is
// all that is left to do. `help` is the command that explains, for refusals.
[[nodiscard]] Result<std::optional<ShowText>> ReadCommandLine(CLI::App& app,
                                                              const std::vector<std::string>& args,
                                                              std::string_view help);

// What the library throws beyond refusals is a mistake of ours, and becomes an error as well.
template <class Parse>
[[nodiscard]] auto WithoutExceptions(const Parse& parse) -> decltype(parse()) {
  try {
    return parse();
  } catch (const std::exception& failure) {
    return Error(ErrorKind::kInternal,
                 std::string("reading the command line failed: ") + failure.what());
  }
}

}  // namespace gs::config
