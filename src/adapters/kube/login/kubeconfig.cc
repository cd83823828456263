#include "adapters/kube/login/kubeconfig.h"

#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/login/kubeconfig_entries.h"
#include "adapters/yaml/parse.h"
#include "base/text.h"

namespace gs::kube {
namespace {

namespace fs = std::filesystem;

// `clusters: [{name: a, cluster: {...}}]` as a map; `read` turns the inner object into an Entry.
template <class Entry, class Read>
Result<std::map<std::string, FromFile<Entry>>> ReadEntries(const boost::json::array& list,
                                                           std::string_view plural,
                                                           std::string_view field,
                                                           const fs::path& file, Read read) {
  std::map<std::string, FromFile<Entry>> entries;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = std::string(plural) + "[" + std::to_string(i) + "]";
    json::ObjectReader named(list[i], path);
    const std::string name = named.RequiredText("name");
    const boost::json::value* inner = named.Raw(field);
    if (auto done = FinishTolerant(named, list[i]); !done) return std::move(done).error();
    const boost::json::value nothing = boost::json::object();
    auto entry = read(inner == nullptr ? nothing : *inner, file.parent_path());
    if (!entry) return std::move(entry).error().Within(std::string(field) + " " + name);
    const bool is_new = entries.try_emplace(name, FromFile<Entry>{*std::move(entry), file}).second;
    if (is_new) continue;
    return Error(ErrorKind::kInvalid,
                 std::string(field) + " " + json::Quoted(name) + " is given twice")
        .Within(path)
        .Advise("keep one entry of each name");
  }
  return entries;
}

Result<Kubeconfig> ReadRoot(const boost::json::value& root, const fs::path& file) {
  json::ObjectReader reader(root, "");
  Kubeconfig config;
  config.current_context = reader.Text("current-context");
  const auto& clusters = reader.Array("clusters");
  const auto& users = reader.Array("users");
  const auto& contexts = reader.Array("contexts");
  if (auto done = FinishTolerant(reader, root); !done) return std::move(done).error();

  auto read_clusters =
      ReadEntries<KubeconfigCluster>(clusters, "clusters", "cluster", file, ReadCluster);
  if (!read_clusters) return std::move(read_clusters).error();
  auto read_users = ReadEntries<KubeconfigUser>(users, "users", "user", file, ReadUser);
  if (!read_users) return std::move(read_users).error();
  auto read_contexts =
      ReadEntries<KubeconfigContext>(contexts, "contexts", "context", file, ReadContext);
  if (!read_contexts) return std::move(read_contexts).error();
  config.clusters = *std::move(read_clusters);
  config.users = *std::move(read_users);
  config.contexts = *std::move(read_contexts);
  return config;
}

Error NoFile(const std::vector<fs::path>& files) {
  const std::string names =
      text::Join(files, ", ", [](const fs::path& file) { return file.string(); });
  return Error(ErrorKind::kNotFound,
               "no kubeconfig: looked for " + (files.empty() ? "none" : names))
      .Advise(
          "set KUBECONFIG or write ~/.kube/config; inside a cluster, give the pod a service "
          "account");
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const fs::path& file) {
  // An empty file is what `kubectl config` leaves when the last entry goes.
  if (text::Trim(text).empty()) return Kubeconfig{};
  const auto root = yaml::ParseYaml(text);
  if (!root) return Error(root.error()).Within(file.string());
  return ReadRoot(*root, file).Within(file.string());
}

Kubeconfig Merged(Kubeconfig first, const Kubeconfig& second) {
  // std::map::insert leaves what is there already.
  first.clusters.insert(second.clusters.begin(), second.clusters.end());
  first.users.insert(second.users.begin(), second.users.end());
  first.contexts.insert(second.contexts.begin(), second.contexts.end());
  if (first.current_context.empty()) first.current_context = second.current_context;
  return first;
}

std::vector<fs::path> KubeconfigFiles(std::string_view variable, const fs::path& home) {
  std::vector<fs::path> files;
  for (const std::string_view file : text::Split(variable, ':')) {
    if (!file.empty()) files.emplace_back(file);
  }
  if (files.empty() && !home.empty()) files.push_back(home / ".kube" / "config");
  return files;
}

Result<Kubeconfig> LoadKubeconfig(const std::vector<fs::path>& files, const FileReader& read) {
  Kubeconfig all;
  bool has_any = false;
  for (const auto& file : files) {
    const auto text = read(file);
    if (!text && text.error().kind() == ErrorKind::kNotFound) continue;
    if (!text) return Error(text.error()).Within("kubeconfig");
    auto config = ParseKubeconfig(*text, file);
    if (!config) return std::move(config).error().Within("kubeconfig");
    all = Merged(std::move(all), *config);
    has_any = true;
  }
  if (!has_any) return NoFile(files);
  return all;
}

}  // namespace gs::kube
