#include "programs/machinesets/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "adapters/config/flag_reader.h"
#include "adapters/machinesets/settings_file.h"
#include "adapters/runtime/read_file.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::machinesets {
namespace {

constexpr std::size_t kMaxSettingsFile = std::size_t{1} << 20;
constexpr std::int64_t kMaxDisk = 65536;

constexpr const char* kFooter = R"(Commands:
  generate  makes and updates the MachineSets (default)
  verify    whether GPU nodes are Ready and labelled, and the GPU operator and NFD run
  status    sets, machines, their phases, and what the cloud says about those that do not come
  types     the GPU instance types that are known

Flags count more than the settings file: docs/openshift.md describes it.

Examples:
  gpu-machinesets --settings settings.yaml
  gpu-machinesets --type g6.4xlarge=2 --type p5.48xlarge --zones all --autoscale 0:4 --dry-run
  gpu-machinesets --offline folder --output yaml

Exit codes: 0 done, 1 something failed, 2 the arguments or the settings are wrong, 3 verify found
something amiss.)";

constexpr std::array kCommands{
    std::pair{Command::kGenerate, std::string_view("generate")},
    std::pair{Command::kVerify, std::string_view("verify")},
    std::pair{Command::kStatus, std::string_view("status")},
    std::pair{Command::kTypes, std::string_view("types")},
};

constexpr std::array kOutputs{
    std::pair{Output::kLog, std::string_view("log")},
    std::pair{Output::kYaml, std::string_view("yaml")},
    std::pair{Output::kTable, std::string_view("table")},
};

// What was written; the defaults are here.
struct Words {
  std::string command = "generate";
  std::string kubeconfig;
  std::string context;
  std::string offline;
  std::string settings;
  std::vector<std::string> types;
  std::string zones;
  bool is_spot = false;
  std::string max_price;
  std::string autoscale;
  std::string disk;
  std::string accelerator = "auto";
  std::vector<std::string> taints;
  std::vector<std::string> labels;
  bool is_dry_run = false;
  bool is_pruning = false;
  std::string output = "log";
};

void AddSettings(CLI::App& app, Words& words) {
  const auto add = [&](const char* flag, auto& word, const char* type, const char* help) {
    app.add_option(flag, word, help)->type_name(type)->allow_extra_args(false);
  };
  add("--settings", words.settings, "FILE", "What is wanted (default: two types of the g6 family)");
  add("--type", words.types, "TYPE[=N]", "An instance type and its replicas; may be repeated");
  add("--zones", words.zones, "ZONES", "first (the default), all, or names with commas between");
  app.add_flag("--spot", words.is_spot, "Spot machines");
  add("--max-price", words.max_price, "PRICE", "Of a spot machine, per hour");
  add("--autoscale", words.autoscale, "MIN:MAX", "Machines of each set, as pods need them");
  add("--disk", words.disk, "GIB", "Size of the disk (default: that of the workers)");
  add("--accelerator", words.accelerator, "VALUE",
      "Label cluster-api/accelerator (default auto: by the model; \"\": none)");
  add("--taint", words.taints, "KEY=VALUE:EFFECT", "Instead of nvidia.com/gpu=true:NoSchedule");
  add("--label", words.labels, "KEY=VALUE", "Of nodes, instead of the usual ones");
}

void AddOptions(CLI::App& app, Words& words) {
  app.add_option("command", words.command, "generate, verify, status or types")
      ->type_name("COMMAND");
  const auto add = [&](const char* flag, std::string& word, const char* type, const char* help) {
    app.add_option(flag, word, help)->type_name(type);
  };
  add("--kubeconfig", words.kubeconfig, "FILE",
      "How to reach the cluster (default: the pod's service account, else KUBECONFIG, else "
      "~/.kube/config)");
  add("--context", words.context, "NAME", "Context of the kubeconfig (default: the current one)");
  add("--offline", words.offline, "FOLDER",
      "Reads Infrastructure and MachineSets from YAML files there, and writes nothing");
  AddSettings(app, words);
  app.add_flag("--dry-run", words.is_dry_run, "The API server checks everything and keeps nothing");
  app.add_flag("--prune", words.is_pruning, "Deletes sets made here that are no longer wanted");
  add("-o,--output", words.output, "FORMAT", "log (the default), yaml or table");
}

void ReadFlagTypes(const Words& words, config::FlagReader& read, FlagSettings& flags) {
  for (const std::string& word : words.types) {
    const auto equals = word.find('=');
    TypeWish wish;
    wish.type = word.substr(0, equals);
    if (wish.type.empty()) read.Fail("--type", Error(ErrorKind::kInvalid, "is empty"));
    if (equals != std::string::npos) {
      auto replicas = ParseInt32(word.substr(equals + 1), {0, kMaxReplicas});
      if (!replicas)
        read.Fail("--type", replicas.error());
      else
        wish.replicas = *replicas;
    }
    flags.types.push_back(std::move(wish));
  }
}

