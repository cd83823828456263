#include "adapters/gpu/amd/amd_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/gpu/amd/kfd_text.h"

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::PcieClass;
using testing::ElementsAre;
using testing::HasSubstr;

// A sysfs and a procfs in a folder: two sockets, which are KFD's nodes 0 and 1, each with a hive of
// two MI210 behind it, nodes 2 to 5 on the buses 0x41, 0x44, 0xc1 and 0xc4.
class AmdDevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-kfd-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (int cpu = 0; cpu < 2; ++cpu) {
      Write(Node(cpu) + "/gpu_id", "0\n");
      Write(Node(cpu) + "/properties", "cpu_cores_count 64\n");
    }
    AddGpu(2, 0x41, 0);
    AddGpu(3, 0x44, 0);
    AddGpu(4, 0xc1, 1);
    AddGpu(5, 0xc4, 1);
    Join(2, 3);
    Join(4, 5);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string Node(int node) {
    return "sys/class/kfd/kfd/topology/nodes/" + std::to_string(node);
  }
  static std::string Pci(int bus) { return "sys/bus/pci/devices/" + ToString(Address(bus)); }
  static PciAddress Address(int bus) { return {.bus = static_cast<std::uint32_t>(bus)}; }

  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }

  void AddGpu(int node, int bus, int socket) {
    const std::string properties = "simd_count 416\nvendor_id 4098\ndomain 0\nlocation_id " +
                                   std::to_string(bus << 8) + "\nunique_id 1045238562815312345" +
                                   std::to_string(node) + "\n";
    Write(Node(node) + "/gpu_id", std::to_string(1000 + node) + "\n");
    Write(Node(node) + "/name", "aldebaran\n");
    Write(Node(node) + "/properties", properties);
    Write(Node(node) + "/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 68702699520\n");
    Write(Node(node) + "/mem_banks/1/properties", "heap_type 0\nsize_in_bytes 1\n");
    Write(Node(node) + "/io_links/0/properties",
          "type 2\nnode_to " + std::to_string(socket) + "\nmax_bandwidth 64000\n");
    const auto real = folder_ / ("sys/devices/pci0000:" + std::to_string(socket)) /
                      ("port" + std::to_string(node)) / ToString(Address(bus));
    std::filesystem::create_directories(real);
    std::filesystem::create_directories(folder_ / "sys/bus/pci/devices");
    std::filesystem::create_directory_symlink(real, folder_ / Pci(bus));
    Write(Pci(bus) + "/numa_node", std::to_string(socket) + "\n");
    Write(Pci(bus) + "/max_link_speed", "16.0 GT/s PCIe\n");
    Write(Pci(bus) + "/max_link_width", "16\n");
    Write(Pci(bus) + "/product_name", "AMD Instinct MI210\n");
  }

  void Join(int a, int b) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      Write(Node(from) + "/io_links/1/properties", "type 11\nnode_from " + std::to_string(from) +
                                                       "\nnode_to " + std::to_string(to) +
                                                       "\nweight 15\nmax_bandwidth 50000\n");
    }
  }

  Result<model::DeviceReport> Read() {
    return AmdDevices(folder_ / "sys", folder_ / "proc").Read();
  }
  std::string Refusal() {
    const auto report = Read();
    return report ? "accepted" : ToString(report.error());
  }

  std::filesystem::path folder_;
};

TEST_F(AmdDevicesTest, IsNotThereWithoutTheDriver) {
  EXPECT_EQ(AmdDevices(folder_ / "elsewhere", folder_ / "proc").Read().error().kind(),
            ErrorKind::kNotFound);
}

TEST_F(AmdDevicesTest, ReportsGpusWithTheirHives) {
  const auto report = Read();
  ASSERT_TRUE(report.ok()) << report.error();
  const auto& devices = report->machine.devices;
  ASSERT_EQ(devices.size(), 4U);
  EXPECT_EQ(devices[0], (model::GpuDevice{.id = GpuId(0),
                                          .uuid = GpuUuid("GPU-910e55598577127c"),
                                          .model = "AMD Instinct MI210",
                                          .memory_mib = 65520,
                                          .pci_bus_id = "0000:41:00.0",
                                          .numa_node = 0,
                                          .island = IslandName("0"),
                                          .bandwidth_gbps = 100}));
  EXPECT_EQ(devices[3].pci_bus_id, "0000:c4:00.0");
  EXPECT_EQ(devices[3].island, IslandName("1"));
  EXPECT_EQ(report->machine.links.At(0, 1), (Link{LinkKind::kXgmi, 1, PcieClass::kPhb, 100}));
  EXPECT_EQ(report->machine.links.At(0, 2), (Link{LinkKind::kNone, 0, PcieClass::kSys, 64}));
  EXPECT_EQ(report->facts[0], (model::GpuFacts{.links_up = 1}));
  EXPECT_FALSE(report->sees_processes);
}

