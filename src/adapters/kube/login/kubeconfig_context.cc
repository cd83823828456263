#include "adapters/kube/login/kubeconfig_context.h"

#include <map>
#include <string>
#include <utility>

#include "adapters/json/object_reader.h"
#include "base/text.h"

namespace gs::kube {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

Error Unsupported(std::string message, std::string advice) {
  return Error(ErrorKind::kUnsupported, std::move(message)).Advise(std::move(advice));
}

template <class Entries>
Error NoEntry(std::string_view what, const std::string& name, const Entries& entries) {
  const std::string known =
      text::Join(entries, ", ", [](const auto& entry) { return entry.first; });
  return Error(ErrorKind::kNotFound,
               "there is no " + std::string(what) + " " + json::Quoted(name) + " in the kubeconfig")
      .Advise(known.empty() ? "the kubeconfig names none" : "there are " + known);
}

Result<std::string> ContextName(const Kubeconfig& config, std::string_view asked) {
  if (!asked.empty()) return std::string(asked);
  if (!config.current_context.empty()) return config.current_context;
  return Error(ErrorKind::kInvalid, "the kubeconfig has no current-context")
      .Advise("choose one with `kubectl config use-context NAME`, or name it with --context");
}

Result<std::string> PemOf(const PemOrigin& origin, std::string_view field, const FileReader& read) {
  if (!origin.pem.empty() || origin.path.empty()) return origin.pem;
  auto text = read(origin.path);
  if (!text) return std::move(text).error().Within(std::string(field));
  return text;
}

// The URL without '/' at its end, so that paths can be added.
Result<std::string> ServerOf(const KubeconfigCluster& cluster) {
  std::string_view server = cluster.server;
  while (server.ends_with('/')) server.remove_suffix(1);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (server.starts_with(scheme) && server.size() > scheme.size()) return std::string(server);
  }
  return Error(ErrorKind::kInvalid,
               "expected the URL of an API server, got " + json::Quoted(cluster.server))
      .Within("server")
      .Advise("write it as https://HOST:PORT");
}

Result<void> CheckCluster(const KubeconfigCluster& cluster) {
  if (!cluster.proxy_url.empty()) {
    return Unsupported("connections through a proxy are not offered",
                       "use a cluster entry without it, or forward a port to the API server")
        .Within("proxy-url");
  }
  if (cluster.skips_verification && !cluster.ca.empty()) {
    return Error(ErrorKind::kInvalid, "is set although a certificate-authority is given")
        .Within("insecure-skip-tls-verify")
        .Advise("remove one of the two");
  }
  return {};
}

Result<void> TakeCluster(const KubeconfigCluster& cluster, const FileReader& read,
                         ConnectionSettings& settings) {
  if (auto fine = CheckCluster(cluster); !fine) return fine;
  auto server = ServerOf(cluster);
  if (!server) return std::move(server).error();
  auto ca = PemOf(cluster.ca, "certificate-authority", read);
  if (!ca) return std::move(ca).error();
  settings.server = *std::move(server);
  settings.ca_pem = *std::move(ca);
  settings.is_server_verified = !cluster.skips_verification;
  settings.tls_server_name = cluster.tls_server_name;
  return {};
}

// The file counts before the token beside it, as in kubectl; a program counts only alone.
LoginMethod LoginOf(const KubeconfigUser& user, const KubeconfigCluster& cluster) {
  if (!user.token_file.empty()) return TokenFile{user.token_file};
  if (!user.token.empty()) return FixedToken{user.token};
  if (!user.exec) return std::monostate{};
  ExecPlugin plugin = *user.exec;
  plugin.cluster_config_json = cluster.exec_config_json;
  return plugin;
}

Result<void> CheckUser(const KubeconfigUser& user, const LoginMethod& login) {
  constexpr auto kOffered = "use a client certificate, a token, a tokenFile or exec";
  if (user.impersonates) {
    return Unsupported("acting as somebody else (as, as-groups) is not offered",
                       "use a user entry that has the rights itself");
  }
  if (user.client_certificate.empty() != user.client_key.empty()) {
    return Error(ErrorKind::kInvalid,
                 "client-certificate and client-key go together, one is missing")
        .Advise("add the other one");
  }
  if (!user.client_certificate.empty() || login.index() != 0) return {};
  if (user.has_auth_provider) return Unsupported("auth-provider is not offered", kOffered);
  // API servers have not accepted passwords since Kubernetes 1.19, so this could only fail later.
  if (user.has_password) return Unsupported("username and password are not offered", kOffered);
  return {};
}

Result<void> TakeUser(const KubeconfigUser& user, const KubeconfigCluster& cluster,
                      const FileReader& read, ConnectionSettings& settings) {
  settings.login = LoginOf(user, cluster);
  if (auto fine = CheckUser(user, settings.login); !fine) return fine;
  auto certificate = PemOf(user.client_certificate, "client-certificate", read);
  if (!certificate) return std::move(certificate).error();
  auto key = PemOf(user.client_key, "client-key", read);
  if (!key) return std::move(key).error();
  settings.client_certificate_pem = *std::move(certificate);
  settings.client_key_pem = *std::move(key);
  return {};
}

// "~/.kube/config: cluster prod", in front of whatever was wrong.
template <class Entry>
Error About(Error error, std::string_view what, const std::string& name,
            const FromFile<Entry>& origin) {
  return std::move(error).Within(std::string(what) + " " + name).Within(origin.file.string());
}

// The entry that a context names.
template <class Entry>
Result<const FromFile<Entry>*> Find(const std::map<std::string, FromFile<Entry>>& entries,
                                    std::string_view what, const std::string& name) {
  const auto found = entries.find(name);
  if (found == entries.end()) return NoEntry(what, name, entries);
  return &found->second;
}

Result<ConnectionSettings> Connect(const Kubeconfig& config, const KubeconfigContext& context,
                                   const FileReader& read) {
  ConnectionSettings settings;
  settings.ns = Namespace(context.ns.empty() ? std::string(kDefaultNamespace) : context.ns);
  const auto cluster = Find(config.clusters, "cluster", context.cluster);
  if (!cluster) return cluster.error();
  if (auto taken = TakeCluster((*cluster)->entry, read, settings); !taken) {
    return About(std::move(taken).error(), "cluster", context.cluster, **cluster);
  }
  if (context.user.empty()) return settings;  // nobody: what a local test server accepts
  const auto user = Find(config.users, "user", context.user);
  if (!user) return user.error();
  if (auto taken = TakeUser((*user)->entry, (*cluster)->entry, read, settings); !taken) {
    return About(std::move(taken).error(), "user", context.user, **user);
  }
  return settings;
}

}  // namespace

Result<ConnectionSettings> SettingsOf(const Kubeconfig& config, std::string_view context,
                                      const FileReader& read) {
  const auto name = ContextName(config, context);
  if (!name) return name.error();
  const auto chosen = Find(config.contexts, "context", *name);
  if (!chosen) return chosen.error();
  auto settings = Connect(config, (*chosen)->entry, read);
  if (!settings) return std::move(settings).error().Within("context " + *name);
  return settings;
}

}  // namespace gs::kube
