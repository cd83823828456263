#include "adapters/kube/api/resource.h"

namespace gs::kube {

std::string CollectionPath(const Resource& resource, const Namespace& ns) {
  std::string path = resource.group.empty() ? "/api" : "/apis/" + std::string(resource.group);
  path += "/" + std::string(resource.version);
  if (!ns.empty()) path += "/namespaces/" + ns.text();
  return path + "/" + std::string(resource.plural);
}

std::string ObjectPath(const Resource& resource, const Namespace& ns, std::string_view name,
                       std::string_view subresource) {
  std::string path = CollectionPath(resource, ns) + "/" + std::string(name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

std::string TitleOf(const Resource& resource) {
  const std::string plural(resource.plural);
  return resource.group.empty() ? plural : plural + "." + std::string(resource.group);
}

}  // namespace gs::kube
