#include "adapters/config/command_line.h"

#include <CLI/CLI.hpp>

namespace gs::config {

Result<std::optional<ShowText>> ReadCommandLine(CLI::App& app, const std::vector<std::string>& args,
                                                std::string_view help) {
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));  // last one first
  } catch (const CLI::CallForHelp&) {
    return std::optional(ShowText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return std::optional(ShowText{app.version() + "\n"});
  } catch (const CLI::ParseError& failure) {
    return Error(ErrorKind::kInvalid, failure.what()).Advise("see " + std::string(help));
  }
  return std::optional<ShowText>();
}

}  // namespace gs::config
