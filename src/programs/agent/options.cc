#include "programs/agent/options.h"

#include <CLI/CLI.hpp>
#include <utility>

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

// Checks values, and collects the first thing that is wrong.
class Reader {
 public:
  NodeName Node(const char* flag, const std::string& word) {
    if (word.empty()) {
      Fail(flag, Error(ErrorKind::kInvalid, "is missing")
                     .Advise("give the node's name, or set NODE_NAME"));
    } else if (auto fine = CheckDnsSubdomain(word); !fine) {
      Fail(flag, fine.error());
    }
    return NodeName(word);
  }
  Duration Time(const char* flag, const std::string& word, Duration least) {
    constexpr Duration kMost = hours(24);
    const auto time = ParseDuration(word);
    if (!time) {
      Fail(flag, time.error());
      return least;
    }
    if (*time < least || *time > kMost) {
      Fail(flag, Error(ErrorKind::kInvalid, "must be from " + PrintDuration(least) + " to " +
                                                PrintDuration(kMost) + ", got " + word));
    }
    return *time;
  }
  std::filesystem::path Path(const char* flag, const std::string& word) {
    if (word.empty()) Fail(flag, Error(ErrorKind::kInvalid, "is empty"));
    return word;
  }
  template <class Parse>
  auto Word(const char* flag, const std::string& word, Parse parse, const std::string& allowed) {
    const auto value = parse(word);
    if (!value) {
      Fail(flag, Error(ErrorKind::kInvalid, "\"" + word + "\" is none").Advise("write " + allowed));
    }
    return value.value_or(typename decltype(value)::value_type{});
  }
  config::Listen Listen(const char* flag, const std::string& word) {
    auto listen = config::ParseListen(word);
    if (listen) return *std::move(listen);
    Fail(flag, listen.error());
    return {};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  void Fail(const char* flag, const Error& error) {
    if (!error_) error_ = Error(error).Within(flag);
  }

  std::optional<Error> error_;
};

ProgramOptions CheckProgram(const Words& words, Reader& read) {
  ProgramOptions options;
  options.cluster = {.kubeconfig = words.kubeconfig, .context = words.context};
  options.instance = words.instance;
  options.status = read.Listen("--listen", words.listen);
  options.read_every = read.Time("--read-interval", words.read_every, milliseconds(100));
  options.times.use_delay = read.Time("--use-delay", words.use_delay, Duration(0));
  options.times.confirm_every = read.Time("--confirm-interval", words.confirm_every, seconds(1));
  options.health.quiet = read.Time("--quiet-period", words.quiet, Duration(0));
  options.log_level = read.Word("--log-level", words.log_level, runtime::ParseLogLevel,
                                "debug, info, warning or error");
  options.log_format =
      read.Word("--log-format", words.log_format, config::ParseLogFormat, "text or json");
  return options;
}

Result<NodeOptions> Check(const Words& words) {
  Reader read;
  NodeOptions options;
  options.node = read.Node("--node", words.node);
  options.program = CheckProgram(words, read);
  options.devices.machine_file = words.machine_file;
  options.devices.nvml_library = read.Path("--nvml-library", words.nvml_library);
  options.devices.sysfs = read.Path("--sysfs", words.sysfs);
  options.devices.procfs = read.Path("--procfs", words.procfs);
  options.devices.patience = read.Time("--driver-patience", words.driver_patience, seconds(1));
  if (words.pod_resources != "off") {
    options.pod_resources = read.Path("--pod-resources", words.pod_resources);
  }
  if (read.error()) return *read.error();
  return options;
}

Result<std::variant<ShowText, NodeOptions>> Parse(const std::vector<std::string>& args,
                                                  std::string_view version) {
  CLI::App app("Reports the GPUs of its node: which there are, how they are, and who uses them.",
               "gpu-scheduler-agent");
  app.set_version_flag("--version", "gpu-scheduler-agent " + std::string(version));
  app.footer(kFooter);
  Words words;
  AddOptions(app, words);
  auto shown = config::ReadCommandLine(app, args, "gpu-scheduler-agent --help");
  if (!shown) return std::move(shown).error();
  if (*shown) return std::variant<ShowText, NodeOptions>(**std::move(shown));
  auto options = Check(words);
  if (!options) return std::move(options).error();
  return std::variant<ShowText, NodeOptions>(*std::move(options));
}

}  // namespace

Result<std::variant<ShowText, NodeOptions>> ParseCommandLine(const std::vector<std::string>& args,
                                                             std::string_view version) {
  return config::WithoutExceptions([&] { return Parse(args, version); });
}

}  // namespace gs::agent
