// Whole machines, as the fake NVML serves them, against files of what has to be reported. Where a
// report differs, what was reported is in the message, ready to be compared and taken over.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "adapters/gpu/machine_file.h"
#include "adapters/gpu/nvml/fake_node.h"
#include "adapters/gpu/nvml/nvml_devices.h"
#include "adapters/runtime/read_file.h"

namespace gs::gpu {
namespace {

using model::LinkKind;

void PrintLink(std::ostream& out, std::size_t peer, const model::Link& link) {
  out << "  - {peer: " << peer << ", type: " << (link.count > 0 ? ToString(link.kind) : "PCIe");
  if (link.count > 0) out << ", count: " << link.count;
  out << ", pcie: " << ToString(link.pcie) << ", bandwidthGBps: " << link.bandwidth_gbps << "}\n";
}

void PrintDevice(std::ostream& out, const model::GpuDevice& device) {
  out << "- id: " << device.id << "\n  uuid: " << device.uuid
      << "\n  model: " << device.model.text() << "\n  memoryMiB: " << device.memory_mib
      << "\n  pciBusId: '" << device.pci_bus_id.text() << "'\n";
  if (device.numa_node) out << "  numaNode: " << *device.numa_node << "\n";
  if (!device.island.empty()) out << "  island: '" << device.island << "'\n";
  out << "  bandwidthGBps: " << device.bandwidth_gbps << "\n";
}

// As a machine file, every link on its lower id.
std::string Printed(const model::Machine& machine) {
  std::ostringstream out;
  out << "devices:\n";
  for (std::size_t a = 0; a < machine.devices.size(); ++a) {
    PrintDevice(out, machine.devices[a]);
    if (a + 1 < machine.devices.size()) out << "  links:\n";
    for (std::size_t b = a + 1; b < machine.devices.size(); ++b) {
      PrintLink(out, b, machine.links.At(a, b));
    }
  }
  return out.str();
}

class NvmlMachines : public testing::TestWithParam<const char*> {};

TEST_P(NvmlMachines, AreReportedAsWrittenDown) {
  const std::string name = GetParam();
  const FakeNode node(name);
  NvmlDevices devices(node.options(name == "old-driver"));
  const auto report = devices.Read();
  ASSERT_TRUE(report.ok()) << report.error();
  EXPECT_TRUE(report->warnings.empty()) << report->warnings.front();
  EXPECT_TRUE(report->sees_processes);
  EXPECT_NE(node.text().find("driverVersion: " + report->driver_version), std::string::npos);
  const auto golden = runtime::ReadFile(
      std::filesystem::path(GS_SOURCE_DIR) / "tests/fake_nvml/reported" / (name + ".yaml"),
      1 << 20);
  EXPECT_EQ(Printed(report->machine), golden.ok() ? *golden : ToString(golden.error()));
  const auto read_back = ReadMachine(Printed(report->machine));
  ASSERT_TRUE(read_back.ok()) << read_back.error();
  EXPECT_EQ(*read_back, report->machine);
}

INSTANTIATE_TEST_SUITE_P(All, NvmlMachines,
                         testing::Values("dgx-1", "dgx-a100", "dgx-h100", "4xl4", "mixed-pcie",
                                         "old-driver"),
                         [](const auto& machine) {
                           std::string name;
                           for (const char letter : std::string(machine.param)) {
                             if (letter != '-') name += letter;
                           }
                           return name;
                         });

}  // namespace
}  // namespace gs::gpu
