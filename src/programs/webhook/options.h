// The webhook's options, every value checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/config/values.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/admit/admit.h"

namespace gs::webhook {

// Where the certificate comes from.
enum class CertificateMode : std::uint8_t {
  kAuto,         // a user's Secret where there is one, else self
  kSelf,         // made here and kept in a Secret
  kSecret,       // a Secret of the user's
  kCertManager,  // a Secret that cert-manager fills; it tells clients its authority too
  kFolder,       // files; no cluster is needed
};

struct CertificateOptions {
  CertificateMode mode = CertificateMode::kAuto;
  std::string service;  // that clients call; the names of Secrets begin with it
  Namespace ns;         // of service and Secrets; empty: that of the connection
  std::string secret;   // of the user's; empty: by its usual names
  std::filesystem::path folder;
  std::string configuration;    // whose caBundle is kept right; empty: somebody else does
  std::string authorities_pem;  // of the user's, for that caBundle; empty: none
  Duration lifetime{0};
  Duration check_period{0};
};

struct WebhookOptions {
  kube::SettingsWish cluster;
  admit::Policy policy;
  config::Listen listen;
  CertificateOptions certificates;
  Duration drain_time{0};
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kText;
};

using config::ShowText;

// `args` does not have the program's name.
[[nodiscard]] Result<std::variant<ShowText, WebhookOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version);

}  // namespace gs::webhook