TEST_F(AmdDevicesTest, ReportsAMachineWithoutGpusAsEmpty) {
  for (int node = 2; node <= 5; ++node) Write(Node(node) + "/gpu_id", "0\n");
  EXPECT_TRUE(Read()->machine.devices.empty());
}

TEST_F(AmdDevicesTest, NamesTheProcessesOfAGpuAndTheirPods) {
  Write("sys/class/kfd/kfd/proc/77/vram_1003", "4096\n");
  Write("sys/class/kfd/kfd/proc/77/vram_1002", "0\n");
  Write("proc/77/cgroup", "0::/kubepods/pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001/ab\n");
  const auto report = Read();
  ASSERT_TRUE(report.ok()) << report.error();
  EXPECT_TRUE(report->sees_processes);
  EXPECT_TRUE(report->processes.at(0).empty());
  EXPECT_THAT(report->processes.at(1),
              ElementsAre(model::GpuProcess{
                  .pid = 77, .pod = PodUid("0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001")}));
}

TEST_F(AmdDevicesTest, CountsUncorrectedErrors) {
  Write(Pci(0x44) + "/ras/umc_err_count", "ue: 2\nce: 40\n");
  EXPECT_EQ(Read()->facts.at(1).uncorrected_ecc, 2);
}

TEST_F(AmdDevicesTest, TakesPartitionsForOneGpuThatNobodyCanBeGiven) {
  AddGpu(6, 0xd1, 1);
  std::filesystem::copy(folder_ / Node(6), folder_ / Node(7),
                        std::filesystem::copy_options::recursive);
  const auto report = Read();
  ASSERT_EQ(report->machine.devices.size(), 5U);
  EXPECT_EQ(report->facts.at(4).stated, "in partitions (CPX or DPX)");
}

TEST_F(AmdDevicesTest, CallsAGpuByItsChipWhereItHasNoProductName) {
  std::filesystem::remove(folder_ / Pci(0x41) / "product_name");
  EXPECT_EQ(Read()->machine.devices.at(0).model, "aldebaran");
}

TEST_F(AmdDevicesTest, RefusesGarbageAndSaysWhere) {
  Write(Node(3) + "/properties", "simd_count 416\nlocation_id many\n");
  EXPECT_EQ(Refusal(), "KFD: " + (folder_ / Node(3)).string() +
                           "/properties: line 2, column 1: expected a whole number below 2^64, got "
                           "\"many\"");
  Write(Node(3) + "/properties", "\x01\x02");
  EXPECT_THAT(Refusal(), HasSubstr("/properties: line 1, column 1: expected a name and a number"));
  Write(Node(3) + "/gpu_id", "-5\n");
  EXPECT_THAT(Refusal(), HasSubstr("/gpu_id: expected a whole number below 2^64, got \"-5\""));
  std::filesystem::remove(folder_ / Node(3) / "gpu_id");
  EXPECT_THAT(Refusal(), HasSubstr("/gpu_id: is missing"));
}

TEST_F(AmdDevicesTest, RefusesGarbageBesideKfdAsWell) {
  Write(Pci(0x41) + "/numa_node", "zero\n");
  EXPECT_THAT(Refusal(), HasSubstr("0000:41:00.0/numa_node"));
  Write(Pci(0x41) + "/numa_node", "0\n");
  Write(Pci(0x41) + "/ras/umc_err_count", "nothing\n");
  EXPECT_THAT(Refusal(), HasSubstr("umc_err_count: expected a line \"ue: COUNT\""));
  Write(Pci(0x41) + "/ras/umc_err_count", "ue: 0\n");
  Write(Node(2) + "/io_links/x/properties", "type 2\n");
  EXPECT_THAT(Refusal(), HasSubstr("io_links/x: expected a whole number"));
}

TEST(KfdProperties, KnowsWhatIsThereAndTakesTheRestForZero) {
  const auto properties = KfdProperties::Parse("a_1 7\n\nb  18446744073709551615\n");
  ASSERT_TRUE(properties.ok()) << properties.error();
  EXPECT_EQ(properties->Get("a_1"), 7U);
  EXPECT_EQ(properties->Get("b"), 18446744073709551615U);
  EXPECT_EQ(properties->Get("c"), 0U);
  EXPECT_FALSE(KfdProperties::Parse(std::string(5000, '\n')).ok());
}

}  // namespace
}  // namespace gs::gpu
