// The settings that Kubernetes mounts into every pod: how a program inside the cluster finds its
// API server. Folder and environment come in as arguments.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/file_reader.h"
#include "base/result.h"

namespace gs::kube {

inline constexpr std::string_view kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// The variables of that name, "" where they are not set.
struct ServiceEnvironment {
  std::string host;  // KUBERNETES_SERVICE_HOST
  std::string port;  // KUBERNETES_SERVICE_PORT
};

// kNotFound: this is no pod, or one without a service account's token. The token itself is read
// when it is needed, because it is replaced while the pod runs.
[[nodiscard]] Result<ConnectionSettings> InClusterSettings(const std::filesystem::path& folder,
                                                           const ServiceEnvironment& environment,
                                                           const FileReader& read);

}  // namespace gs::kube
