#include "adapters/kube/login/exec_credential.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/kube/login/base64.h"
#include "adapters/kube/objects/json_view.h"
#include "base/text.h"

namespace gs::kube {
namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";
// People log in through a browser meanwhile, so it may take long; for ever it may not.
constexpr Duration kTimeout = std::chrono::minutes(1);

boost::json::object ClusterObject(const ExecPlugin& plugin, const ExecCluster& cluster) {
  boost::json::object object{{"server", cluster.server}};
  if (!cluster.tls_server_name.empty()) object["tls-server-name"] = cluster.tls_server_name;
  if (!cluster.is_server_verified) object["insecure-skip-tls-verify"] = true;
  if (!cluster.ca_pem.empty()) {
    object["certificate-authority-data"] = EncodeBase64(cluster.ca_pem);
  }
  if (plugin.cluster_config_json.empty()) return object;
  // It was printed from a JSON value, so it can be read again.
  if (auto config = json::ParseJson(plugin.cluster_config_json)) {
    object["config"] = *std::move(config);
  }
  return object;
}

std::optional<TimePoint> ReadExpiry(const JsonView& time) {
  if (!time.is_present()) return std::nullopt;
  const auto point = ParseTime(time.Text());
  if (point) return *point;
  time.Fail(ToString(point.error()));
  return std::nullopt;
}

ExecAnswer ReadAnswer(const JsonView& root, std::string_view api_version) {
  ExecAnswer answer;
  const std::string kind = root.Field("kind").Text();
  if (kind != "ExecCredential") {
    root.Field("kind").Fail("expected ExecCredential, got " + json::Quoted(kind));
  }
  const std::string version = root.Field("apiVersion").Text();
  if (version != api_version) {
    root.Field("apiVersion")
        .Fail("expected " + std::string(api_version) + ", got " + json::Quoted(version),
              "make the plugin and the kubeconfig's exec.apiVersion agree");
  }
  const JsonView status = root.Field("status");
  answer.token = status.Field("token").Text();
  answer.client_certificate_pem = status.Field("clientCertificateData").Text();
  answer.client_key_pem = status.Field("clientKeyData").Text();
  answer.expires = ReadExpiry(status.Field("expirationTimestamp"));
  const bool has_certificate = !answer.client_certificate_pem.empty();
  if (has_certificate == answer.client_key_pem.empty()) {
    status.Fail("clientCertificateData and clientKeyData go together, one is missing");
  }
  if (answer.token.empty() && !has_certificate)
    status.Fail("has neither a token nor a certificate");
  return answer;
}

Error About(Error error, const ExecPlugin& plugin) {
  return std::move(error).Within("exec plugin " + json::Quoted(plugin.command));
}

// The last lines of what it complained about: the cause is there.
std::string LastWords(std::string_view stderr_text) {
  constexpr std::size_t kShown = 400;
  const std::string_view trimmed = text::Trim(stderr_text);
  return std::string(trimmed.substr(trimmed.size() - std::min(trimmed.size(), kShown)));
}

Error Failed(const ExecPlugin& plugin, const ProcessEnd& end) {
  std::string message = "ended with code " + std::to_string(end.exit_code);
  if (const std::string words = LastWords(end.stderr_text); !words.empty()) message += ": " + words;
  return Error(ErrorKind::kUnavailable, std::move(message))
      .Advise(plugin.install_hint.empty() ? "run it by hand to see what it lacks"
                                          : plugin.install_hint);
}

}  // namespace

Result<void> CheckExecPlugin(const ExecPlugin& plugin) {
  if (plugin.api_version != kV1 && plugin.api_version != kV1Beta1) {
    return Error(ErrorKind::kUnsupported,
                 "apiVersion " + json::Quoted(plugin.api_version) + " is not offered")
        .Advise("use " + std::string(kV1) + " or " + std::string(kV1Beta1));
  }
  if (plugin.interactive_mode == InteractiveMode::kAlways) {
    return Error(ErrorKind::kUnsupported, "it needs a terminal (interactiveMode Always)")
        .Advise("log in beforehand and use interactiveMode IfAvailable, or another kind of user");
  }
  return {};
}

std::string ExecQuestion(const ExecPlugin& plugin, const ExecCluster& cluster) {
  boost::json::object spec{{"interactive", false}};
  if (plugin.provides_cluster_info) spec["cluster"] = ClusterObject(plugin, cluster);
  return boost::json::serialize(boost::json::object{
      {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<ExecAnswer> ParseExecAnswer(std::string_view text, std::string_view api_version) {
  const auto document = JsonDocument::Parse(text);
  if (!document) return Error(document.error()).Within("its answer");
  ExecAnswer answer = ReadAnswer(document->root(), api_version);
  if (auto done = document->Finish(); !done) return std::move(done).error().Within("its answer");
  return answer;
}

Result<ExecAnswer> AskExecPlugin(const ExecPlugin& plugin, const ExecCluster& cluster,
                                 const ProcessRunner& run) {
  if (auto fine = CheckExecPlugin(plugin); !fine) return About(std::move(fine).error(), plugin);
  ProcessCall call{
      .command = plugin.command, .args = plugin.args, .env = plugin.env, .timeout = kTimeout};
  call.env.emplace_back("KUBERNETES_EXEC_INFO", ExecQuestion(plugin, cluster));
  auto end = run(call);
  if (!end) {
    Error error = std::move(end).error();
    const bool has_advice = !error.advice().empty() || plugin.install_hint.empty();
    return About(has_advice ? std::move(error) : std::move(error).Advise(plugin.install_hint),
                 plugin);
  }
  if (end->exit_code != 0) return About(Failed(plugin, *end), plugin);
  auto answer = ParseExecAnswer(end->stdout_text, plugin.api_version);
  if (!answer) return About(std::move(answer).error(), plugin);
  return answer;
}

}  // namespace gs::kube
