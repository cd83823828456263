#include "core/explain/gpu_report.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/saturated.h"
#include "core/model/gpu_resource.h"

namespace gs::explain {
namespace {

using cache::Evidence;
using cache::Holder;

// Only by what may be left of pods that are gone.
bool IsReleasing(std::span<const Holder> holders) {
  return std::all_of(holders.begin(), holders.end(), [](const Holder& holder) {
    return holder.evidence.back() == Evidence::kReleasing;
  });
}

GpuState StateOf(const cache::NodeView& view, GpuId gpu) {
  if (!view.is_healthy(gpu)) return GpuState::kUnhealthy;
  const auto holders = view.holders.Of(gpu);
  if (holders.empty()) return GpuState::kFree;
  if (IsReleasing(holders)) return GpuState::kReleasing;
  const bool is_shared = std::any_of(holders.begin(), holders.end(), [](const Holder& holder) {
    return holder.mode == model::AllocationMode::kShared;
  });
  return is_shared ? GpuState::kShared : GpuState::kHeld;
}

const model::Allocation* AllocationOf(const cache::Cache& cache, const PodUid& pod) {
  if (const auto* bound = cache.AllocationOf(pod)) return bound;
  const auto record = cache.pods().find(pod);
  if (record == cache.pods().end() || !record->second.assumed) return nullptr;
  const auto& planned = record->second.assumed->allocation;
  return planned ? &*planned : nullptr;
}

std::vector<HolderReport> HoldersOf(const cache::Cache& cache, const cache::NodeView& view,
                                    GpuId gpu) {
  std::vector<HolderReport> reports;
  for (const Holder& holder : view.holders.Of(gpu)) {
    const auto* allocation = AllocationOf(cache, holder.pod.uid);
    const auto* pod = cache.FindPod(holder.pod.uid);
    reports.push_back({.pod = holder.pod,
                       .mode = holder.mode,
                       .claim = allocation == nullptr ? ClaimName() : allocation->claim,
                       .created = pod == nullptr ? std::nullopt : std::optional(pod->created),
                       .evidence = holder.evidence});
  }
  return reports;
}

model::GpuDevice DeviceOf(const cache::NodeView& view, std::size_t index, GpuId gpu) {
  if (view.node.machine) return view.node.machine->devices[index];
  model::GpuDevice device;
  device.id = gpu;
  return device;
}

GpuCounts CountsOf(const cache::Cache& cache, const cache::NodeView& view) {
  GpuCounts counts;
  for (std::size_t i = 0; i < std::size(kGpuStates); ++i) counts[static_cast<GpuState>(i)] = 0;
  for (const GpuId gpu : view.gpu_ids()) ++counts[StateOf(view, gpu)];
  std::int64_t& free = counts[GpuState::kFree];
  const std::int64_t foreign = std::min(free, ForeignGpus(cache, view));
  free -= foreign;
  counts[GpuState::kForeign] = foreign;
  return counts;
}

}  // namespace

std::string_view ToString(Evidence evidence) {
  switch (evidence) {
    case Evidence::kBound: return "bound";
    case Evidence::kFence: return "fence";
    case Evidence::kAssumed: return "assumed";
    case Evidence::kReleasing: return "releasing";
  }
  return "";
}

std::string_view ToString(cache::Handover handover) {
  switch (handover) {
    case cache::Handover::kNone: return "none";
    case cache::Handover::kCounted: return "counted";
    case cache::Handover::kDirect: return "direct";
    case cache::Handover::kMixed: return "mixed";
  }
  return "";
}

std::int64_t ForeignGpus(const cache::Cache& cache, const cache::NodeView& view) {
  std::int64_t gpus = 0;
  for (const model::PodRef& pod : view.counted_pods) {
    const model::Pod* found = cache.FindPod(pod.uid);
    if (found == nullptr || AllocationOf(cache, pod.uid) != nullptr) continue;
    // Parts are of one GPU at least.
    const std::int64_t taken = std::max<std::int64_t>(model::WholeGpus(found->requests), 1);
    gpus = SaturatedAdd(gpus, taken);
  }
  return gpus;
}

NodeReport ReportNode(const cache::Cache& cache, const cache::NodeView& view) {
  NodeReport report{.node = view.node.name,
                    .has_agent = view.node.machine.has_value(),
                    .is_cordoned = view.node.is_unschedulable,
                    .handover = view.handover(),
                    .foreign = ForeignGpus(cache, view),
                    .devices = {}};
  const std::vector<GpuId> ids = view.gpu_ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    report.devices.push_back({.device = DeviceOf(view, i, ids[i]),
                              .state = StateOf(view, ids[i]),
                              .holders = HoldersOf(cache, view, ids[i])});
  }
  return report;
}

std::vector<NodeReport> ReportGpus(const cache::Cache& cache) {
  std::vector<NodeReport> reports;
  for (const auto& [name, view] : cache.nodes()) {
    NodeReport report = ReportNode(cache, view);
    if (!report.devices.empty()) reports.push_back(std::move(report));
  }
  return reports;
}

std::map<NodeName, GpuCounts> CountGpus(const cache::Cache& cache) {
  std::map<NodeName, GpuCounts> counts;
  for (const auto& [name, view] : cache.nodes()) {
    if (!view.gpu_ids().empty()) counts.emplace(name, CountsOf(cache, view));
  }
  return counts;
}

}  // namespace gs::explain
