#include "adapters/gpu/seen_machine.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::PcieClass;

PciAddress Bus(std::uint32_t bus) { return {.bus = bus}; }

SeenGpu Gpu(std::uint32_t bus) {
  SeenGpu gpu{.address = Bus(bus)};
  gpu.device.uuid = GpuUuid("GPU-" + std::to_string(bus));
  return gpu;
}

SeenPair SameSwitch(const SeenGpu&, const SeenGpu&) { return {.pcie = PcieClass::kPix}; }

// Both ends of so many links.
void Join(SeenGpu& a, SeenGpu& b, int links, std::int32_t bandwidth_gbps) {
  for (int i = 0; i < links; ++i) {
    a.links.push_back({.peer = b.address, .bandwidth_gbps = bandwidth_gbps});
    b.links.push_back({.peer = a.address, .bandwidth_gbps = bandwidth_gbps});
  }
}

void OnSwitch(SeenGpu& gpu, int links) {
  for (int i = 0; i < links; ++i) {
    gpu.links.push_back({.kind = LinkKind::kNvSwitch, .peer = {}, .bandwidth_gbps = 50});
  }
}

std::string Islands(const model::DeviceReport& report) {
  std::string islands;
  for (const auto& device : report.machine.devices) {
    islands += (device.island.empty() ? "-" : device.island.text()) + " ";
  }
  return islands;
}

TEST(Assemble, NumbersGpusByPciAddressWhateverTheOrder) {
  const auto report = Assemble({Gpu(9), Gpu(1), Gpu(4)}, SameSwitch);
  ASSERT_EQ(report.machine.devices.size(), 3U);
  EXPECT_EQ(report.machine.devices[0].uuid, GpuUuid("GPU-1"));
  EXPECT_EQ(report.machine.devices[2].uuid, GpuUuid("GPU-9"));
  EXPECT_EQ(report.machine.devices[2].id, GpuId(2));
  EXPECT_EQ(report.machine.devices[2].pci_bus_id, "0000:09:00.0");
}

TEST(Assemble, AddsUpTheLinksOfAPair) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  Join(a, b, 2, 50);
  const auto report = Assemble({a, b}, SameSwitch);
  EXPECT_EQ(report.machine.links.At(0, 1), (Link{LinkKind::kNvLink, 2, PcieClass::kPix, 100}));
  EXPECT_EQ(report.machine.devices[0].bandwidth_gbps, 100);
  EXPECT_EQ(report.facts[0].links_up, 2);
}

TEST(Assemble, CountsALinkOnlyIfBothEndsAreUp) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  Join(a, b, 2, 50);
  b.links.pop_back();
  EXPECT_EQ(Assemble({a, b}, SameSwitch).machine.links.At(0, 1).count, 1);
  b.links.clear();
  EXPECT_EQ(Assemble({a, b}, SameSwitch).machine.links.At(0, 1).kind, LinkKind::kNone);
}

TEST(Assemble, JoinsEveryPairOnSwitchesByTheWeakerOne) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  auto c = Gpu(3);
  OnSwitch(a, 12);
  OnSwitch(b, 12);
  OnSwitch(c, 11);
  const auto report = Assemble({a, b, c, Gpu(4)}, SameSwitch);
  EXPECT_EQ(report.machine.links.At(0, 1), (Link{LinkKind::kNvSwitch, 12, PcieClass::kPix, 600}));
  EXPECT_EQ(report.machine.links.At(1, 2), (Link{LinkKind::kNvSwitch, 11, PcieClass::kPix, 550}));
  EXPECT_EQ(report.machine.links.At(2, 3), (Link{LinkKind::kNone, 0, PcieClass::kPix, 0}));
  EXPECT_EQ(Islands(report), "0 0 0 - ");
}

TEST(Assemble, DoesNotJoinOverSwitchesThatDoNotWork) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  OnSwitch(a, 12);
  OnSwitch(b, 12);
  const auto report = Assemble({a, b}, [](const SeenGpu&, const SeenGpu&) {
    return SeenPair{.pcie = PcieClass::kSys, .can_use_switch = false};
  });
  EXPECT_EQ(report.machine.links.At(0, 1), Link{});
  EXPECT_EQ(Islands(report), "- - ");
}

TEST(Assemble, NamesIslandsInTheOrderOfTheirFirstGpu) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  auto c = Gpu(3);
  auto d = Gpu(4);
  auto e = Gpu(5);
  Join(b, e, 1, 50);
  Join(a, c, 1, 50);
  Join(c, d, 1, 50);  // through the middle
  EXPECT_EQ(Islands(Assemble({a, b, c, d, e, Gpu(6)}, SameSwitch)), "0 1 0 0 1 - ");
}

TEST(Assemble, GivesPairsOnPcieTheFigureOfTheSlowerSlot) {
  auto a = Gpu(1);
  auto b = Gpu(2);
  a.pcie_gbps = 64;
  b.pcie_gbps = 32;
  const auto report = Assemble({a, b}, SameSwitch);
  EXPECT_EQ(report.machine.links.At(0, 1), (Link{LinkKind::kNone, 0, PcieClass::kPix, 32}));
  EXPECT_EQ(report.machine.devices[0].bandwidth_gbps, 32);
}

TEST(Assemble, OrdersProcessesAndKeepsThemWithTheirGpu) {
  auto a = Gpu(2);
  a.processes = {{.pid = 9, .pod = {}}, {.pid = 3, .pod = PodUid("u")}};
  const auto report = Assemble({a, Gpu(1)}, SameSwitch);
  EXPECT_TRUE(report.processes[0].empty());
  EXPECT_EQ(report.processes[1].at(0).pid, 3);
  EXPECT_EQ(report.processes[1].at(1).pid, 9);
}

TEST(PcieGbps, CountsBothDirections) {
  EXPECT_EQ(PcieGbps(3, 16), 32);
  EXPECT_EQ(PcieGbps(4, 16), 64);
  EXPECT_EQ(PcieGbps(5, 8), 64);
  EXPECT_EQ(PcieGbps(0, 16), 0);
  EXPECT_EQ(PcieGbps(99, 16), 0);
  EXPECT_EQ(PcieGbps(4, 4000000000), 0);
}

}  // namespace
}  // namespace gs::gpu
