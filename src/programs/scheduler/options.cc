#include "programs/scheduler/options.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "base/dns_name.h"
#include "base/parse.h"
#include "base/time.h"
#include "programs/scheduler/config_file.h"

namespace gs::scheduler {
namespace {

constexpr const char* kFooter =
    R"(A flag wins over the file. Durations are written like 500ms, 15s or 2m.

Examples:
  gpu-scheduler --kubeconfig ~/.kube/config --namespace gpu-scheduler-system
  gpu-scheduler --config scheduler.yaml --log-format json
  gpu-scheduler --config scheduler.yaml --check-config
  gpu-scheduler replay scheduler.rec --explain ml/train-0

Exit codes: 0 after SIGTERM or SIGINT, 1 when leadership was lost or the API server cannot be used,
2 when the arguments are wrong.)";

constexpr const char* kReplayFooter =
    R"(Exit codes: 0 identical, 1 different, 2 the arguments or the file are wrong.)";

// Checks values, and collects the first thing that is wrong.
class Reader {
 public:
  explicit Reader(const WrittenSettings& written) : written_(written) {}

  [[nodiscard]] const std::string& Text(std::string_view path) const {
    return written_.at(path).text;
  }
  Duration Time(std::string_view path) { return Take<Duration>(path, ParseDuration(Text(path))); }
  // At least zero.
  Duration Wait(std::string_view path) {
    const Duration time = Time(path);
    if (time < Duration(0)) Fail(path, Error(ErrorKind::kInvalid, "must not be less than 0"));
    return time;
  }
  std::int32_t Count(std::string_view path) {
    return Take<std::int32_t>(path, ParseInt32(Text(path), {1, kInt32Range.max}));
  }
  std::int32_t CountOrNone(std::string_view path) {
    return Take<std::int32_t>(path, ParseInt32(Text(path), {0, kInt32Range.max}));
  }
  // Empty is fine: it means that nothing was said.
  std::string Name(std::string_view path) {
    const std::string& word = Text(path);
    if (word.empty()) return word;
    if (auto fine = CheckDnsSubdomain(word); !fine) Fail(path, fine.error());
    return word;
  }
  std::string RequiredName(std::string_view path) {
    if (Text(path).empty()) Fail(path, Error(ErrorKind::kInvalid, "is empty"));
    return Name(path);
  }
  Listen Address(std::string_view path) {
    auto listen = config::ParseListen(Text(path));
    if (listen) return *std::move(listen);
    Fail(path, listen.error());
    return {};
  }
  template <class Parse>
  auto Word(std::string_view path, Parse parse, std::string_view allowed) {
    const auto value = parse(Text(path));
    if (!value) {
      Fail(path, Error(ErrorKind::kInvalid, "\"" + Text(path) + "\" is none")
                     .Advise("write " + std::string(allowed)));
    }
    return value.value_or(typename decltype(value)::value_type{});
  }

