#include "programs/check/verify.h"

#include <algorithm>

#include "base/gpu_ids.h"
#include "base/parse.h"
#include "base/text.h"
#include "core/model/names.h"
#include "core/model/node_gpus.h"
#include "core/model/scheduling_map.h"

namespace gs::check {
namespace {

// Which GPUs NVIDIA's container runtime lets in. The webhook hands over UUIDs here.
constexpr std::string_view kRuntimeVariable = "NVIDIA_VISIBLE_DEVICES";
constexpr std::string_view kRuntimePage = "docs/gpus-in-containers.md";

// An annotation that is not there arrives as an empty text.
std::string TextOf(const Environment& environment, std::string_view name) {
  return environment(name).value_or("");
}

std::string IdsOf(const model::NodeGpus& gpus) { return PrintGpuIds(gpus.ids); }

std::vector<std::string> UuidsOf(const Environment& environment) {
  const std::string listed = TextOf(environment, kUuidsVariable);
  std::vector<std::string> uuids;
  for (const auto part : text::Split(listed, ',')) {
    if (!part.empty()) uuids.emplace_back(part);
  }
  return uuids;
}

void CheckNode(const std::string& node, const model::NodeGpus& decided,
               std::vector<Mismatch>& found) {
  if (decided.node.text() == node) return;
  found.push_back(
      {"node", "the pod runs on " + node + ", and " + decided.node.text() + " was decided"});
}

// The ids, or where those are left out, the UUIDs.
void CheckVariable(const Environment& environment, const model::NodeGpus& decided,
                   std::vector<Mismatch>& found) {
  const auto ids = environment(model::names::kVisibleDevicesVariable);
  if (ids && *ids == IdsOf(decided)) return;
  const std::string uuids = TextOf(environment, kUuidsVariable);
  if (!ids && !uuids.empty() && environment(kRuntimeVariable) == uuids) return;
  found.push_back({"variable", std::string(model::names::kVisibleDevicesVariable) + " is " +
                                   (ids ? "\"" + *ids + "\"" : "not set") + ", and " +
                                   IdsOf(decided) + " was decided"});
}

// A map calls a node by its name or by a label. Containers cannot see the labels of their node, so
// any word may be one of them, except where another line has the node's name: then that line is
// about this node, and the word means another.
bool MayMean(const NodeName& word, const NodeName& node, const model::SchedulingMap& map) {
  if (word == node) return true;
  return std::ranges::none_of(map.entries,
                              [&](const auto& line) { return line.second.node == node; });
}

void CheckMap(const Environment& environment, const model::NodeGpus& decided,
              std::vector<Mismatch>& found) {
  const std::string written = TextOf(environment, kMapVariable);
  if (written.empty()) return;
  const auto map = model::ParseSchedulingMap(written);
  const auto index = ParseInt32(TextOf(environment, kIndexVariable));
  if (!map || !index) {
    found.push_back({"map", !map ? "the map cannot be read: " + map.error().message()
                                 : std::string(kIndexVariable) +
                                       " does not tell which line of the map is this pod's"});
    return;
  }
  const auto* entry = map->Find(PodIndex(*index));
  if (entry != nullptr && entry->ids == decided.ids && MayMean(entry->node, decided.node, *map)) {
    return;
  }
  found.push_back({"map", "the map says " +
                              (entry == nullptr ? "nothing about this pod" : ToString(*entry)) +
                              ", and " + ToString(decided) + " was decided"});
}

void CheckDevices(const Environment& environment, const std::vector<GpuUuid>& devices,
                  std::vector<Mismatch>& found) {
  for (const auto& uuid : UuidsOf(environment)) {
    const bool is_there =
        std::ranges::any_of(devices, [&](const GpuUuid& device) { return device.text() == uuid; });
    if (!is_there)
      found.push_back({"devices", "the driver does not show GPU " + uuid + " to this container; " +
                                      std::string(kRuntimeVariable) +
                                      " has to be all or to name this GPU (" +
                                      std::string(kRuntimePage) + ")"});
  }
}

// NVIDIA's container runtime starts a container with such a value as any other runtime would.
bool LetsNoGpuIn(const std::optional<std::string>& visible) {
  return !visible || visible->empty() || *visible == "void" || *visible == "none";
}

}  // namespace

std::vector<Mismatch> Verify(const std::string& node, const Environment& environment,
                             const std::optional<std::vector<GpuUuid>>& devices) {
  const std::string allocated = TextOf(environment, kAllocatedVariable);
  if (allocated.empty()) {
    return {{"allocated", "the pod has no annotation " + std::string(model::names::kAllocated) +
                              ": gpu-scheduler has not placed it"}};
  }
  const auto decided = model::ParseNodeGpus(allocated);
  if (!decided)
    return {
        {"allocated", "\"" + allocated + "\" is no node with GPUs: " + decided.error().message()}};
  std::vector<Mismatch> found;
  CheckNode(node, *decided, found);
  CheckVariable(environment, *decided, found);
  CheckMap(environment, *decided, found);
  if (devices) CheckDevices(environment, *devices, found);
  return found;
}

std::optional<Mismatch> MissingDriver(const Environment& environment,
                                      const std::optional<std::vector<GpuUuid>>& devices) {
  if (devices || TextOf(environment, kAllocatedVariable).empty()) return std::nullopt;
  const auto visible = environment(kRuntimeVariable);
  const std::string is = std::string(kRuntimeVariable) +
                         (visible ? " is \"" + *visible + "\"" : std::string(" is not set"));
  const std::string cause =
      LetsNoGpuIn(visible)
          ? is + ", so NVIDIA's container runtime lets none in; set the variable to all in the "
                 "pod, or install the chart with webhook.handover=uuid"
          : is + ", and no container runtime of NVIDIA's brought a driver in; make nvidia the "
                 "default runtime of the node, or set runtimeClassName in the pod";
  return Mismatch{"devices", "no driver shows a GPU to this container: " + cause + " (" +
                                 std::string(kRuntimePage) + ")"};
}

}  // namespace gs::check
