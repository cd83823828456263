#include "programs/local/dump_command.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fstream>
#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/yaml/print.h"
#include "programs/local/running_cluster.h"

namespace gs::local {
namespace {

using localcluster::Items;
using localcluster::Text;

// "/api/v1" and "/apis/GROUP/VERSION", each group in the version it prefers.
Result<std::vector<std::string>> FindVersions(ApiConnection& api) {
  std::vector<std::string> versions{"/api/v1"};
  const auto groups = api.Get("/apis");
  if (!groups) return groups.error();
  for (const auto& group : Items(*groups, {"groups"})) {
    versions.push_back("/apis/" + std::string(Text(group, {"preferredVersion", "groupVersion"})));
  }
  return versions;
}

bool CanList(const boost::json::value& resource) {
  for (const auto& verb : Items(resource, {"verbs"})) {
    if (verb == "list") return true;
  }
  return false;
}

// The items of a list do not say what they are.
Result<void> Append(ApiConnection& api, const std::string& version, std::string_view plural,
                    std::string_view kind, std::string& text) {
  const auto items = api.List(version + "/" + std::string(plural));
  if (!items) return items.error();
  const auto slash = version.find('/', 1);
  for (const auto& item : *items) {
    boost::json::object object{{"apiVersion", version.substr(slash + 1)}, {"kind", kind}};
    for (const auto& [key, value] : item.as_object()) object[key] = value;
    text += "---\n" + yaml::PrintYaml(object);
  }
  return {};
}

}  // namespace

Result<std::string> DumpObjects(ApiConnection& api) {
  const auto versions = FindVersions(api);
  if (!versions) return versions.error();
  std::string text;
  for (const std::string& version : *versions) {
    const auto offered = api.Get(version);
    if (!offered) return offered.error();
    // Events of the two groups are the same objects.
    const bool skips_events = version == "/apis/events.k8s.io/v1";
    for (const auto& resource : Items(*offered, {"resources"})) {
      const auto plural = Text(resource, {"name"});
      if (!CanList(resource) || plural.find('/') != plural.npos) continue;
      if (skips_events && plural == "events") continue;
      auto done = Append(api, version, plural, Text(resource, {"kind"}), text);
      if (!done) return std::move(done).error();
    }
  }
  return text;
}

Result<std::string> DumpCluster(const DumpOptions& options) {
  const auto folder = StateFolder();
  if (!folder) return folder.error();
  const auto running = FindRunning(*folder, options.name);
  if (!running) return running.error();
  if (!*running) {
    return Error(ErrorKind::kNotFound, "no cluster " + json::Quoted(options.name) + " is running");
  }
  const auto api = ApiConnection::Open((*running)->kubeconfig);
  if (!api) return api.error();
  auto text = DumpObjects(**api);
  if (!text) return std::move(text).error();
  if (options.file == "-") return *std::move(text);
  std::ofstream file(options.file, std::ios::trunc | std::ios::binary);
  file << *text;
  if (!file.flush()) return Error(ErrorKind::kInvalid, "cannot write " + options.file);
  return "wrote " + options.file + "; it holds Secrets as well, if there are any\n";
}

}  // namespace gs::local
