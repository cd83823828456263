#include "programs/webhook/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <utility>

#include "adapters/certificates/inspect.h"
#include "adapters/config/flag_reader.h"
#include "adapters/kube/login/base64.h"
#include "base/dns_name.h"
#include "base/text.h"

namespace gs::webhook {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kFooter = R"(Durations are written like 30s, 12h or 2160h.

--certificates
  auto          the Secret of --secret; else SERVICE-cert or SERVICE-tls if somebody has filled it;
                else as self
  self          makes certificates, keeps them in the Secret SERVICE-self, renews them when half of
                their life is over
  secret        the Secret of --secret (default SERVICE-cert)
  cert-manager  the Secret of --secret (default SERVICE-tls), filled by cert-manager
  folder        tls.crt and tls.key in --certificate-folder; the cluster is not asked

Examples:
  gpu-scheduler-webhook --namespace gpu-scheduler-system --configuration gpu-scheduler-webhook
  gpu-scheduler-webhook --certificates folder --certificate-folder /certs --listen 127.0.0.1:8443

Exit codes: 0 after SIGTERM or SIGINT, 1 when it cannot serve, 2 when the arguments are wrong.)";

constexpr std::array kModes{
    std::pair{CertificateMode::kAuto, std::string_view("auto")},
    std::pair{CertificateMode::kSelf, std::string_view("self")},
    std::pair{CertificateMode::kSecret, std::string_view("secret")},
    std::pair{CertificateMode::kCertManager, std::string_view("cert-manager")},
    std::pair{CertificateMode::kFolder, std::string_view("folder")},
};

constexpr std::array kHandovers{
    std::pair{admit::Handover::kEnv, std::string_view("env")},
    std::pair{admit::Handover::kUuid, std::string_view("uuid")},
};

// What was written; the defaults are here.
struct Words {
  std::string kubeconfig;
  std::string context;
  std::string scheduler = "gpu-scheduler";
  std::string handover = "env";
  std::string taint = "nvidia.com/gpu";
  std::string listen = "0.0.0.0:8443";
  std::string mode = "auto";
  std::string service = "gpu-scheduler-webhook";
  std::string ns;
  std::string secret;
  std::string folder;
  std::string configuration;
  std::string ca_bundle;
  std::string lifetime = "2160h";
  std::string check_period = "10s";
  std::string drain_time = "5s";
  std::string log_level = "info";
  std::string log_format = "text";
};

void AddOptions(CLI::App& app, Words& words) {
  const auto add = [&](const char* flag, std::string& word, const std::string& type,
                       std::string help) {
    if (!word.empty()) help += " (default " + word + ")";
    app.add_option(flag, word, help)->type_name(type);
  };
  add("--kubeconfig", words.kubeconfig, "FILE",
      "How to reach the cluster (default: the pod's service account, else KUBECONFIG, else "
      "~/.kube/config)");
  add("--context", words.context, "NAME", "Context of the kubeconfig (default: the current one)");
  add("--scheduler-name", words.scheduler, "NAME", "Pods with this spec.schedulerName are ours");
  add("--handover", words.handover, "HOW",
      "How containers learn their GPUs: env (ids in CUDA_VISIBLE_DEVICES) or uuid (UUIDs in "
      "NVIDIA_VISIBLE_DEVICES)");
  add("--gpu-taint", words.taint, "KEY",
      "GPU pods get a toleration for the taint with this key; \"\": none");
  add("--listen", words.listen, "ADDRESS:PORT", "/mutate, /health, /ready and /metrics, by TLS");
  add("--certificates", words.mode, "MODE", "Where the certificate comes from, see below");
  add("--service", words.service, "NAME", "Service that API servers call; names the Secrets too");
  add("--namespace", words.ns, "NAME",
      "Of the Service and the Secrets (default: the namespace of the connection)");
  add("--secret", words.secret, "NAME", "Secret with tls.crt, tls.key and ca.crt");
  add("--certificate-folder", words.folder, "FOLDER", "With --certificates folder");
  add("--configuration", words.configuration, "NAME",
      "MutatingWebhookConfiguration whose caBundle is kept right (default: none)");
  add("--ca-bundle", words.ca_bundle, "BASE64",
      "Certificates, as PEM, that are in that caBundle besides those of the Secret");
  add("--certificate-lifetime", words.lifetime, "TIME", "Of certificates that are made here");
  add("--check-period", words.check_period, "TIME",
      "How often certificates are looked at; more often where they are short-lived");
  add("--drain-time", words.drain_time, "TIME",
      "Goes on serving for so long after SIGTERM, until API servers have noticed");
  add("--log-level", words.log_level, "LEVEL", "debug, info, warning or error");
  add("--log-format", words.log_format, "FORMAT", "text or json");
}

