#include "programs/scheduler/options.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

#include "base/dns_name.h"
#include "base/parse.h"

namespace gs::scheduler {
namespace {

constexpr const char* kFooter = R"(Durations are written like 500ms, 15s or 2m.

Examples:
  gpu-scheduler --kubeconfig ~/.kube/config --lock-namespace gpu-scheduler-system
  gpu-scheduler --log-format json

Exit codes: 0 after SIGTERM or SIGINT, 1 when leadership was lost or the API server cannot be used,
2 when the arguments are wrong.)";

// The command line as it was written.
struct Words {
  std::string kubeconfig;
  std::string context;
  std::string name = "gpu-scheduler";
  std::string lock_namespace;
  std::string pod_uid;
  std::string pod_name;
  std::string lease = "15s";
  std::string renew_deadline = "10s";
  std::string retry = "2s";
  std::string listen = "0.0.0.0:8080";
  std::string share_cap = "4";
  std::string release_timeout = "2m";
  std::string max_requests = "128";
  std::string log_level = "info";
  std::string log_format = "text";
};

void AddOptions(CLI::App& app, Words& words) {
  const auto add = [&app](const char* flag, std::string& word, const char* kind,
                          const std::string& text) {
    const std::string shown = word.empty() ? text : text + " (default " + word + ")";
    app.add_option(flag, word, shown)->type_name(kind);
  };
  add("--kubeconfig", words.kubeconfig, "FILE",
      "How to reach the cluster (default: the pod's service account, else KUBECONFIG, else "
      "~/.kube/config)");
  add("--context", words.context, "NAME", "Context of the kubeconfig (default: the current one)");
  add("--scheduler-name", words.name, "NAME", "Pods with this spec.schedulerName are ours");
  add("--lock-namespace", words.lock_namespace, "NAME",
      "Where the Leases of GPUs are kept: the same for all releases of a cluster (default: the "
      "namespace of the connection)");
  app.add_option("--pod-uid", words.pod_uid, "UID of the pod this runs in (default: made up)")
      ->type_name("UID")
      ->envname("POD_UID");
  app.add_option("--pod-name", words.pod_name, "Name of the pod this runs in, for people")
      ->type_name("NAME")
      ->envname("POD_NAME");
  add("--lease-duration", words.lease, "TIME", "How long others wait for a silent leader");
  add("--renew-deadline", words.renew_deadline, "TIME", "How long a leader leads without renewing");
  add("--retry-period", words.retry, "TIME", "Between renewals");
  add("--listen", words.listen, "ADDRESS:PORT", "/health and /ready");
  add("--shared-pods-per-gpu", words.share_cap, "N", "Pods per shared GPU");
  add("--release-timeout", words.release_timeout, "TIME",
      "How long GPUs of a force-deleted pod wait for the agent's word");
  add("--max-requests", words.max_requests, "N", "Requests to the API server at a time");
  add("--log-level", words.log_level, "LEVEL", "debug, info, warning or error");
  add("--log-format", words.log_format, "FORMAT", "text or json");
}

// Collects the first thing that is wrong, with the flag it was written behind.
class Reader {
 public:
  Duration Time(const char* flag, const std::string& word) {
    return Take<Duration>(flag, ParseDuration(word));
  }
  std::int32_t Number(const char* flag, const std::string& word, std::int32_t least) {
    return Take<std::int32_t>(flag, ParseInt32(word, {least, kInt32Range.max}));
  }
  std::string Name(const char* flag, const std::string& word) {
    if (word.empty()) return word;
    if (auto fine = CheckDnsSubdomain(word); !fine) Fail(flag, std::move(fine).error());
    return word;
  }
  Listen Address(const char* flag, const std::string& word) {
    const auto colon = word.rfind(':');
    const std::string port = colon == std::string::npos ? "" : word.substr(colon + 1);
    const auto number = ParseInt32(port, {1, 65535});
    if (!number || colon == 0) {
      Fail(flag, Error(ErrorKind::kInvalid, "\"" + word + "\" is no address with a port")
                     .Advise("write it like 0.0.0.0:8080"));
      return {};
    }
    return {word.substr(0, colon), static_cast<std::uint16_t>(*number)};
  }
  void Fail(const char* flag, Error error) {
    if (!error_) error_ = std::move(error).Within(flag);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class Value>
  Value Take(const char* flag, Result<Value> result) {
    if (result) return *result;
    Fail(flag, std::move(result).error());
    return Value{};
  }

  std::optional<Error> error_;
};

Result<SchedulerOptions> Read(const Words& words) {
  Reader read;
  SchedulerOptions options;
  options.cluster = {.kubeconfig = words.kubeconfig, .context = words.context};
  options.name = SchedulerName(read.Name("--scheduler-name", words.name));
  if (words.name.empty()) read.Fail("--scheduler-name", Error(ErrorKind::kInvalid, "is empty"));
  options.lock_namespace = Namespace(read.Name("--lock-namespace", words.lock_namespace));
  options.pod_uid = words.pod_uid;
  options.pod_name = PodName(words.pod_name);
  options.election = {.lease = read.Time("--lease-duration", words.lease),
                      .renew_deadline = read.Time("--renew-deadline", words.renew_deadline),
                      .retry = read.Time("--retry-period", words.retry)};
  options.status = read.Address("--listen", words.listen);
  options.share_cap = read.Number("--shared-pods-per-gpu", words.share_cap, 1);
  options.release_timeout = read.Time("--release-timeout", words.release_timeout);
  options.max_requests =
      static_cast<std::size_t>(read.Number("--max-requests", words.max_requests, 1));
  if (const auto level = runtime::ParseLogLevel(words.log_level)) {
    options.log_level = *level;
  } else {
    read.Fail("--log-level", Error(ErrorKind::kInvalid, "\"" + words.log_level + "\" is none")
                                 .Advise("debug, info, warning or error"));
  }
  if (words.log_format == "json") {
    options.log_format = runtime::LogFormat::kJson;
  } else if (words.log_format != "text") {
    read.Fail(
        "--log-format",
        Error(ErrorKind::kInvalid, "\"" + words.log_format + "\" is none").Advise("text or json"));
  }
  if (read.error()) return *read.error();
  if (auto fine = kube::CheckElectionOptions(options.election); !fine) {
    return std::move(fine).error();
  }
  return options;
}

Result<std::variant<ShowText, SchedulerOptions>> Parse(const std::vector<std::string>& args,
                                                       std::string_view version) {
  CLI::App app("Gives pods nodes and exactly chosen GPUs, and never one GPU to two pods.",
               "gpu-scheduler");
  app.set_version_flag("--version", "gpu-scheduler " + std::string(version));
  app.footer(kFooter);
  Words words;
  AddOptions(app, words);
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));  // last one first
  } catch (const CLI::CallForHelp&) {
    return std::variant<ShowText, SchedulerOptions>(ShowText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return std::variant<ShowText, SchedulerOptions>(ShowText{app.version() + "\n"});
  } catch (const CLI::ParseError& failure) {
    return Error(ErrorKind::kInvalid, failure.what()).Advise("see gpu-scheduler --help");
  }
  auto options = Read(words);
  if (!options) return std::move(options).error();
  return std::variant<ShowText, SchedulerOptions>(*std::move(options));
}

}  // namespace

Result<std::variant<ShowText, SchedulerOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version) {
  try {
    return Parse(args, version);
  } catch (const std::exception& failure) {
    return Error(ErrorKind::kInternal,
                 std::string("reading the command line failed: ") + failure.what());
  }
}

}  // namespace gs::scheduler
