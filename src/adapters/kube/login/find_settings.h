// Which API server is meant: what the user said, else the cluster this program runs in, else what
// kubectl would use.
#pragma once

#include <filesystem>
#include <string>

#include "adapters/kube/login/connection_settings.h"
#include "base/result.h"

namespace gs::kube {

struct SettingsWish {
  std::filesystem::path kubeconfig;  // empty: not said
  std::string context;               // empty: the current one
};

// Reads files and the environment of this process.
[[nodiscard]] Result<ConnectionSettings> FindSettings(const SettingsWish& wish);

}  // namespace gs::kube
