#include "programs/agent/options.h"

#include <CLI/CLI.hpp>

#include "adapters/config/flag_reader.h"
#include "base/dns_name.h"

namespace gs::agent {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kFooter =
    R"(Without --machine-file the GPUs are those that NVIDIA's or AMD's driver shows; a node without any
stays quiet. Durations are written like 500ms, 15s or 2m.

Examples:
  gpu-scheduler-agent --node $(hostname) --kubeconfig ~/.kube/config
  gpu-scheduler-agent --node node-a --machine-file dgx.yaml --pod-resources off

Exit codes: 0 after SIGTERM or SIGINT, 1 when it cannot work, 2 when the arguments are wrong.)";

// What was written; the defaults are here.
struct Words {
  std::string kubeconfig;
  std::string context;
  std::string node;
  std::string machine_file;
  std::string nvml_library = gpu::DeviceOptions().nvml_library;
  std::string sysfs = "/sys";
  std::string procfs = "/proc";
  std::string driver_patience = "20s";
  std::string pod_resources = "/var/lib/kubelet/pod-resources/kubelet.sock";
  std::string listen = "0.0.0.0:8081";
  std::string read_every = "10s";
  std::string use_delay = "10s";
  std::string confirm_every = "5m";
  std::string quiet = "5m";
  std::string instance;
  std::string log_level = "info";
  std::string log_format = "text";
};

void AddOptions(CLI::App& app, Words& words) {
  const auto add = [&](const char* flag, std::string& word, const std::string& type,
                       std::string help) {
    if (!word.empty()) help += " (default " + word + ")";
    return app.add_option(flag, word, help)->type_name(type);
  };
  add("--node", words.node, "NAME", "The node this runs on; required")->envname("NODE_NAME");
  add("--kubeconfig", words.kubeconfig, "FILE",
      "How to reach the cluster (default: the pod's service account, else KUBECONFIG, else "
      "~/.kube/config)");
  add("--context", words.context, "NAME", "Context of the kubeconfig (default: the current one)");
  add("--machine-file", words.machine_file, "FILE",
      "The GPUs are those that this file describes, read again every time; no driver is asked");
  add("--nvml-library", words.nvml_library, "FILE", "NVIDIA's management library");
  add("--sysfs", words.sysfs, "FOLDER", "Where the host's /sys is");
  add("--procfs", words.procfs, "FOLDER", "Where the host's /proc is");
  add("--driver-patience", words.driver_patience, "TIME",
      "A driver that does not answer for so long counts as unreadable");
  add("--pod-resources", words.pod_resources, "SOCKET",
      "The kubelet's socket that tells which devices it gave to whom; off: it is not asked");
  add("--listen", words.listen, "ADDRESS:PORT", "/health and /metrics");
  add("--read-interval", words.read_every, "TIME", "Between two looks at the GPUs");
  add("--use-delay", words.use_delay, "TIME",
      "A change of who uses a GPU waits about that long for others before it is written");
  add("--confirm-interval", words.confirm_every, "TIME",
      "The report is written at least that often, even if nothing has changed");
  add("--quiet-period", words.quiet, "TIME",
      "A GPU counts as healthy again after that long without trouble");
  add("--instance", words.instance, "NAME",
      "What tells this process from another agent for the node (default: made up)")
      ->envname("POD_UID");
  add("--log-level", words.log_level, "LEVEL", "debug, info, warning or error");
  add("--log-format", words.log_format, "FORMAT", "text or json");
}

constexpr Duration kLongest = hours(24);

NodeName ReadNode(const std::string& word, config::FlagReader& read) {
  constexpr const char* kFlag = "--node";
  if (word.empty()) {
    read.Fail(
        kFlag,
        Error(ErrorKind::kInvalid, "is missing").Advise("give the node's name, or set NODE_NAME"));
  } else if (auto fine = CheckDnsSubdomain(word); !fine) {
    read.Fail(kFlag, fine.error());
  }
  return NodeName(word);
}

std::filesystem::path ReadPath(const char* flag, const std::string& word,
                               config::FlagReader& read) {
  if (word.empty()) read.Fail(flag, Error(ErrorKind::kInvalid, "is empty"));
  return word;
}

ProgramOptions CheckProgram(const Words& words, config::FlagReader& read) {
  ProgramOptions options;
  options.cluster = {.kubeconfig = words.kubeconfig, .context = words.context};
  options.instance = words.instance;
  options.status = read.Address("--listen", words.listen);
  options.read_every = read.Time("--read-interval", words.read_every, milliseconds(100), kLongest);
  options.times.use_delay = read.Time("--use-delay", words.use_delay, Duration(0), kLongest);
  options.times.confirm_every =
      read.Time("--confirm-interval", words.confirm_every, seconds(1), kLongest);
  options.health.quiet = read.Time("--quiet-period", words.quiet, Duration(0), kLongest);
  options.log_level = read.Word("--log-level", words.log_level, runtime::ParseLogLevel,
                                "debug, info, warning or error");
  options.log_format =
      read.Word("--log-format", words.log_format, config::ParseLogFormat, "text or json");
  return options;
}

Result<NodeOptions> Check(const Words& words) {
  config::FlagReader read;
  NodeOptions options;
  options.node = ReadNode(words.node, read);
  options.program = CheckProgram(words, read);
  options.devices.machine_file = words.machine_file;
  options.devices.nvml_library = ReadPath("--nvml-library", words.nvml_library, read);
  options.devices.sysfs = ReadPath("--sysfs", words.sysfs, read);
  options.devices.procfs = ReadPath("--procfs", words.procfs, read);
  options.devices.patience =
      read.Time("--driver-patience", words.driver_patience, seconds(1), kLongest);
  if (words.pod_resources != "off") {
    options.pod_resources = ReadPath("--pod-resources", words.pod_resources, read);
  }
  if (read.error()) return *read.error();
  return options;
}

}  // namespace

Result<std::variant<ShowText, NodeOptions>> ParseCommandLine(const std::vector<std::string>& args,
                                                             std::string_view version) {
  return config::ReadOptions(
      {.name = "gpu-scheduler-agent",
       .purpose = "Reports the GPUs of its node: which there are, how they are, and who uses them.",
       .footer = kFooter,
       .version = version},
      args, AddOptions, Check);
}

}  // namespace gs::agent
