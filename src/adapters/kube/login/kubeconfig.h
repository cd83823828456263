// The kubeconfig: which clusters, users and contexts there are, from one or several files.
//
// Files are joined as kubectl does: of two entries with the same name the first file's counts, as a
// whole. Fields that nobody here needs are tolerated, since many tools keep their own in there.
// Reading a context out of it is kubeconfig_context.h's part.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/file_reader.h"
#include "base/result.h"

namespace gs::kube {

// Something that is written into the file or beside it; what is written into it counts first.
struct PemOrigin {
  std::string pem;             // decoded
  std::filesystem::path path;  // absolute if the file's own path is
  [[nodiscard]] bool empty() const { return pem.empty() && path.empty(); }
  friend bool operator==(const PemOrigin&, const PemOrigin&) = default;
};

struct KubeconfigCluster {
  std::string server;
  PemOrigin ca;
  bool skips_verification = false;
  std::string tls_server_name;
  std::string proxy_url;
  std::string exec_config_json;
  friend bool operator==(const KubeconfigCluster&, const KubeconfigCluster&) = default;
};

struct KubeconfigUser {
  PemOrigin client_certificate;
  PemOrigin client_key;
  std::string token;
  std::filesystem::path token_file;
  std::optional<ExecPlugin> exec;
  bool has_password = false;
  bool has_auth_provider = false;
  bool impersonates = false;
  friend bool operator==(const KubeconfigUser&, const KubeconfigUser&) = default;
};

struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string ns;
  friend bool operator==(const KubeconfigContext&, const KubeconfigContext&) = default;
};

// An entry and the file it came from, so that a complaint can name it.
template <class Entry>
struct FromFile {
  Entry entry;
  std::filesystem::path file;
  friend bool operator==(const FromFile&, const FromFile&) = default;
};

struct Kubeconfig {
  std::map<std::string, FromFile<KubeconfigCluster>> clusters;
  std::map<std::string, FromFile<KubeconfigUser>> users;
  std::map<std::string, FromFile<KubeconfigContext>> contexts;
  std::string current_context;
  friend bool operator==(const Kubeconfig&, const Kubeconfig&) = default;
};

// One file's text, YAML or JSON. `file` gives names to errors and a folder to relative paths.
[[nodiscard]] Result<Kubeconfig> ParseKubeconfig(std::string_view text,
                                                 const std::filesystem::path& file);

// What `first` does not name is taken from `second`.
[[nodiscard]] Kubeconfig Merged(Kubeconfig first, const Kubeconfig& second);

// The files of a KUBECONFIG variable, else ~/.kube/config. `home` may be empty.
[[nodiscard]] std::vector<std::filesystem::path> KubeconfigFiles(std::string_view variable,
                                                                 const std::filesystem::path& home);

// All files as one. A file that is not there is skipped; if none is, that is the error.
[[nodiscard]] Result<Kubeconfig> LoadKubeconfig(const std::vector<std::filesystem::path>& files,
                                                const FileReader& read);

}  // namespace gs::kube
