#include "adapters/kube/login/kubeconfig_entries.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/kube/login/base64.h"
#include "base/text.h"

namespace gs::kube {
namespace {

namespace fs = std::filesystem;

// Where a cluster's entry keeps what its exec plugins want to know.
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

constexpr std::array kInteractiveModes{
    std::pair{InteractiveMode::kNever, std::string_view("Never")},
    std::pair{InteractiveMode::kIfAvailable, std::string_view("IfAvailable")},
    std::pair{InteractiveMode::kAlways, std::string_view("Always")},
};

fs::path ResolvedAgainst(const fs::path& folder, const std::string& written) {
  if (written.empty()) return {};
  return (folder / written).lexically_normal();
}

// `certificate-authority-data` or `certificate-authority`, and their like.
PemOrigin ReadPem(json::ObjectReader& reader, const std::string& field, const fs::path& folder) {
  PemOrigin origin;
  origin.path = ResolvedAgainst(folder, reader.Text(field));
  auto pem = DecodeBase64(reader.Text(field + "-data"));
  if (pem) {
    origin.pem = *std::move(pem);
  } else {
    reader.Fail(field + "-data", pem.error().message(), pem.error().advice());
  }
  return origin;
}

std::string ReadExecExtension(json::ObjectReader& reader) {
  std::string config;
  for (const auto& item : reader.Array("extensions")) {
    const auto* extension = item.if_object();
    if (extension == nullptr) continue;
    const auto* name = extension->if_contains("name");
    const auto* content = extension->if_contains("extension");
    if (name == nullptr || content == nullptr || !name->is_string()) continue;
    if (name->get_string() == kExecExtension) config = boost::json::serialize(*content);
  }
  return config;
}

std::vector<std::pair<std::string, std::string>> ReadEnvironment(json::ObjectReader& reader) {
  std::vector<std::pair<std::string, std::string>> env;
  const auto& list = reader.Array("env");
  for (std::size_t i = 0; i < list.size(); ++i) {
    json::ObjectReader variable(list[i], "");
    std::string name = variable.RequiredText("name");
    std::string value = variable.Text("value");
    if (auto done = FinishTolerant(variable, list[i]); !done) {
      reader.Fail("env[" + std::to_string(i) + "]", ToString(done.error()));
    }
    env.emplace_back(std::move(name), std::move(value));
  }
  return env;
}

// A command with a '/' is a file beside the kubeconfig; one without is looked up in PATH.
std::string ReadCommand(json::ObjectReader& reader, const fs::path& folder) {
  std::string command = reader.RequiredText("command");
  if (command.find('/') == std::string::npos) return command;
  return ResolvedAgainst(folder, command).string();
}

Result<ExecPlugin> ReadExec(const boost::json::value& value, const fs::path& folder) {
  json::ObjectReader reader(value, "exec");
  ExecPlugin plugin;
  plugin.api_version = reader.RequiredText("apiVersion");
  plugin.command = ReadCommand(reader, folder);
  plugin.args = reader.Texts("args");
  plugin.env = ReadEnvironment(reader);
  plugin.install_hint = reader.Text("installHint");
  plugin.provides_cluster_info = reader.Bool("provideClusterInfo", false);
  plugin.interactive_mode = reader.Word(
      "interactiveMode",
      [](std::string_view word) { return text::ValueOf(kInteractiveModes, word); },
      text::NamesOf(kInteractiveModes), InteractiveMode::kIfAvailable);
  if (auto done = FinishTolerant(reader, value); !done) return std::move(done).error();
  return plugin;
}

bool HasAny(json::ObjectReader& reader, std::initializer_list<std::string_view> fields) {
  bool has_any = false;
  for (const auto field : fields) has_any = reader.Raw(field) != nullptr || has_any;
  return has_any;
}

}  // namespace

Result<void> FinishTolerant(json::ObjectReader& reader, const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) reader.Skip({member.key().data(), member.key().size()});
  }
  return reader.Finish();
}

Result<KubeconfigCluster> ReadCluster(const boost::json::value& value, const fs::path& folder) {
  json::ObjectReader reader(value, "");
  KubeconfigCluster cluster;
  cluster.server = reader.Text("server");
  cluster.ca = ReadPem(reader, "certificate-authority", folder);
  cluster.skips_verification = reader.Bool("insecure-skip-tls-verify", false);
  cluster.tls_server_name = reader.Text("tls-server-name");
  cluster.proxy_url = reader.Text("proxy-url");
  cluster.exec_config_json = ReadExecExtension(reader);
  if (auto done = FinishTolerant(reader, value); !done) return std::move(done).error();
  return cluster;
}

Result<KubeconfigUser> ReadUser(const boost::json::value& value, const fs::path& folder) {
  json::ObjectReader reader(value, "");
  KubeconfigUser user;
  user.client_certificate = ReadPem(reader, "client-certificate", folder);
  user.client_key = ReadPem(reader, "client-key", folder);
  user.token = reader.Text("token");
  user.token_file = ResolvedAgainst(folder, reader.Text("tokenFile"));
  user.has_password = HasAny(reader, {"username", "password"});
  user.has_auth_provider = HasAny(reader, {"auth-provider"});
  user.impersonates = HasAny(reader, {"as", "as-uid", "as-groups", "as-user-extra"});
  const boost::json::value* exec = reader.Raw("exec");
  if (auto done = FinishTolerant(reader, value); !done) return std::move(done).error();
  if (exec == nullptr) return user;
  auto plugin = ReadExec(*exec, folder);
  if (!plugin) return std::move(plugin).error();
  user.exec = *std::move(plugin);
  return user;
}

Result<KubeconfigContext> ReadContext(const boost::json::value& value, const fs::path& /*folder*/) {
  json::ObjectReader reader(value, "");
  KubeconfigContext context;
  context.cluster = reader.Text("cluster");
  context.user = reader.Text("user");
  context.ns = reader.Text("namespace");
  if (auto done = FinishTolerant(reader, value); !done) return std::move(done).error();
  return context;
}

}  // namespace gs::kube
