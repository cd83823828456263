#include "adapters/kube/api/discovery.h"

#include <algorithm>

#include "adapters/kube/objects/json_view.h"

namespace gs::kube {
namespace {

constexpr int kOk = 200;

bool HasVersion(const JsonView& group, const Resource& resource) {
  if (group.Field("name").Text() != resource.group) return false;
  const auto versions = group.Field("versions").Items();
  return std::ranges::any_of(versions, [&resource](const JsonView& version) {
    return version.Field("version").Text() == resource.version;
  });
}

// `is_it` is asked for every item of that list.
template <class IsIt>
Serving SearchList(int status, std::string_view body, std::string_view kind, std::string_view list,
                   IsIt is_it) {
  if (status != kOk) return Serving::kUnknown;
  const auto document = JsonDocument::Parse(body);
  if (!document || document->root().Field("kind").Text() != kind) return Serving::kUnknown;
  const JsonView items = document->root().Field(list);
  const bool is_there = items.is_present();
  bool is_found = false;
  for (const JsonView& item : items.Items()) is_found = is_it(item) || is_found;
  if (!is_there || !document->Finish()) return Serving::kUnknown;
  return is_found ? Serving::kServed : Serving::kNotServed;
}

}  // namespace

std::string GroupVersionPath(const Resource& resource) {
  const std::string version(resource.version);
  return resource.group.empty() ? "/api/" + version
                                : "/apis/" + std::string(resource.group) + "/" + version;
}

Serving ServingInVersion(int status, std::string_view body, const Resource& resource) {
  return SearchList(
      status, body, "APIResourceList", "resources",
      [&resource](const JsonView& item) { return item.Field("name").Text() == resource.plural; });
}

Serving ServingInGroups(int status, std::string_view body, const Resource& resource) {
  if (resource.group.empty()) return Serving::kUnknown;
  return SearchList(status, body, "APIGroupList", "groups",
                    [&resource](const JsonView& group) { return HasVersion(group, resource); });
}

}  // namespace gs::kube
