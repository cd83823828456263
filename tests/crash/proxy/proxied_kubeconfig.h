// The kubeconfig that leads a client to the proxy. Who the client is comes from the original: the
// proxy itself shows its certificate, and a token is written here for the client to send.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/kube/login/connection_settings.h"
#include "base/result.h"

namespace gs::crash {

// Refuses an original whose user needs a program to log in.
[[nodiscard]] Result<std::string> ProxiedKubeconfig(const kube::ConnectionSettings& original,
                                                    const std::string& server);

}  // namespace gs::crash
