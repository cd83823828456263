#include "adapters/gpu/seen_machine.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::LinkMatrix;

// The links of one GPU towards a peer, or towards the switches, as one.
struct Bundle {
  LinkKind kind = LinkKind::kNone;
  std::int32_t count = 0;
  std::int32_t bandwidth_gbps = 0;
};

Bundle BundleTo(const SeenGpu& gpu, const std::optional<PciAddress>& peer) {
  Bundle bundle;
  for (const SeenLink& link : gpu.links) {
    if (link.peer != peer) continue;
    bundle.kind = link.kind;
    bundle.count += 1;
    bundle.bandwidth_gbps += link.bandwidth_gbps;
  }
  return bundle;
}

// A link carries data if both its ends say so.
Bundle Narrower(const Bundle& a, const Bundle& b) {
  if (a.count == 0 || b.count == 0) return {};
  return {.kind = a.kind,
          .count = std::min(a.count, b.count),
          .bandwidth_gbps = std::min(a.bandwidth_gbps, b.bandwidth_gbps)};
}

Bundle BestOf(const SeenGpu& a, const SeenGpu& b, const SeenPair& pair) {
  const Bundle direct = Narrower(BundleTo(a, b.address), BundleTo(b, a.address));
  if (!pair.can_use_switch) return direct;
  const Bundle switched = Narrower(BundleTo(a, std::nullopt), BundleTo(b, std::nullopt));
  return switched.count > direct.count ? switched : direct;
}

Link LinkOf(const SeenGpu& a, const SeenGpu& b, const SeenPair& pair) {
  const Bundle best = BestOf(a, b, pair);
  if (best.count == 0) {
    return {.pcie = pair.pcie, .bandwidth_gbps = std::min(a.pcie_gbps, b.pcie_gbps)};
  }
  return {.kind = best.kind,
          .count = best.count,
          .pcie = pair.pcie,
          .bandwidth_gbps = best.bandwidth_gbps};
}

LinkMatrix LinksOf(const std::vector<SeenGpu>& gpus, const LookAtPair& look) {
  LinkMatrix links(gpus.size());
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < gpus.size(); ++b) {
      links.Set(a, b, LinkOf(gpus[a], gpus[b], look(gpus[a], gpus[b])));
    }
  }
  return links;
}

// Everything that `first` reaches over links gets the name; GPUs that reach nothing have no island.
void NameIsland(model::Machine& machine, std::size_t first, const IslandName& name) {
  std::vector<std::size_t> open{first};
  while (!open.empty()) {
    const std::size_t gpu = open.back();
    open.pop_back();
    for (std::size_t peer = 0; peer < machine.devices.size(); ++peer) {
      if (peer == gpu || machine.links.At(gpu, peer).count == 0) continue;
      machine.devices[gpu].island = name;
      if (!machine.devices[peer].island.empty()) continue;
      machine.devices[peer].island = name;
      open.push_back(peer);
    }
  }
}

void NameIslands(model::Machine& machine) {
  int islands = 0;
  for (std::size_t gpu = 0; gpu < machine.devices.size(); ++gpu) {
    if (!machine.devices[gpu].island.empty()) continue;
    NameIsland(machine, gpu, IslandName(std::to_string(islands)));
    if (!machine.devices[gpu].island.empty()) ++islands;
  }
}

std::int32_t BestBandwidth(const LinkMatrix& links, std::size_t gpu) {
  std::int32_t best = 0;
  for (std::size_t peer = 0; peer < links.size(); ++peer) {
    if (peer != gpu) best = std::max(best, links.At(gpu, peer).bandwidth_gbps);
  }
  return best;
}

void AddGpu(model::DeviceReport& report, SeenGpu gpu) {
  gpu.device.id = GpuId(static_cast<std::int32_t>(report.machine.devices.size()));
  gpu.device.pci_bus_id = ToString(gpu.address);
  gpu.facts.links_up = static_cast<std::int32_t>(gpu.links.size());
  std::sort(gpu.processes.begin(), gpu.processes.end(),
            [](const auto& a, const auto& b) { return a.pid < b.pid; });
  report.machine.devices.push_back(std::move(gpu.device));
  report.facts.push_back(std::move(gpu.facts));
  report.processes.push_back(std::move(gpu.processes));
}

}  // namespace

std::int32_t PcieGbps(std::uint32_t generation, std::uint32_t lanes) {
  // Both directions of 16 lanes, before encoding.
  constexpr std::array<std::int32_t, 8> kOf16Lanes{0, 8, 16, 32, 64, 128, 256, 512};
  if (generation >= kOf16Lanes.size() || lanes > 32) return 0;
  return kOf16Lanes.at(generation) * static_cast<std::int32_t>(lanes) / 16;
}

model::DeviceReport Assemble(std::vector<SeenGpu> gpus, const LookAtPair& look) {
  std::sort(gpus.begin(), gpus.end(),
            [](const SeenGpu& a, const SeenGpu& b) { return a.address < b.address; });
  model::DeviceReport report;
  report.machine.links = LinksOf(gpus, look);
  for (SeenGpu& gpu : gpus) AddGpu(report, std::move(gpu));
  NameIslands(report.machine);
  for (std::size_t gpu = 0; gpu < report.machine.devices.size(); ++gpu) {
    report.machine.devices[gpu].bandwidth_gbps = BestBandwidth(report.machine.links, gpu);
  }
  return report;
}

}  // namespace gs::gpu
