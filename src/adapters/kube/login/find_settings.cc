#include "adapters/kube/login/find_settings.h"

#include <cstdlib>
#include <utility>

#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/kubeconfig.h"
#include "adapters/kube/login/kubeconfig_context.h"
#include "adapters/kube/login/service_account.h"

namespace gs::kube {
namespace {

// Nobody in this program changes the environment.
std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

Result<ConnectionSettings> FromFiles(const std::vector<std::filesystem::path>& files,
                                     const std::string& context) {
  auto config = LoadKubeconfig(files, ReadFile);
  if (!config) return std::move(config).error();
  return SettingsOf(*config, context, ReadFile);
}

}  // namespace

Result<ConnectionSettings> FindSettings(const SettingsWish& wish) {
  if (!wish.kubeconfig.empty()) return FromFiles({wish.kubeconfig}, wish.context);
  const ServiceEnvironment environment{.host = Variable("KUBERNETES_SERVICE_HOST"),
                                       .port = Variable("KUBERNETES_SERVICE_PORT")};
  const std::string kubeconfig = Variable("KUBECONFIG");
  if (!environment.host.empty() && kubeconfig.empty() && wish.context.empty()) {
    return InClusterSettings(kServiceAccountFolder, environment, ReadFile);
  }
  return FromFiles(KubeconfigFiles(kubeconfig, Variable("HOME")), wish.context);
}

}  // namespace gs::kube
