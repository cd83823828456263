// Machines for tests, as their makers wire them. Everything is stated in links; islands follow from
// them.
#pragma once

#include <cstddef>

#include "core/decide/devices/topology.h"
#include "core/model/device.h"

namespace gs::testing {

// Builds a machine pair by pair: Machine(4).Link(0, 3, ...).
class MachineBuilder {
 public:
  explicit MachineBuilder(std::size_t gpus);

  MachineBuilder& Pair(std::size_t a, std::size_t b, const model::Link& link);
  // The same link between every two GPUs of first … last.
  MachineBuilder& Mesh(std::size_t first, std::size_t last, const model::Link& link);
  MachineBuilder& Numa(std::size_t first, std::size_t last, std::int32_t node);

  [[nodiscard]] const model::Machine& machine() const { return machine_; }
  [[nodiscard]] devices::Topology topology() const;

 private:
  model::Machine machine_;
};

// 8 V100 in a hybrid cube mesh: two quads of uneven links, each GPU linked to one of the other
// quad.
[[nodiscard]] MachineBuilder Dgx1Volta();
// 16 V100 on NVSwitch, 6 links each, two sockets.
[[nodiscard]] MachineBuilder Dgx2();
// 8 A100 on NVSwitch, 12 links each: every pair reaches 600 GB/s.
[[nodiscard]] MachineBuilder HgxA100();
// 4 GPUs on PCIe alone, one socket.
[[nodiscard]] MachineBuilder FourPcie();
// 8 PCIe GPUs on two sockets, NVLink bridges between 0-1, 2-3, 4-5 and 6-7.
[[nodiscard]] MachineBuilder TwoSockets();
// xGMI hives of `size` GPUs each, wired alike, each on a NUMA node of its own.
[[nodiscard]] MachineBuilder Hives(std::size_t hives, std::size_t size);

}  // namespace gs::testing
