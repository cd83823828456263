#include "adapters/kube/login/service_account.h"

#include <utility>

#include "base/parse.h"
#include "base/text.h"

namespace gs::kube {
namespace {

constexpr std::string_view kDefaultNamespace = "default";
constexpr IntegerRange kPorts{.min = 1, .max = 65535};

Error NotInCluster(std::string message) {
  return Error(ErrorKind::kNotFound, std::move(message))
      .Within("service account")
      .Advise("run in a pod whose service account is mounted, or give a kubeconfig");
}

Result<std::string> ServerOf(const ServiceEnvironment& environment) {
  if (environment.host.empty() || environment.port.empty()) {
    return NotInCluster("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set");
  }
  const auto port = ParseInt32(environment.port, kPorts);
  if (!port) return Error(port.error()).Within("KUBERNETES_SERVICE_PORT");
  // An IPv6 address needs brackets in a URL.
  const bool is_ipv6 = environment.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + environment.host + "]" : environment.host;
  return "https://" + host + ":" + std::to_string(*port);
}

// What the pod's own namespace is; absent in unusual mounts, and then nothing else depends on it.
Namespace NamespaceIn(const std::filesystem::path& folder, const FileReader& read) {
  const auto text = read(folder / "namespace");
  const std::string_view name = text ? text::Trim(*text) : std::string_view();
  return Namespace(std::string(name.empty() ? kDefaultNamespace : name));
}

}  // namespace

Result<ConnectionSettings> InClusterSettings(const std::filesystem::path& folder,
                                             const ServiceEnvironment& environment,
                                             const FileReader& read) {
  auto server = ServerOf(environment);
  if (!server) return std::move(server).error();
  const auto token = read(folder / "token");
  if (!token) return NotInCluster(ToString(token.error()));
  auto ca = read(folder / "ca.crt");
  if (!ca) return NotInCluster(ToString(ca.error()));
  ConnectionSettings settings;
  settings.server = *std::move(server);
  settings.ca_pem = *std::move(ca);
  settings.login = TokenFile{folder / "token"};
  settings.ns = NamespaceIn(folder, read);
  return settings;
}

}  // namespace gs::kube
