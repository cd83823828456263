// What is needed to talk to one API server, wherever it was found: in a kubeconfig or in the files
// that Kubernetes mounts into a pod. Values only; certificates are PEM text, already read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"

namespace gs::kube {

struct FixedToken {
  std::string token;
  friend bool operator==(const FixedToken&, const FixedToken&) = default;
};

// Kubernetes and cloud tools replace such a file while programs run.
struct TokenFile {
  std::filesystem::path path;
  friend bool operator==(const TokenFile&, const TokenFile&) = default;
};

enum class InteractiveMode : std::uint8_t { kNever, kIfAvailable, kAlways };

// A program that prints credentials, in the protocol of client.authentication.k8s.io.
struct ExecPlugin {
  std::string api_version;
  std::string command;  // a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to our own
  std::string install_hint;
  bool provides_cluster_info = false;
  std::string cluster_config_json;  // what the cluster's entry has for plugins; "" is nothing
  InteractiveMode interactive_mode = InteractiveMode::kIfAvailable;

  friend bool operator==(const ExecPlugin&, const ExecPlugin&) = default;
};

// Who we are beyond a client certificate; monostate: nobody.
using LoginMethod = std::variant<std::monostate, FixedToken, TokenFile, ExecPlugin>;

struct ConnectionSettings {
  std::string server;              // "https://host:6443", perhaps with a path, no '/' at the end
  std::string ca_pem;              // empty: the certificates that the system trusts
  bool is_server_verified = true;  // false only where the user wrote insecure-skip-tls-verify
  std::string tls_server_name;     // empty: the host of `server`
  std::string client_certificate_pem;
  std::string client_key_pem;
  LoginMethod login;
  Namespace ns;  // where objects without a namespace are meant to be; never empty

  friend bool operator==(const ConnectionSettings&, const ConnectionSettings&) = default;
};

}  // namespace gs::kube