  void Fail(std::string_view path, const Error& error) {
    if (!error_) error_ = Refuse(written_.at(path), error);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class Value>
  Value Take(std::string_view path, Result<Value> result) {
    if (result) return *result;
    Fail(path, result.error());
    return Value{};
  }

  const WrittenSettings& written_;
  std::optional<Error> error_;
};

// Of times that do not fit together, the refusal points to one that somebody has written.
std::string_view WrittenTime(const WrittenSettings& written) {
  for (const std::string_view path :
       {"election.renewDeadline", "election.leaseDuration", "election.retryPeriod"}) {
    if (!written.at(path).is_default) return path;
  }
  return "election.renewDeadline";
}

kube::FenceOptions ReadElection(const WrittenSettings& written, Reader& read) {
  const kube::FenceOptions election{.lease = read.Time("election.leaseDuration"),
                                    .renew_deadline = read.Time("election.renewDeadline"),
                                    .retry = read.Time("election.retryPeriod")};
  if (auto fine = kube::CheckFenceOptions(election); !fine) {
    read.Fail(WrittenTime(written), fine.error());
  }
  return election;
}

std::optional<UnseenPods> ParseUnseenPods(std::string_view word) {
  if (word == "off") return UnseenPods::kPlace;
  if (word == "wait") return UnseenPods::kWait;
  if (word == "recreate") return UnseenPods::kRecreate;
  return std::nullopt;
}

std::optional<http::Url> ReadWebhook(UnseenPods unseen, Reader& read) {
  const std::string& text = read.Text("webhook.url");
  if (text.empty()) {
    if (unseen == UnseenPods::kRecreate) {
      read.Fail("webhook.pods", Error(ErrorKind::kInvalid, "recreate needs to ask the webhook")
                                    .Advise("give webhook.url, or write wait"));
    }
    return std::nullopt;
  }
  auto url = http::ParseUrl(text);
  if (url) return *std::move(url);
  read.Fail("webhook.url", url.error());
  return std::nullopt;
}

struct CommandLine {
  std::string config;
  bool is_check = false;
  ReplayArguments replay;
  std::string until;
  std::map<std::string_view, std::string> words;  // by path; CLI11 writes here while it parses
};

void AddOptions(CLI::App& app, CommandLine& line) {
  app.add_option("--config", line.config, "Configuration file, see docs/gpu-scheduler.md")
      ->type_name("FILE");
  app.add_flag("--check-config", line.is_check,
               "Check flags and file, print what they amount to as a file, and end");
  for (const Setting& setting : AllSettings()) {
    std::string help(setting.help);
    if (!setting.fallback.empty()) help += " (default " + std::string(setting.fallback) + ")";
    auto* option = app.add_option(std::string(setting.flag), line.words[setting.path], help)
                       ->type_name(std::string(setting.type));
    if (setting.variable != nullptr) option->envname(setting.variable);
  }
}

CLI::App& AddReplay(CLI::App& app, CommandLine& line) {
  CLI::App& replay =
      *app.add_subcommand("replay", "Run a recording again, and say whether it decides the same");
  replay.footer(kReplayFooter);
  replay.add_option("FILE", line.replay.file, "What --record has written")->required();
  replay.add_option("--until", line.until, "Run nothing later, such as 2026-05-04T10:00:00Z")
      ->type_name("TIME");
  replay.add_option("--explain", line.replay.explain, "Show how a pod stands at the end")
      ->type_name("NAMESPACE/POD");
  return replay;
}

Result<CommandToRun> ReadReplay(const CommandLine& line) {
  ReplayArguments replay = line.replay;
  if (!line.until.empty()) {
    auto until = ParseTime(line.until);
    if (!until) return std::move(until).error().Within("--until");
    replay.until = *until;
  }
  return CommandToRun(std::move(replay));
}

Result<WrittenSettings> Gather(const CLI::App& app, const CommandLine& line) {
  WrittenSettings written = DefaultSettings();
  if (!line.config.empty()) {
    if (auto done = ReadConfigFile(line.config, written); !done) return std::move(done).error();
  }
  for (auto& [path, value] : written) {
    if (app.get_option(std::string(value.setting->flag))->count() == 0) continue;
    value = {.setting = value.setting,
             .text = line.words.at(path),
             .is_default = false,
             .file = {},
             .place = {}};
  }
  return written;
}

Result<CommandToRun> Parse(const std::vector<std::string>& args, std::string_view version) {
  CLI::App app("Gives pods nodes and exactly chosen GPUs, and never one GPU to two pods.",
               "gpu-scheduler");
  app.set_version_flag("--version", "gpu-scheduler " + std::string(version));
  app.footer(kFooter);
  CommandLine line;
  AddOptions(app, line);
  CLI::App& replay = AddReplay(app, line);
  auto shown = config::ReadCommandLine(app, args, "gpu-scheduler --help");
  if (!shown) return std::move(shown).error();
  if (*shown) return CommandToRun(**std::move(shown));
  if (replay.parsed()) return ReadReplay(line);
  const auto written = Gather(app, line);
  if (!written) return written.error();
  auto options = CheckSettings(*written);
  if (!options) return std::move(options).error();
  if (line.is_check) return CommandToRun(ShowText{PrintConfig(*written)});
  return CommandToRun(*std::move(options));
}

}  // namespace

Result<SchedulerOptions> CheckSettings(const WrittenSettings& written) {
  Reader read(written);
  SchedulerOptions options;
  options.cluster = {.kubeconfig = read.Text("cluster.kubeconfig"),
                     .context = read.Text("cluster.context")};
  options.max_requests = static_cast<std::size_t>(read.Count("cluster.maxRequests"));
  options.name = SchedulerName(read.RequiredName("scheduler.name"));
  options.share_cap = read.Count("scheduler.sharedPodsPerGpu");
  options.release_timeout = read.Wait("scheduler.releaseTimeout");
  options.reserve_after = read.Wait("scheduler.reserveAfter");
  options.unseen_pods = read.Word("webhook.pods", ParseUnseenPods, "off, wait or recreate");
  options.webhook = ReadWebhook(options.unseen_pods, read);
  options.ns = Namespace(read.Name("scheduler.namespace"));
  options.fence = Namespace(read.RequiredName("fence.namespace"));
  options.role = read.Name("fence.clusterRole");
  options.election = ReadElection(written, read);
  options.status = read.Address("status.listen");
  if (read.Text("api.listen") != "off") options.api = read.Address("api.listen");
  options.record_file = read.Text("record.file");
  options.record_max_bytes = std::int64_t{read.Count("record.maxMib")} << 20;
  options.record_keep = read.CountOrNone("record.keep");
  options.pod_name = PodName(read.Name("pod.name"));
  options.pod_uid = read.Text("pod.uid");
  options.log_level =
      read.Word("log.level", runtime::ParseLogLevel, "debug, info, warning or error");
  options.log_format = read.Word("log.format", config::ParseLogFormat, "text or json");
  if (read.error()) return *read.error();
  return options;
}

Result<CommandToRun> ParseCommandLine(const std::vector<std::string>& args,
                                      std::string_view version) {
  return config::WithoutExceptions([&] { return Parse(args, version); });
}

}  // namespace gs::scheduler