// Empty is fine: it means that nothing was said.
std::string ReadName(const char* flag, const std::string& word, config::FlagReader& read) {
  if (word.empty()) return word;
  if (auto fine = CheckDnsSubdomain(word); !fine) read.Fail(flag, fine.error());
  return word;
}

std::string ReadRequiredName(const char* flag, const std::string& word, config::FlagReader& read) {
  if (word.empty()) read.Fail(flag, Error(ErrorKind::kInvalid, "is empty"));
  return ReadName(flag, word, read);
}

std::string ReadBundle(const std::string& word, config::FlagReader& read) {
  auto pem = kube::DecodeBase64(word);
  if (!pem) {
    read.Fail("--ca-bundle", pem.error());
    return "";
  }
  if (!word.empty() && certificates::SplitBundle(*pem).empty()) {
    read.Fail("--ca-bundle", Error(ErrorKind::kInvalid, "has no certificate in it")
                                 .Advise("give the base64 of PEM text: base64 < ca.crt"));
  }
  return *std::move(pem);
}

CertificateOptions ReadCertificates(const Words& words, config::FlagReader& read) {
  CertificateOptions options;
  options.mode = read.Word(
      "--certificates", words.mode, [](const auto& word) { return text::ValueOf(kModes, word); },
      text::NamesOf(kModes));
  options.service = ReadRequiredName("--service", words.service, read);
  options.ns = Namespace(ReadName("--namespace", words.ns, read));
  options.secret = ReadName("--secret", words.secret, read);
  options.folder = words.folder;
  options.configuration = ReadName("--configuration", words.configuration, read);
  options.authorities_pem = ReadBundle(words.ca_bundle, read);
  options.lifetime =
      read.Time("--certificate-lifetime", words.lifetime, seconds(30), hours(24 * 3650));
  options.check_period = read.Time("--check-period", words.check_period, seconds(1), hours(1));
  const bool is_folder = options.mode == CertificateMode::kFolder;
  if (is_folder == options.folder.empty()) {
    read.Fail("--certificate-folder",
              Error(ErrorKind::kInvalid, "goes with --certificates folder, and only with it"));
  }
  if (is_folder && !options.configuration.empty()) {
    read.Fail("--configuration",
              Error(ErrorKind::kInvalid, "with --certificates folder the cluster is not asked"));
  }
  return options;
}

Result<WebhookOptions> Check(const Words& words) {
  config::FlagReader read;
  WebhookOptions options;
  options.cluster = {.kubeconfig = words.kubeconfig, .context = words.context};
  options.policy.scheduler =
      SchedulerName(ReadRequiredName("--scheduler-name", words.scheduler, read));
  options.policy.handover = read.Word(
      "--handover", words.handover,
      [](const auto& word) { return text::ValueOf(kHandovers, word); }, text::NamesOf(kHandovers));
  options.policy.taint = words.taint;
  options.listen = read.Address("--listen", words.listen);
  options.certificates = ReadCertificates(words, read);
  options.drain_time = read.Time("--drain-time", words.drain_time, seconds(0), hours(1));
  options.log_level = read.Word("--log-level", words.log_level, runtime::ParseLogLevel,
                                "debug, info, warning or error");
  options.log_format =
      read.Word("--log-format", words.log_format, config::ParseLogFormat, "text or json");
  if (read.error()) return *read.error();
  return options;
}

}  // namespace

Result<std::variant<ShowText, WebhookOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version) {
  return config::ReadOptions(
      {.name = "gpu-scheduler-webhook",
       .purpose = "Makes the GPUs that gpu-scheduler chooses reach the containers of new pods.",
       .footer = kFooter,
       .version = version},
      args, AddOptions, Check);
}

}  // namespace gs::webhook
