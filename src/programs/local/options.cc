#include "programs/local/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace gs::local {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  gpu-local up --bare --kubeconfig local.kubeconfig
  kubectl --kubeconfig local.kubeconfig get namespaces

Exit codes: 0 after SIGTERM or SIGINT, 1 when the cluster cannot start, 2 when the arguments are
wrong.)";

}  // namespace

Result<std::variant<ShowText, UpOptions>> ParseCommandLine(const std::vector<std::string>& args,
                                                           std::string_view version) {
  using Command = std::variant<ShowText, UpOptions>;
  UpOptions options;
  CLI::App app("A Kubernetes-compatible cluster in one process.", "gpu-local");
  app.set_version_flag("--version", "gpu-local " + std::string(version));
  app.footer(kFooter);
  app.require_subcommand(1);
  auto* up = app.add_subcommand("up", "start the cluster and run until told to end");
  up->add_option("--port", options.port, "where the API listens on 127.0.0.1; 0 takes a free port");
  up->add_option("--kubeconfig", options.kubeconfig, "where the file for kubectl is written")
      ->capture_default_str();
  up->add_flag("--bare", options.is_bare, "the API alone, without the scheduler");
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForVersion&) {
    return Command(ShowText{"gpu-local " + std::string(version) + "\n"});
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return Command(ShowText{chosen.empty() ? app.help() : chosen.front()->help()});
  } catch (const CLI::ParseError& problem) {
    return Error(ErrorKind::kInvalid, problem.what()).Advise("see gpu-local --help");
  }
  return Command(options);
}

}  // namespace gs::local
