// From a kubeconfig and the name of a context to the settings of one connection.
//
// What kubectl would do and we do not offer is refused with the way around it, never ignored:
// proxies, passwords, auth providers, impersonation.
#pragma once

#include <string_view>

#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/kubeconfig.h"
#include "base/result.h"

namespace gs::kube {

// `context` "" means the current one. Certificates and keys that lie beside the kubeconfig are read
// now, a token file when it is needed.
[[nodiscard]] Result<ConnectionSettings> SettingsOf(const Kubeconfig& config,
                                                    std::string_view context,
                                                    const FileReader& read);

}  // namespace gs::kube
