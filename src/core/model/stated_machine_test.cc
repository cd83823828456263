#include "core/model/stated_machine.h"

#include <gtest/gtest.h>

#include <utility>

namespace gs::model {
namespace {

StatedDevice Device(int id, std::vector<StatedLink> links = {}) {
  return {.device = {.id = GpuId(id)}, .links = std::move(links)};
}

std::string RefusalOf(std::vector<StatedDevice> stated) {
  const auto machine = MakeMachine(std::move(stated), "status.devices");
  return machine ? "accepted" : ToString(machine.error());
}

TEST(MakeMachine, OrdersDevicesAndLinksById) {
  const auto machine =
      MakeMachine({Device(9, {{.peer = GpuId(2), .kind = LinkKind::kNvLink}}), Device(4),
                   Device(2, {{.peer = GpuId(4), .pcie = PcieClass::kPix}})},
                  "devices");
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(machine->devices[0].id, GpuId(2));
  EXPECT_EQ(machine->devices[2].id, GpuId(9));
  EXPECT_EQ(machine->links.At(0, 2), (Link{.kind = LinkKind::kNvLink, .count = 1}));
  EXPECT_EQ(machine->links.At(1, 0), (Link{.pcie = PcieClass::kPix}));
  EXPECT_EQ(machine->links.At(1, 2), Link{});
}

TEST(MakeMachine, NamesThePlaceInTheText) {
  EXPECT_EQ(RefusalOf({Device(9, {{.peer = GpuId(1)}, {.peer = GpuId(3)}}), Device(1)}),
            "status.devices[0].links[1].peer: there is no GPU 3; the machine has 1,9");
  EXPECT_EQ(RefusalOf({Device(9), Device(9)}),
            "status.devices[1].id: GPU 9 is given already by status.devices[0]");
  EXPECT_EQ(RefusalOf({Device(9, {{.peer = GpuId(1), .kind = LinkKind::kXgmi}}),
                       Device(1, {{.peer = GpuId(9), .pcie = PcieClass::kPix}})}),
            "status.devices[0].links[0]: says 1xxGMI SYS, but status.devices[1].links[0] says PIX "
            "for the same pair; state a link on one side only, or alike on both");
}

TEST(MakeMachine, OfNothingIsAMachineWithoutGpus) {
  const auto machine = MakeMachine({}, "devices");
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(*machine, Machine{});
}

}  // namespace
}  // namespace gs::model
