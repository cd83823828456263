// The protocol of exec plugins: programs, named in a kubeconfig, that print a token or a
// certificate (client.authentication.k8s.io, v1 and v1beta1).
//
// Building the question and reading the answer are pure; the program is run by the ProcessRunner
// that is passed in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/run_process.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::kube {

// What a plugin may be told about the cluster.
struct ExecCluster {
  std::string server;
  std::string tls_server_name;
  std::string ca_pem;
  bool is_server_verified = true;
};

struct ExecAnswer {
  std::string token;
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::optional<TimePoint> expires;  // absent: good until it is refused

  friend bool operator==(const ExecAnswer&, const ExecAnswer&) = default;
};

// Refuses what cannot work before anything is run: unknown versions, and plugins that need a
// terminal, which we never lend.
[[nodiscard]] Result<void> CheckExecPlugin(const ExecPlugin& plugin);

// The value of KUBERNETES_EXEC_INFO.
[[nodiscard]] std::string ExecQuestion(const ExecPlugin& plugin, const ExecCluster& cluster);

// What the program printed. `api_version` is the one it was asked in.
[[nodiscard]] Result<ExecAnswer> ParseExecAnswer(std::string_view text,
                                                 std::string_view api_version);

[[nodiscard]] Result<ExecAnswer> AskExecPlugin(const ExecPlugin& plugin, const ExecCluster& cluster,
                                               const ProcessRunner& run);

}  // namespace gs::kube
