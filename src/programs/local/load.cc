#include "programs/local/load.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <string>
#include <utility>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/object_reader.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"

namespace gs::local {
namespace {

using localcluster::Json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr yaml::Limits kLimits{.max_bytes = kMaxBytes, .max_nodes = 100'000'000};

// "Pod team/a"
std::string Title(const Json& object) {
  const auto ns = localcluster::NamespaceOf(object);
  return std::string(localcluster::KindOf(object)) + " " + std::string(ns) +
         (ns.empty() ? "" : "/") + std::string(localcluster::NameOf(object));
}

Error Refusal(const Json& object, std::string why) {
  return Error(ErrorKind::kInvalid, std::move(why)).Within(Title(object));
}

// What others need comes first.
int Order(const Json& object) {
  const auto kind = localcluster::KindOf(object);
  if (kind == "CustomResourceDefinition") return 0;
  return kind == "Namespace" ? 1 : 2;
}

Result<void> LoadObject(const Json& object, localcluster::Store& store, localcluster::Kinds& kinds,
                        const localcluster::Rules& rules) {
  if (!object.is_object() || localcluster::NameOf(object).empty()) {
    return Refusal(object, "expected an object with apiVersion, kind and metadata.name");
  }
  const auto api_version = localcluster::Text(object, {"apiVersion"});
  const auto kind = kinds.FindKind(api_version, localcluster::KindOf(object));
  if (kind == nullptr) {
    return Refusal(object, "there is no such kind in " + json::Quoted(api_version));
  }
  if (localcluster::UidOf(object).empty()) return Refusal(object, "metadata.uid is missing");
  const std::string ns(localcluster::NamespaceOf(object));
  if (kind->is_namespaced == ns.empty()) {
    return Refusal(object, kind->is_namespaced ? "metadata.namespace is missing"
                                               : "metadata.namespace is not for this kind");
  }
  auto stored = object.get_object();
  const localcluster::User user;
  localcluster::Attempt attempt{.kind = *kind,
                                .ns = ns,
                                .name = std::string(localcluster::NameOf(object)),
                                .object = &stored,
                                .user = user};
  if (const auto refused = rules.Admit(attempt)) return Refusal(object, refused->message);
  const auto written = store.Write(
      kind->Key(ns, attempt.name),
      [&](const localcluster::StoredObject* now) -> localcluster::Answer<localcluster::Next> {
        if (now != nullptr) return localcluster::AlreadyExists(kind->Named(attempt.name));
        return localcluster::Next(stored);
      });
  if (!written) return Refusal(object, written.status().message);
  return {};
}

void AddTaints(const Json& object, localcluster::NodeDescription& node) {
  for (const Json& taint : localcluster::Items(object, {"spec", "taints"})) {
    const auto effect = model::ParseTaintEffect(localcluster::Text(taint, {"effect"}));
    if (!effect) continue;
    node.taints.push_back({.key = std::string(localcluster::Text(taint, {"key"})),
                           .value = std::string(localcluster::Text(taint, {"value"})),
                           .effect = *effect});
  }
}

localcluster::NodeDescription DescribeNode(const Json& object) {
  localcluster::NodeDescription node{.name = std::string(localcluster::NameOf(object))};
  for (const auto& [key, value] : localcluster::Members(object, {"metadata", "labels"})) {
    if (value.is_string()) node.labels[std::string(key)] = std::string(value.get_string());
  }
  AddTaints(object, node);
  node.cpu = std::string(localcluster::Text(object, {"status", "capacity", "cpu"}, node.cpu));
  node.memory =
      std::string(localcluster::Text(object, {"status", "capacity", "memory"}, node.memory));
  return node;
}

}  // namespace

Result<std::vector<Json>> ReadDump(const std::filesystem::path& file) {
  const auto text = runtime::ReadFile(file, kMaxBytes);
  if (!text) return text.error();
  auto documents = yaml::ParseYamlDocuments(*text, kLimits);
  if (!documents) return std::move(documents).error().Within(file.string());
  return documents;
}

Result<Nodes> NodesOf(const std::vector<Json>& objects) {
  std::map<std::string, model::Machine, std::less<>> machines;
  Nodes nodes;
  for (const Json& object : objects) {
    const auto kind = localcluster::KindOf(object);
    if (kind == "GpuNodeStatus") {
      auto machine = gpu::ReadMachine(boost::json::serialize(object));
      if (!machine) return std::move(machine).error().Within(Title(object));
      machines[std::string(localcluster::NameOf(object))] = *std::move(machine);
    } else if (kind == "Node" && nodes.size() < kMaxNodes) {
      nodes.push_back(DescribeNode(object));
      GiveAddresses(nodes.size() - 1, nodes.back());
    }
  }
  for (auto& node : nodes) {
    if (const auto found = machines.find(node.name); found != machines.end()) {
      node.machine = std::move(found->second);
    }
  }
  return nodes;
}

Result<void> LoadObjects(const std::vector<Json>& objects, localcluster::Store& store,
                         localcluster::Kinds& kinds, const localcluster::Rules& rules) {
  for (const int order : {0, 1, 2}) {
    for (const Json& object : objects) {
      if (Order(object) != order) continue;
      if (auto done = LoadObject(object, store, kinds, rules); !done) return done;
    }
  }
  return {};
}

}  // namespace gs::local
