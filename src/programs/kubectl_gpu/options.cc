#include "programs/kubectl_gpu/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

#include "core/model/claim.h"

namespace gs::kubectl_gpu {
namespace {

constexpr const char* kFooter = R"(Examples:
  kubectl-gpu status
  kubectl-gpu explain trainer-0 -n team
  kubectl-gpu place -f pod.yaml
  kubectl-gpu choose --machine examples/machines/dgx-1v.yaml --count 4

kubectl-gpu COMMAND --help explains a command.

Exit codes: 0 done, 1 the cluster could not be asked or the answer not be written, 2 the arguments or a
file are wrong, 3 the answer is no.)";

constexpr const char* kChooseFooter = R"(IDS are GPU ids such as 0,1,4-7.

Examples:
  kubectl-gpu choose --machine examples/machines/dgx-1v.yaml --count 4
  kubectl-gpu choose --machine examples/machines/dgx-1v.yaml --free 1-7 --count 2 -o json
  kubectl-gpu choose --machine examples/machines/mi210-hives.yaml --free 2-5 --count 4 --topology Required

Exit codes: 0 a set was chosen, 2 the arguments or the file are wrong, 3 no set satisfies the request.)";

void AddRequestOptions(CLI::App& choose, ChooseArguments& args) {
  choose.add_option("--count", args.count, "How many GPUs")->required()->type_name("N");
  choose.add_option("--policy", args.policy, model::DevicePolicyNames() + " (default contiguous)")
      ->type_name("POLICY");
  choose
      .add_option("--prefer-ids", args.prefer_ids, "Taken if free, in this order; with preferIds")
      ->type_name("IDS");
  choose
      .add_option("--topology", args.topology, model::TopologyModeNames() + " (default Preferred)")
      ->type_name("MODE");
  choose
      .add_option("--min-bandwidth", args.min_bandwidth,
                  "Bidirectional GB/s that every pair must have with Required")
      ->type_name("GBPS");
  choose
      .add_option("--exclusivity", args.exclusivity,
                  model::ExclusivityNames() + " (default Exclusive)")
      ->type_name("WORD");
  choose.add_option("--share-cap", args.share_cap, "Pods per shared GPU (default 4)")
      ->type_name("N");
  choose.add_option("--must-include", args.must_include, "GPUs that every set must have")
      ->type_name("IDS");
}

void AddChoose(CLI::App& app, ChooseArguments& args) {
  CLI::App& choose = *app.add_subcommand("choose", "Show which GPUs of a machine a pod would get");
  choose.footer(kChooseFooter);
  choose.add_option("--machine", args.machine, "The GPUs and their links: docs/machine-file.md")
      ->required()
      ->type_name("FILE");
  choose
      .add_option("--free", args.free,
                  "GPUs that nobody holds, or none (default: healthy ones that the file does not "
                  "show in use)")
      ->type_name("IDS");
  choose.add_option("--shared", args.shared, "GPUs that pods share already, and how many pods")
      ->type_name("ID=PODS,...");
  AddRequestOptions(choose, args);
  choose.add_option("-o,--output", args.output, "text or json (default text)")->type_name("FORMAT");
}

// A command that asks a cluster.
struct ClusterCommand {
  const char* name = nullptr;
  const char* help = nullptr;
  const char* subject = nullptr;  // what has to be named
  const char* file = nullptr;     // what has to be given in a file
};

constexpr std::array kClusterCommands{
    ClusterCommand{"status", "Show the fleet: GPUs by node, what could start, why pods wait"},
    ClusterCommand{"who", "Show who has the GPUs of a node, or which GPUs a pod has",
                   "NODE[:IDS]|[NAMESPACE/]POD"},
    ClusterCommand{"explain", "Show why a pod waits, node by node, and what would help it",
                   "[NAMESPACE/]POD"},
    ClusterCommand{"pods", "Show pods with their node and GPUs, or why they wait"},
    ClusterCommand{"claims", "Show claims, what is held through them, and how many pods wait"},
    ClusterCommand{"topology", "Show how the GPUs of a node are wired", "NODE"},
    ClusterCommand{"leases", "Show the locks of GPUs and whom they stand for"},
    ClusterCommand{"map", "Check a scheduling map against the cluster", nullptr,
                   "Lines of index=node:ids"},
    ClusterCommand{"place", "Show where a pod would go now; nothing is created", nullptr,
                   "A Pod, a GpuClaim or both, YAML or JSON"},
    ClusterCommand{"get", "Show objects of a kind in the server's own tables", "KIND"},
    ClusterCommand{"apply", "Create objects, or merge them into what is there", nullptr,
                   "Objects, YAML or JSON"},
    ClusterCommand{"version", "Show the versions of this program and of the API server"}};

