// The options of gpu-local, every value checked. The only file of the program that knows the
// command line library; no exception leaves it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/runtime/log.h"
#include "base/result.h"

namespace gs::local {

struct UpOptions {
  std::string name;
  std::string nodes;       // a preset or a file; empty: those of the dump, or the default preset
  std::uint16_t port = 0;  // 0: any free one
  std::uint16_t dashboard_port = 0;  // likewise
  std::string kubeconfig;            // empty: in the folder of running clusters
  std::string load;                  // a dump to begin with; empty: none
  bool is_bare = false;              // API, controllers and nodes alone
  bool is_background = false;
  runtime::LogLevel log_level = runtime::LogLevel::kWarning;
};

struct StatusOptions {
  std::string name;
};

struct DownOptions {
  std::string name;
};

struct DumpOptions {
  std::string name;
  std::string file;  // "-": standard output
};

// Starts a cluster, creates what the files hold, shows which pod got what, and ends.
struct DemoOptions {
  std::vector<std::string> files;
  std::string nodes;
  bool stays = false;
};

using config::ShowText;

using Command =
    std::variant<ShowText, UpOptions, StatusOptions, DownOptions, DumpOptions, DemoOptions>;

// `args` does not have the program's name.
[[nodiscard]] Result<Command> ParseCommandLine(const std::vector<std::string>& args,
                                               std::string_view version);

}  // namespace gs::local
