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

Result<std::optional<ShowText>> ReadFlags(const ProgramText& program,
                                          const std::vector<std::string>& args,
                                          const std::function<void(CLI::App&)>& add) {
  CLI::App app(program.purpose, program.name);
  app.set_version_flag("--version", program.name + " " + std::string(program.version));
  app.footer(program.footer);
  add(app);
  return ReadCommandLine(app, args, program.name + " --help");
}

}  // namespace gs::config