void AddClusterOptions(CLI::App& command, ClusterArguments& args) {
  command.add_option("--kubeconfig", args.kubeconfig, "Default: as kubectl finds it")
      ->type_name("FILE");
  command.add_option("--context", args.context, "Of the kubeconfig; default: the current one")
      ->type_name("NAME");
  command.add_option("-n,--namespace", args.ns, "Default: that of the context")->type_name("NAME");
  command.add_option("--scheduler", args.scheduler, "Whose pods it is about")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--share-cap", args.share_cap, "Pods per shared GPU, as the scheduler has it")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("-o,--output", args.output, "table, wide, json or yaml")
      ->type_name("FORM")
      ->capture_default_str();
}

void AddClusterCommand(CLI::App& app, const ClusterCommand& what, ClusterArguments& args) {
  CLI::App& command = *app.add_subcommand(what.name, what.help);
  if (what.subject != nullptr) {
    command.add_option("name", args.subject)->required()->type_name(what.subject);
  }
  if (what.file != nullptr) {
    command.add_option("-f,--filename", args.file, std::string(what.file) + "; - is stdin")
        ->required()
        ->type_name("FILE");
  }
  const std::string_view name = what.name;
  if (name == "get") {
    command.add_option("object", args.name, "Default: all of them")->type_name("NAME");
    command.add_option("-l,--selector", args.selector, "Only those with these labels")
        ->type_name("LABELS");
  }
  if (name == "claims" || name == "pods" || name == "get") {
    command.add_flag("-A,--all-namespaces", args.has_all_namespaces, "Of all namespaces");
  }
  if (name == "leases") {
    command.add_flag("--stale", args.is_only_stale, "Only those whose pods are gone");
  }
  AddClusterOptions(command, args);
}

// The command that explains whatever was typed.
std::string HelpFor(const std::vector<std::string>& args) {
  const std::string word = args.empty() ? "" : args.front();
  const bool is_known =
      word == "choose" || std::any_of(kClusterCommands.begin(), kClusterCommands.end(),
                                      [&](const auto& command) { return word == command.name; });
  return is_known ? "kubectl-gpu " + word + " --help" : "kubectl-gpu --help";
}

Result<Command> Parse(const std::vector<std::string>& args, std::string_view version) {
  CLI::App app("GPUs of a Kubernetes cluster: who has them, why pods wait, what a pod would get.",
               "kubectl-gpu");
  app.set_version_flag("--version", "kubectl-gpu " + std::string(version));
  app.footer(kFooter);
  ClusterArguments cluster;
  for (const ClusterCommand& command : kClusterCommands) AddClusterCommand(app, command, cluster);
  ChooseArguments choose;
  AddChoose(app, choose);
  auto shown = config::ReadCommandLine(app, args, HelpFor(args));
  if (!shown) return std::move(shown).error();
  if (*shown) return Command(**std::move(shown));
  if (app.get_subcommands().empty()) {
    return Error(ErrorKind::kInvalid, "no command given").Advise("kubectl-gpu --help lists them");
  }
  const std::string name = app.get_subcommands().front()->get_name();
  if (name != "choose") {
    auto question = ReadClusterQuestion(name, cluster);
    if (!question) return std::move(question).error();
    return Command(*std::move(question));
  }
  auto options = ReadChooseOptions(choose);
  if (!options) return std::move(options).error();
  return Command(*std::move(options));
}

}  // namespace

Result<Command> ParseCommandLine(const std::vector<std::string>& args, std::string_view version) {
  return config::WithoutExceptions([&] { return Parse(args, version); });
}

}  // namespace gs::kubectl_gpu
