// The command line and the environment of gpu-scheduler-check, every value checked. The only file
// of the program that knows the command line library; no exception leaves it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/config/values.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::check {

// The value of a variable; absent if it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

struct CheckOptions {
  std::string node;
  Duration interval{};
  bool is_once = false;
  bool is_verifying = false;
  bool needs_devices = false;            // with is_verifying: no driver in the container is wrong
  std::optional<config::Listen> status;  // /health and /metrics; absent: nobody is answered
  std::string nvml_library;
};

using config::ShowText;
// Prints the environment, as env does.
struct ShowEnvironment {};

using Command = std::variant<ShowText, ShowEnvironment, CheckOptions>;

// `args` begins with the program's name: under the name env it is the env applet. A flag wins over
// the variable that says the same.
[[nodiscard]] Result<Command> ParseCommandLine(const std::vector<std::string>& args,
                                               const Environment& environment,
                                               std::string_view version);

}  // namespace gs::check