void ReadFlagLabels(const Words& words, config::FlagReader& read, FlagSettings& flags) {
  if (!words.labels.empty()) flags.labels.emplace();
  for (const std::string& word : words.labels) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (auto fine = CheckLabel(key, value); !fine) read.Fail("--label", fine.error());
    (*flags.labels)[key] = value;
  }
  if (!words.taints.empty()) flags.taints.emplace();
  for (const std::string& word : words.taints) {
    auto taint = ReadTaint(word);
    if (!taint)
      read.Fail("--taint", taint.error());
    else
      flags.taints->push_back(*std::move(taint));
  }
  if (words.accelerator == "auto") return;
  flags.accelerator = words.accelerator;
  if (auto fine = CheckLabel("cluster-api/accelerator", *flags.accelerator); !fine) {
    read.Fail("--accelerator", fine.error());
  }
}

void ReadFlagMarket(const Words& words, config::FlagReader& read, FlagSettings& flags) {
  if (words.is_spot) flags.spot = Spot{};
  if (!words.max_price.empty()) {
    auto price = CheckPrice(words.max_price);
    if (!price)
      read.Fail("--max-price", price.error());
    else
      flags.spot = Spot{*price};
    if (!words.is_spot) read.Fail("--max-price", Error(ErrorKind::kInvalid, "goes with --spot"));
  }
  if (!words.autoscale.empty()) {
    auto range = ParseAutoscale(words.autoscale);
    if (!range)
      read.Fail("--autoscale", range.error());
    else
      flags.autoscale = *range;
  }
  if (!words.disk.empty()) {
    auto disk = ParseInt64(words.disk, {1, kMaxDisk});
    if (!disk)
      read.Fail("--disk", disk.error());
    else
      flags.disk_gib = *disk;
  }
  if (!words.zones.empty()) flags.zones = ParseZones(words.zones);
}

Result<Options> Check(const Words& words) {
  config::FlagReader read;
  Options options;
  options.command = read.Word(
      "command", words.command, [](const auto& word) { return text::ValueOf(kCommands, word); },
      text::NamesOf(kCommands));
  options.output = read.Word(
      "--output", words.output, [](const auto& word) { return text::ValueOf(kOutputs, word); },
      text::NamesOf(kOutputs));
  options.cluster = {.kubeconfig = words.kubeconfig, .context = words.context};
  options.offline = words.offline;
  options.settings_file = words.settings;
  options.is_dry_run = words.is_dry_run;
  options.is_pruning = words.is_pruning;
  ReadFlagTypes(words, read, options.flags);
  ReadFlagLabels(words, read, options.flags);
  ReadFlagMarket(words, read, options.flags);
  const bool needs_cluster =
      options.command == Command::kVerify || options.command == Command::kStatus;
  if (needs_cluster && !options.offline.empty()) {
    read.Fail("--offline", Error(ErrorKind::kInvalid, "goes with generate only"));
  }
  if (read.error()) return *read.error();
  return options;
}

// Types that the file describes keep what it says of them.
std::vector<TypeWish> ChosenTypes(const Settings& settings, const std::vector<TypeWish>& named) {
  std::vector<TypeWish> chosen;
  for (const TypeWish& name : named) {
    TypeWish wish;
    for (const TypeWish& written : settings.types) {
      if (written.type == name.type) wish = written;
    }
    wish.type = name.type;
    if (name.replicas) wish.replicas = name.replicas;
    chosen.push_back(std::move(wish));
  }
  return chosen;
}

}  // namespace

Result<std::variant<ShowText, Options>> ParseCommandLine(const std::vector<std::string>& args,
                                                         std::string_view version) {
  return config::ReadOptions(
      {.name = "gpu-machinesets",
       .purpose = "GPU MachineSets on OpenShift, made from the cluster's own worker sets.",
       .footer = kFooter,
       .version = version},
      args, AddOptions, Check);
}

Result<Settings> SettingsOf(const Options& options) {
  Settings settings = DefaultSettings();
  if (!options.settings_file.empty()) {
    const auto text = runtime::ReadFile(options.settings_file, kMaxSettingsFile);
    if (!text) return text.error();
    auto read = ReadSettings(*text, options.settings_file);
    if (!read) return std::move(read).error();
    settings = *std::move(read);
  }
  const FlagSettings& flags = options.flags;
  if (!flags.types.empty()) settings.types = ChosenTypes(settings, flags.types);
  for (TypeWish& wish : settings.types) {
    if (flags.zones) wish.zones = *flags.zones;
    if (flags.spot) wish.spot = flags.spot;
    if (flags.autoscale) wish.autoscale = flags.autoscale;
    if (flags.disk_gib) wish.disk_gib = *flags.disk_gib;
  }
  if (flags.accelerator) settings.accelerator = flags.accelerator;
  if (flags.taints) settings.taints = flags.taints;
  if (flags.labels) settings.labels = flags.labels;
  return settings;
}

}  // namespace gs::machinesets
