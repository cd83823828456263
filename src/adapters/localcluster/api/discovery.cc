#include "adapters/localcluster/api/discovery.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <vector>

#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// By group, then by version; the core group is "".
using Versions = std::map<std::string, std::vector<KindPtr>>;
using Groups = std::map<std::string, Versions>;

Groups GroupKinds(const Kinds& kinds) {
  Groups groups;
  for (const auto& kind : kinds.all()) groups[kind->group][kind->version].push_back(kind);
  return groups;
}

json::array Words(const std::vector<std::string>& words) {
  return json::array(words.begin(), words.end());
}

json::array VerbsOf(const Kind& kind) {
  json::array verbs;
  for (const auto verb :
       {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}) {
    if (kind.Allows(verb)) verbs.emplace_back(verb);
  }
  return verbs;
}

struct SubresourceFacts {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  std::string_view kind;  // "": that of the object
  std::vector<std::string> verbs;
};

SubresourceFacts FactsOf(std::string_view subresource) {
  if (subresource == "scale") {
    return {"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}};
  }
  if (subresource == "binding") return {"binding", "", "v1", "Binding", {"create"}};
  if (subresource == "eviction") return {"eviction", "policy", "v1", "Eviction", {"create"}};
  if (subresource == "log") return {"log", "", "", "", {"get"}};
  if (subresource == "exec") return {"exec", "", "v1", "PodExecOptions", {"create", "get"}};
  if (subresource == "finalize") return {"finalize", "", "", "", {"update"}};
  return {subresource, "", "", "", {"get", "patch", "update"}};
}

json::object GroupVersionKind(const Kind& kind, const SubresourceFacts& facts) {
  if (facts.kind.empty()) {
    return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
  }
  return {{"group", facts.group}, {"version", facts.version}, {"kind", facts.kind}};
}

// Plain form: one entry per resource and per subresource.
void AddPlain(const Kind& kind, json::array& resources) {
  json::object entry{{"name", kind.plural},
                     {"singularName", kind.singular},
                     {"namespaced", kind.is_namespaced},
                     {"kind", kind.kind},
                     {"verbs", VerbsOf(kind)}};
  if (!kind.short_names.empty()) entry["shortNames"] = Words(kind.short_names);
  if (!kind.categories.empty()) entry["categories"] = Words(kind.categories);
  resources.emplace_back(std::move(entry));
  for (const auto& name : kind.subresources) {
    const auto facts = FactsOf(name);
    json::object part{{"name", kind.plural + "/" + name},
                      {"singularName", ""},
                      {"namespaced", kind.is_namespaced}};
    if (!facts.kind.empty()) {
      part["group"] = facts.group;
      part["version"] = facts.version;
    }
    part["kind"] = facts.kind.empty() ? std::string_view(kind.kind) : facts.kind;
    part["verbs"] = Words(facts.verbs);
    resources.emplace_back(std::move(part));
  }
}

json::object AggregatedResource(const Kind& kind) {
  json::object entry{{"resource", kind.plural},
                     {"responseKind", GroupVersionKind(kind, {})},
                     {"scope", kind.is_namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", kind.singular},
                     {"verbs", VerbsOf(kind)}};
  if (!kind.short_names.empty()) entry["shortNames"] = Words(kind.short_names);
  if (!kind.categories.empty()) entry["categories"] = Words(kind.categories);
  json::array parts;
  for (const auto& name : kind.subresources) {
    const auto facts = FactsOf(name);
    parts.emplace_back(json::object{{"subresource", name},
                                    {"responseKind", GroupVersionKind(kind, facts)},
                                    {"verbs", Words(facts.verbs)}});
  }
  if (!parts.empty()) entry["subresources"] = std::move(parts);
  return entry;
}

json::object AggregatedGroup(const std::string& name, const Versions& versions) {
  json::array list;
  for (const auto& [version, kinds] : versions) {
    json::array resources;
    for (const auto& kind : kinds) resources.emplace_back(AggregatedResource(*kind));
    list.emplace_back(json::object{
        {"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  return {{"metadata", json::object{{"name", name}}}, {"versions", std::move(list)}};
}

ApiReply Aggregated(const Groups& groups, bool is_core) {
  json::array items;
  for (const auto& [name, versions] : groups) {
    if (name.empty() == is_core) items.emplace_back(AggregatedGroup(name, versions));
  }
  auto reply = Say(200, json::serialize(json::object{{"kind", "APIGroupDiscoveryList"},
                                                     {"apiVersion", "apidiscovery.k8s.io/v2"},
                                                     {"metadata", json::object()},
                                                     {"items", std::move(items)}}));
  reply.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  return reply;
}

json::object PlainGroup(const std::string& name, const Versions& versions) {
  json::array list;
  for (const auto& entry : versions) {
    list.emplace_back(
        json::object{{"groupVersion", name + "/" + entry.first}, {"version", entry.first}});
  }
  const auto preferred = list.front();
  return {{"name", name}, {"versions", std::move(list)}, {"preferredVersion", preferred}};
}

json::object ResourceList(const std::string& group_version, const std::vector<KindPtr>& kinds) {
  json::array resources;
  for (const auto& kind : kinds) AddPlain(*kind, resources);
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group_version},
          {"resources", std::move(resources)}};
}

ApiReply Json(const json::object& object) { return Say(200, json::serialize(object)); }

ApiReply PlainGroups(const Groups& groups) {
  json::array list;
  for (const auto& [name, versions] : groups) {
    if (!name.empty()) list.emplace_back(PlainGroup(name, versions));
  }
  return Json({{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}});
}

ApiReply CoreVersions() {
  return Json({{"kind", "APIVersions"},
               {"versions", json::array{"v1"}},
               {"serverAddressByClientCIDRs", json::array()}});
}

std::optional<ApiReply> AnswerGroup(const Groups& groups, const std::string& group,
                                    const std::string& version) {
  const auto found = groups.find(group);
  if (found == groups.end()) return std::nullopt;
  if (version.empty()) {
    auto object = PlainGroup(group, found->second);
    object["kind"] = "APIGroup";
    object["apiVersion"] = "v1";
    return Json(object);
  }
  const auto kinds = found->second.find(version);
  if (kinds == found->second.end()) return std::nullopt;
  return Json(ResourceList(group.empty() ? version : group + "/" + version, kinds->second));
}

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> segments;
  for (const auto part : text::Split(path, '/')) {
    if (!part.empty()) segments.emplace_back(part);
  }
  return segments;
}

// "api/v1", "apis/apps/v1"
std::string OpenApiName(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

json::object PatchPath(const Kind& kind) {
  const json::object by_server{
      {"name", "fieldValidation"}, {"in", "query"}, {"schema", json::object{{"type", "string"}}}};
  return {{"patch", json::object{{"parameters", json::array{by_server}},
                                 {"responses", json::object()},
                                 {"x-kubernetes-action", "patch"},
                                 {"x-kubernetes-group-version-kind", GroupVersionKind(kind, {})}}}};
}

json::object OpenApiOf(const std::vector<KindPtr>& kinds) {
  json::object paths;
  for (const auto& kind : kinds) {
    if (!kind->Allows("patch")) continue;
    const std::string scope = kind->is_namespaced ? "/namespaces/{namespace}/" : "/";
    paths["/" + OpenApiName(kind->group, kind->version) + scope + kind->plural + "/{name}"] =
        PatchPath(*kind);
  }
  return {{"openapi", "3.0.0"},
          {"info", json::object{{"title", "Kubernetes"}, {"version", kKubernetesVersion}}},
          {"paths", std::move(paths)},
          {"components", json::object{{"schemas", json::object()}}}};
}

ApiReply OpenApiIndex(const Groups& groups) {
  json::object paths;
  for (const auto& [group, versions] : groups) {
    for (const auto& entry : versions) {
      const auto name = OpenApiName(group, entry.first);
      paths[name] = json::object{{"serverRelativeURL", "/openapi/v3/" + name}};
    }
  }
  return Json({{"paths", std::move(paths)}});
}

}  // namespace

std::optional<ApiReply> AnswerDiscovery(const Kinds& kinds, std::string_view path,
                                        std::string_view accept) {
  const auto segments = Segments(path);
  if (segments.empty() || segments.size() > 3) return std::nullopt;
  const bool is_core = segments[0] == "api";
  if (!is_core && segments[0] != "apis") return std::nullopt;
  const auto groups = GroupKinds(kinds);
  if (segments.size() == 1) {
    if (accept.find("as=APIGroupDiscoveryList") != accept.npos) return Aggregated(groups, is_core);
    return is_core ? CoreVersions() : PlainGroups(groups);
  }
  if (is_core) {
    if (segments.size() == 3) return std::nullopt;
    return AnswerGroup(groups, "", segments[1]);
  }
  return AnswerGroup(groups, segments[1], segments.size() == 3 ? segments[2] : "");
}

std::optional<ApiReply> AnswerOpenApi(const Kinds& kinds, std::string_view path) {
  constexpr std::string_view kRoot = "/openapi/v3";
  if (!path.starts_with(kRoot)) return std::nullopt;
  const auto groups = GroupKinds(kinds);
  const auto rest = path.substr(kRoot.size());
  if (rest.empty() || rest == "/") return OpenApiIndex(groups);
  for (const auto& [group, versions] : groups) {
    for (const auto& [version, members] : versions) {
      if (rest == "/" + OpenApiName(group, version)) return Json(OpenApiOf(members));
    }
  }
  return std::nullopt;
}

std::string PrintVersion() {
  return json::serialize(json::object{{"major", "1"},
                                      {"minor", "36"},
                                      {"gitVersion", kKubernetesVersion},
                                      {"gitCommit", ""},
                                      {"gitTreeState", "clean"},
                                      {"buildDate", "1970-01-01T00:00:00Z"},
                                      {"goVersion", ""},
                                      {"compiler", ""},
                                      {"platform", "linux/amd64"}});
}

}  // namespace gs::localcluster
