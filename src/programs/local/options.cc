#include "programs/local/options.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

#include "base/dns_name.h"
#include "base/parse.h"
#include "programs/local/node_source.h"

namespace gs::local {
namespace {

constexpr const char* kDefaultName = "gpu-local";
constexpr std::int64_t kMaxPort = 65535;

constexpr const char* kFooter = R"(Examples:
  gpu-local up --background
  gpu-local status
  gpu-local dump cluster.yaml
  gpu-local down

gpu-local up --help explains the options. docs/gpu-local.md describes what it serves.)";

constexpr const char* kUpFooter =
    R"(NODES is laptop, dgx, big:N, none, or a file as docs/gpu-local.md describes it.

Examples:
  gpu-local up
  gpu-local up --nodes big:500 --background
  gpu-local up --bare --nodes none --port 6443 --kubeconfig local.kubeconfig
  gpu-local up --load cluster.yaml

Exit codes: 0 after SIGTERM, SIGINT or gpu-local down, 1 the cluster could not run, 2 the arguments or a file are wrong.)";

// As they are typed.
struct Arguments {
  UpOptions up;
  std::string port = "0";
  std::string dashboard_port = "0";
  std::string log_level = "warning";
  StatusOptions status;
  DownOptions down;
  DumpOptions dump;
  DemoOptions demo;
};

void AddName(CLI::App& command, std::string& name) {
  name = kDefaultName;
  command.add_option("--name", name, "Which one, where several run")
      ->type_name("NAME")
      ->capture_default_str();
}

void AddUp(CLI::App& app, Arguments& args) {
  CLI::App& up = *app.add_subcommand("up", "Start a cluster and run until told to end");
  up.footer(kUpFooter);
  AddName(up, args.up.name);
  up.add_option(
        "--nodes", args.up.nodes,
        std::string("The simulated nodes (default: those of --load, else ") + kDefaultNodes + ")")
      ->type_name("NODES");
  up.add_option("--port", args.port, "Where the API listens on 127.0.0.1; 0 is any free port")
      ->type_name("PORT")
      ->capture_default_str();
  up.add_option("--dashboard-port", args.dashboard_port,
                "Where the dashboard is served on 127.0.0.1; 0 is any free port")
      ->type_name("PORT")
      ->capture_default_str();
  up.add_option("--kubeconfig", args.up.kubeconfig,
                "Where the file for kubectl is written (default: in a folder of its own)")
      ->type_name("FILE");
  up.add_option("--load", args.up.load, "Begin with the objects of a dump")->type_name("FILE");
  up.add_flag("--bare", args.up.is_bare,
              "API, controllers and nodes alone: no scheduler and no webhook run inside");
  up.add_flag("--background", args.up.is_background, "Return once it serves, and leave it running");
  up.add_option("--log-level", args.log_level, "debug, info, warning or error")
      ->type_name("LEVEL")
      ->capture_default_str();
}

void AddOthers(CLI::App& app, Arguments& args) {
  AddName(*app.add_subcommand("status", "Show a running cluster"), args.status.name);
  AddName(*app.add_subcommand("down", "End a running cluster and wait until it is gone"),
          args.down.name);
  CLI::App& dump = *app.add_subcommand("dump", "Write all objects of a running cluster as YAML");
  AddName(dump, args.dump.name);
  dump.add_option("file", args.dump.file, "Where to; - is the standard output")
      ->type_name("FILE")
      ->required();
  CLI::App& demo = *app.add_subcommand(
      "demo", "Start a cluster, create the objects of some files, and show which pod got what");
  demo.add_option("files", args.demo.files, "Manifests, as kubectl reads them")
      ->type_name("FILE")
      ->required();
  args.demo.nodes = kDefaultNodes;
  demo.add_option("--nodes", args.demo.nodes, "As for up")
      ->type_name("NODES")
      ->capture_default_str();
  demo.add_flag("--stay", args.demo.stays, "Run on until told to end");
}

Result<UpOptions> CheckUp(const Arguments& args) {
  UpOptions up = args.up;
  if (const auto fine = CheckDnsSubdomain(up.name); !fine) {
    return Error(fine.error()).Within("--name");
  }
  const auto port = ParseInt64(args.port, {0, kMaxPort});
  if (!port) return Error(port.error()).Within("--port");
  up.port = static_cast<std::uint16_t>(*port);
  const auto dashboard_port = ParseInt64(args.dashboard_port, {0, kMaxPort});
  if (!dashboard_port) return Error(dashboard_port.error()).Within("--dashboard-port");
  up.dashboard_port = static_cast<std::uint16_t>(*dashboard_port);
  const auto level = runtime::ParseLogLevel(args.log_level);
  if (!level) {
    return Error(ErrorKind::kInvalid, "expected debug, info, warning or error")
        .Within("--log-level");
  }
  up.log_level = *level;
  return up;
}

Result<Command> Choose(const std::string& command, const Arguments& args) {
  if (command == "status") return Command(args.status);
  if (command == "down") return Command(args.down);
  if (command == "dump") return Command(args.dump);
  if (command == "demo") return Command(args.demo);
  auto up = CheckUp(args);
  if (!up) return std::move(up).error();
  return Command(*std::move(up));
}

Result<Command> Parse(const std::vector<std::string>& args, std::string_view version) {
  CLI::App app("A Kubernetes-compatible cluster with simulated GPU nodes, in one process.",
               "gpu-local");
  app.set_version_flag("--version", "gpu-local " + std::string(version));
  app.footer(kFooter);
  Arguments arguments;
  AddUp(app, arguments);
  AddOthers(app, arguments);
  auto shown = config::ReadCommandLine(app, args, "gpu-local --help");
  if (!shown) return std::move(shown).error();
  if (*shown) return Command(**std::move(shown));
  if (app.get_subcommands().empty()) {
    return Error(ErrorKind::kInvalid, "no command given").Advise("gpu-local --help lists them");
  }
  return Choose(app.get_subcommands().front()->get_name(), arguments);
}

}  // namespace

Result<Command> ParseCommandLine(const std::vector<std::string>& args, std::string_view version) {
  return config::WithoutExceptions([&] { return Parse(args, version); });
}

}  // namespace gs::local
