#include "tests/support/machines.h"

#include <array>

namespace gs::testing {

using model::Link;
using model::LinkKind;
using model::PcieClass;

MachineBuilder::MachineBuilder(std::size_t gpus) {
  for (std::size_t i = 0; i < gpus; ++i) {
    machine_.devices.push_back(
        {.id = GpuId(static_cast<std::int32_t>(i)), .uuid = GpuUuid("GPU-" + std::to_string(i))});
  }
  machine_.links = model::LinkMatrix(gpus);
}

MachineBuilder& MachineBuilder::Pair(std::size_t a, std::size_t b, const Link& link) {
  machine_.links.Set(a, b, link);
  return *this;
}

MachineBuilder& MachineBuilder::Mesh(std::size_t first, std::size_t last, const Link& link) {
  for (std::size_t a = first; a <= last; ++a) {
    for (std::size_t b = a + 1; b <= last; ++b) Pair(a, b, link);
  }
  return *this;
}

MachineBuilder& MachineBuilder::Numa(std::size_t first, std::size_t last, std::int32_t node) {
  for (std::size_t i = first; i <= last; ++i) machine_.devices[i].numa_node = node;
  return *this;
}

devices::Topology MachineBuilder::topology() const {
  return devices::Topology::Of(machine_).value();
}

MachineBuilder Dgx1Volta() {
  struct Wire {
    std::size_t a;
    std::size_t b;
    std::int32_t links;
    PcieClass pcie;
  };
  constexpr std::array kWires{Wire{0, 1, 1, PcieClass::kPix}, Wire{0, 2, 1, PcieClass::kPhb},
                              Wire{0, 3, 2, PcieClass::kPhb}, Wire{0, 4, 2, PcieClass::kSys},
                              Wire{1, 2, 2, PcieClass::kPhb}, Wire{1, 3, 1, PcieClass::kPhb},
                              Wire{1, 5, 2, PcieClass::kSys}, Wire{2, 3, 2, PcieClass::kPix},
                              Wire{2, 6, 1, PcieClass::kSys}, Wire{3, 7, 1, PcieClass::kSys},
                              Wire{4, 5, 1, PcieClass::kPix}, Wire{4, 6, 1, PcieClass::kPhb},
                              Wire{4, 7, 2, PcieClass::kPhb}, Wire{5, 6, 2, PcieClass::kPhb},
                              Wire{5, 7, 1, PcieClass::kPhb}, Wire{6, 7, 2, PcieClass::kPix}};
  MachineBuilder builder(8);
  builder.Numa(0, 3, 0).Numa(4, 7, 1);
  for (const Wire& wire : kWires) {
    builder.Pair(wire.a, wire.b, {LinkKind::kNvLink, wire.links, wire.pcie, 50 * wire.links});
  }
  return builder;
}

MachineBuilder Dgx2() {
  MachineBuilder builder(16);
  builder.Mesh(0, 15, {LinkKind::kNvSwitch, 6, PcieClass::kSys, 300});
  builder.Mesh(0, 7, {LinkKind::kNvSwitch, 6, PcieClass::kNode, 300});
  builder.Mesh(8, 15, {LinkKind::kNvSwitch, 6, PcieClass::kNode, 300});
  return builder.Numa(0, 7, 0).Numa(8, 15, 1);
}

MachineBuilder HgxA100() {
  MachineBuilder builder(8);
  builder.Mesh(0, 7, {LinkKind::kNvSwitch, 12, PcieClass::kSys, 600});
  builder.Mesh(0, 3, {LinkKind::kNvSwitch, 12, PcieClass::kNode, 600});
  builder.Mesh(4, 7, {LinkKind::kNvSwitch, 12, PcieClass::kNode, 600});
  return builder.Numa(0, 3, 0).Numa(4, 7, 1);
}

MachineBuilder FourPcie() {
  MachineBuilder builder(4);
  builder.Mesh(0, 3, {LinkKind::kNone, 0, PcieClass::kNode, 64});
  return builder.Numa(0, 3, 0);
}

MachineBuilder TwoSockets() {
  MachineBuilder builder(8);
  builder.Mesh(0, 7, {LinkKind::kNone, 0, PcieClass::kSys, 40});
  for (const std::size_t socket : {0U, 4U}) {
    builder.Mesh(socket, socket + 3, {LinkKind::kNone, 0, PcieClass::kNode, 64});
    builder.Pair(socket, socket + 1, {LinkKind::kNvLink, 4, PcieClass::kPix, 112});
    builder.Pair(socket + 2, socket + 3, {LinkKind::kNvLink, 4, PcieClass::kPix, 112});
    builder.Numa(socket, socket + 3, static_cast<std::int32_t>(socket / 4));
  }
  return builder;
}

MachineBuilder Hives(std::size_t hives, std::size_t size) {
  MachineBuilder builder(hives * size);
  for (std::size_t hive = 0; hive < hives; ++hive) {
    const std::size_t first = hive * size;
    builder.Mesh(first, first + size - 1, {LinkKind::kXgmi, 1, PcieClass::kNode, 100});
    builder.Numa(first, first + size - 1, static_cast<std::int32_t>(hive));
  }
  return builder;
}

}  // namespace gs::testing
