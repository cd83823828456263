// What the command lines of all programs have in common: --help, --version, and how they refuse.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
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

// What --help and --version say besides the flags.
struct ProgramText {
  std::string name;
  std::string purpose;  // one sentence
  std::string footer;
  std::string_view version;
};

// The same for a program without subcommands, whose flags are those that `add` names.
[[nodiscard]] Result<std::optional<ShowText>> ReadFlags(const ProgramText& program,
                                                        const std::vector<std::string>& args,
                                                        const std::function<void(CLI::App&)>& add);

// The whole way of such a program: `add` has flags fill Words, whose first values are the defaults,
// and `check` makes options of them.
template <class Words, class Options>
[[nodiscard]] Result<std::variant<ShowText, Options>> ReadOptions(
    const ProgramText& program, const std::vector<std::string>& args,
    void (*add)(CLI::App&, Words&), Result<Options> (*check)(const Words&)) {
  using ToDo = std::variant<ShowText, Options>;
  return WithoutExceptions([&]() -> Result<ToDo> {
    Words words;
    auto shown = ReadFlags(program, args, [&](CLI::App& app) { add(app, words); });
    if (!shown) return std::move(shown).error();
    if (*shown) return ToDo(**std::move(shown));
    auto options = check(words);
    if (!options) return std::move(options).error();
    return ToDo(*std::move(options));
  });
}

}  // namespace gs::config
