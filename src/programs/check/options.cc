#include "programs/check/options.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "base/parse.h"

namespace gs::check {
namespace {

constexpr const char* kFooter = R"(Every interval one line is printed:
  Node: node1, CUDA_VISIBLE_DEVICES: 0,1
with not-set where the variable is missing, and empty where it has no value.

--verify reads what the pod says about itself, by the downward API: GPU_ALLOCATED, GPU_UUIDS,
GPU_SCHEDULING_MAP and POD_INDEX.

gpu-scheduler-check env prints the environment; so does the program when it is called env.)";

// "10" are seconds; "10s", "1m30s" say what they are.
Result<Duration> ParseInterval(const std::string& text) {
  constexpr Duration kMax = std::chrono::hours(24);
  Duration interval{};
  if (const auto seconds = ParseInt32(text)) {
    interval = std::chrono::seconds(*seconds);
  } else {
    const auto parsed = ParseDuration(text);
    if (!parsed) {
      return Error(ErrorKind::kInvalid, "the interval is no amount of time: \"" + text + "\"")
          .Advise("write seconds, such as 10, or 1m30s");
    }
    interval = *parsed;
  }
  if (interval < std::chrono::milliseconds(1) || interval > kMax) {
    return Error(ErrorKind::kInvalid, "the interval must be from 1ms to 24h, got \"" + text + "\"");
  }
  return interval;
}

Result<Command> Parse(const std::vector<std::string>& args, const Environment& environment,
                      std::string_view version) {
  CLI::App app("Prints which GPUs the container that it runs in was given.", "gpu-scheduler-check");
  app.set_version_flag("--version", "gpu-scheduler-check " + std::string(version));
  app.footer(kFooter);
  CheckOptions options;
  options.node = environment("NODE_NAME").value_or("");
  std::string interval = environment("LOG_INTERVAL").value_or("10");
  app.add_option("--node", options.node, "The node's name (default: NODE_NAME)")->type_name("NAME");
  app.add_option("--interval", interval,
                 "Time between lines, in seconds or as 1m30s (default: LOG_INTERVAL, or 10)")
      ->type_name("TIME");
  app.add_flag("--once", options.is_once,
               "Print one line and end; with --verify, 3 if something is wrong");
  app.add_flag("--verify", options.is_verifying,
               "Compare what is seen with what was decided, and say what differs");
  app.add_flag("--require-devices", options.needs_devices,
               "With --verify: a container without a GPU driver is wrong, not only worth a note");
  std::string listen = "off";
  app.add_option("--listen", listen, "/health and /metrics, or off")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  app.add_option("--nvml-library", options.nvml_library,
                 "NVIDIA's library, by name or path (default: libnvidia-ml.so.1)")
      ->type_name("FILE");
  const CLI::App* env = app.add_subcommand("env", "Print the environment");
  auto shown = config::ReadCommandLine(app, args, "gpu-scheduler-check --help");
  if (!shown) return std::move(shown).error();
  if (*shown) return Command(**std::move(shown));
  if (env->parsed()) return Command(ShowEnvironment{});
  auto parsed = ParseInterval(interval);
  if (!parsed) return std::move(parsed).error();
  options.interval = *parsed;
  if (listen != "off") {
    auto place = config::ParseListen(listen);
    if (!place) return std::move(place).error().Within("--listen");
    options.status = *std::move(place);
  }
  if (options.node.empty()) options.node = "unknown";
  return Command(std::move(options));
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<Command> ParseCommandLine(const std::vector<std::string>& args,
                                 const Environment& environment, std::string_view version) {
  std::vector<std::string> rest(args.begin() + (args.empty() ? 0 : 1), args.end());
  if (!args.empty() && BaseName(args.front()) == "env") rest.insert(rest.begin(), "env");
  return config::WithoutExceptions([&] { return Parse(rest, environment, version); });
}

}  // namespace gs::check
