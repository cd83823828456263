#include "adapters/kube/objects/pod_requests.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/resource_list.h"

namespace gs::kube {
namespace {

// The last resize was refused for good, so what the spec asks for will not come.
bool IsResizeInfeasible(const JsonView& status) {
  for (const JsonView& condition : status.Field("conditions").Items()) {
    if (condition.Field("type").Word() == "PodResizePending" &&
        condition.Field("reason").Word() == "Infeasible") {
      return true;
    }
  }
  return false;
}

// What the container of that name has at the moment.
using Held = std::vector<std::pair<std::string_view, ResourceList>>;

Held ReadHeld(const JsonView& statuses) {
  Held held;
  for (const JsonView& status : statuses.Items()) {
    ResourceList amounts = ReadResourceList(status.Field("resources").Field("requests"));
    RaiseTo(amounts, ReadResourceList(status.Field("allocatedResources")));
    if (amounts.empty()) continue;
    held.emplace_back(status.Field("name").Word(), std::move(amounts));
  }
  return held;
}

class ContainerRequests {
 public:
  ContainerRequests(const JsonView& statuses, bool is_resize_infeasible)
      : held_(ReadHeld(statuses)), is_resize_infeasible_(is_resize_infeasible) {}

  [[nodiscard]] ResourceList Of(const JsonView& container) const {
    ResourceList asked = ReadResourceList(container.Field("resources").Field("requests"));
    const std::string_view name = container.Field("name").Word();
    const auto held = std::find_if(held_.begin(), held_.end(),
                                   [&](const auto& status) { return status.first == name; });
    if (held == held_.end()) return asked;
    if (is_resize_infeasible_) return held->second;
    RaiseTo(asked, held->second);
    return asked;
  }

 private:
  Held held_;
  bool is_resize_infeasible_;
};

// Sidecars are init containers that keep running.
bool IsSidecar(const JsonView& init_container) {
  return init_container.Field("restartPolicy").Word() == "Always";
}

// Adds the sidecars to what runs together, and raises it to what starting up takes.
void CountInitContainers(const JsonView& list, const ContainerRequests& requests,
                         ResourceList& together) {
  ResourceList sidecars;
  ResourceList largest;
  for (const JsonView& container : list.Items()) {
    if (IsSidecar(container)) {
      const ResourceList asked = requests.Of(container);
      AddTo(together, asked);
      AddTo(sidecars, asked);
      RaiseTo(largest, sidecars);
    } else {
      // It cannot be resized and may have ended long ago, so only what it asks for counts.
      ResourceList alone = ReadResourceList(container.Field("resources").Field("requests"));
      AddTo(alone, sidecars);
      RaiseTo(largest, alone);
    }
  }
  RaiseTo(together, largest);
}

ResourceList SumOfContainers(const JsonView& spec, const JsonView& status) {
  const bool is_infeasible = IsResizeInfeasible(status);
  ResourceList together;
  const ContainerRequests containers(status.Field("containerStatuses"), is_infeasible);
  for (const JsonView& container : spec.Field("containers").Items()) {
    AddTo(together, containers.Of(container));
  }
  const ContainerRequests init_containers(status.Field("initContainerStatuses"), is_infeasible);
  CountInitContainers(spec.Field("initContainers"), init_containers, together);
  return together;
}

// The resources that a pod can ask for as a whole.
bool IsPodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

}  // namespace

model::Resources PodRequests(const JsonView& pod) {
  const JsonView spec = pod.Field("spec");
  ResourceList requests = SumOfContainers(spec, pod.Field("status"));
  for (const auto& [name, amount] : ReadResourceList(spec.Field("resources").Field("requests"))) {
    if (IsPodLevel(name)) AmountOf(requests, name) = amount;
  }
  AddTo(requests, ReadResourceList(spec.Field("overhead")));
  return ToResources(requests);
}

}  // namespace gs::kube
