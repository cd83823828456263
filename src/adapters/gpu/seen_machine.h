// From what a driver says about each GPU to one report: ids by rank in PCI bus order, the links of
// every pair, islands, bandwidths. The same for all drivers, and a function of its arguments alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "adapters/gpu/pci_address.h"
#include "core/model/device_report.h"

namespace gs::gpu {

// One link that is up, seen from one end.
struct SeenLink {
  model::LinkKind kind = model::LinkKind::kNvLink;
  std::optional<PciAddress> peer;   // the device at the other end; nothing: a switch
  std::int32_t bandwidth_gbps = 0;  // nominal, both directions; 0: unknown
};

struct SeenGpu {
  PciAddress address;
  model::GpuDevice device;  // id, PCI bus id, island and bandwidth follow from the rest
  model::GpuFacts facts;    // links_up likewise
  std::vector<model::GpuProcess> processes;
  std::vector<SeenLink> links;
  std::int32_t pcie_gbps = 0;  // of its slot, nominal, both directions; 0: unknown
};

// What only the two of a pair know together.
struct SeenPair {
  model::PcieClass pcie = model::PcieClass::kSys;
  bool can_use_switch = true;  // false: both are on switches that do not join them
};
using LookAtPair = std::function<SeenPair(const SeenGpu&, const SeenGpu&)>;

// GB/s of a PCIe slot, both directions together; 0 for generations that do not exist.
[[nodiscard]] std::int32_t PcieGbps(std::uint32_t generation, std::uint32_t lanes);

// Fills machine, facts and processes of a report. `look` is called once per pair, in PCI bus order.
// Requires: no two addresses are alike.
[[nodiscard]] model::DeviceReport Assemble(std::vector<SeenGpu> gpus, const LookAtPair& look);

}  // namespace gs::gpu
