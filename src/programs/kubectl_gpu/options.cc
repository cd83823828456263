#include "programs/kubectl_gpu/options.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

#include "core/model/claim.h"

namespace gs::kubectl_gpu {
namespace {

constexpr const char* kFooter = R"(Example:
  kubectl-gpu choose --machine examples/machines/dgx-1v.yaml --count 4

kubectl-gpu choose --help explains the command.)";

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

Result<Command> Parse(const std::vector<std::string>& args, std::string_view version) {
  CLI::App app("GPUs of a Kubernetes cluster: what a pod would get, and why.", "kubectl-gpu");
  app.set_version_flag("--version", "kubectl-gpu " + std::string(version));
  app.footer(kFooter);
  ChooseArguments choose;
  AddChoose(app, choose);
  auto shown = config::ReadCommandLine(app, args, "kubectl-gpu choose --help");
  if (!shown) return std::move(shown).error();
  if (*shown) return Command(**std::move(shown));
  if (app.get_subcommands().empty()) {
    return Error(ErrorKind::kInvalid, "no command given").Advise("kubectl-gpu --help lists them");
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
