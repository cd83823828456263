#include "core/cache/node_view.h"

#include <algorithm>

#include "core/model/gpu_resource.h"

namespace gs::cache {

Handover NodeView::handover() const {
  if (counted_pods.empty()) return direct_pods.empty() ? Handover::kNone : Handover::kDirect;
  return direct_pods.empty() ? Handover::kCounted : Handover::kMixed;
}

std::vector<GpuId> NodeView::gpu_ids() const {
  std::vector<GpuId> ids;
  if (node.machine) {
    for (const auto& device : node.machine->devices) ids.push_back(device.id);
    return ids;
  }
  // Plugins that share GPUs count more than there are, and whoever writes the number may be wrong.
  const auto most = static_cast<std::int64_t>(model::kMaxDevices);
  for (std::int64_t id = 0; id < std::min(node.gpu_capacity, most); ++id) {
    ids.emplace_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

bool NodeView::has_gpus() const {
  if (node.machine) return !node.machine->devices.empty();
  return node.gpu_capacity > 0 || model::HasGpuResource(node.allocatable);
}

bool NodeView::is_healthy(GpuId gpu) const {
  if (!renumbered.empty() && renumbered.contains(gpu)) return false;
  if (!node.machine) return true;
  const auto& devices = node.machine->devices;
  const auto has_id = [gpu](const auto& device) { return device.id == gpu; };
  // Mostly ids are positions.
  const auto at = static_cast<std::size_t>(gpu.number());
  const auto device = at < devices.size() && has_id(devices[at])
                          ? devices.begin() + gpu.number()
                          : std::find_if(devices.begin(), devices.end(), has_id);
  return device != devices.end() && device->health == model::Health::kHealthy;
}

}  // namespace gs::cache
