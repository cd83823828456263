#include "adapters/localcluster/runner/named_container.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <vector>

#include "adapters/localcluster/objects/metadata.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

std::vector<std::string> ContainersOf(const Json& pod) {
  std::vector<std::string> names;
  for (const auto* list : {"containers", "initContainers"}) {
    for (const Json& each : Items(pod, {"spec", list})) names.emplace_back(Text(each, {"name"}));
  }
  return names;
}

}  // namespace

Answer<std::string> ContainerOf(const Json& pod, std::string_view asked) {
  const auto names = ContainersOf(pod);
  const auto main_count = Items(pod, {"spec", "containers"}).size();
  if (asked.empty() && main_count == 1) return names.front();
  const std::string pod_name(NameOf(pod));
  if (asked.empty()) {
    const auto as_it_is = [](const std::string& name) { return name; };
    return BadRequest("a container name must be specified for pod " + pod_name +
                      ", choose one of: [" + text::Join(names, " ", as_it_is) + "]");
  }
  if (std::find(names.begin(), names.end(), asked) != names.end()) return std::string(asked);
  return BadRequest("container " + std::string(asked) + " is not valid for pod " + pod_name);
}

}  // namespace gs::localcluster
