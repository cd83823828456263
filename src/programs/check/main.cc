// gpu-scheduler-check: see docs/gpu-scheduler-check.md.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "adapters/runtime/signals.h"
#include "programs/check/options.h"
#include "programs/check/report.h"
#include "programs/check/reporter.h"

extern char** environ;

namespace {

constexpr int kExitFailed = 1;  // a line could not be written
constexpr int kExitBadInput = 2;

std::optional<std::string> FromProcess(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

int PrintEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::cout << *entry << "\n";
  }
  return std::cout.flush() ? 0 : kExitFailed;
}

// Every line is there at once, whoever reads it.
bool PrintLine(const std::string& line) {
  std::cout << line << "\n" << std::flush;
  return static_cast<bool>(std::cout);
}

int Check(const gs::check::CheckOptions& options) {
  const std::string line = gs::check::ReportLine(options.node, FromProcess);
  if (options.is_once) return PrintLine(line) ? 0 : kExitFailed;
  gs::check::Reporter reporter;
  const gs::runtime::Signals signals([&](int) { reporter.Stop(); });
  return reporter.Run(line, options.interval, PrintLine) ? 0 : kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv, argv + argc);
  const auto command = gs::check::ParseCommandLine(args, FromProcess, GS_VERSION);
  if (!command) {
    std::cerr << "gpu-scheduler-check: " << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<gs::check::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  if (std::holds_alternative<gs::check::ShowEnvironment>(*command)) return PrintEnvironment();
  return Check(std::get<gs::check::CheckOptions>(*command));
}
