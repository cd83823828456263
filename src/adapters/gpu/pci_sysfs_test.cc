#include "adapters/gpu/pci_sysfs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gs::gpu {
namespace {

using model::PcieClass;

class PciSysfsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-sysfs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "bus/pci/devices");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A device as the kernel shows it: a folder in the tree and a link to it.
  void AddDevice(const std::string& path) {
    const auto real = folder_ / "devices" / path;
    std::filesystem::create_directories(real);
    std::filesystem::create_directory_symlink(real, sysfs_folder() / real.filename());
  }
  void Write(const PciAddress& address, const std::string& file, const std::string& text) {
    std::ofstream(sysfs_folder() / ToString(address) / file) << text;
  }
  [[nodiscard]] std::filesystem::path sysfs_folder() const { return folder_ / "bus/pci/devices"; }
  [[nodiscard]] PciSysfs sysfs() const { return PciSysfs(folder_); }

  std::filesystem::path folder_;
  const PciAddress gpu_{.bus = 0x41};
};

TEST_F(PciSysfsTest, ReadsTheNumaNodeOfADevice) {
  AddDevice("pci0000:40/0000:40:01.1/0000:41:00.0");
  EXPECT_EQ(*sysfs().NumaNode(gpu_), std::nullopt);
  Write(gpu_, "numa_node", "1\n");
  EXPECT_EQ(*sysfs().NumaNode(gpu_), 1);
  Write(gpu_, "numa_node", "-1\n");
  EXPECT_EQ(*sysfs().NumaNode(gpu_), std::nullopt);
  Write(gpu_, "numa_node", "\xff?\n");
  EXPECT_NE(ToString(sysfs().NumaNode(gpu_).error()).find("41:00.0/numa_node"), std::string::npos);
}

TEST_F(PciSysfsTest, ReadsTheSpeedOfASlot) {
  AddDevice("pci0000:40/0000:41:00.0");
  EXPECT_EQ(*sysfs().SlotGbps(gpu_), 0);
  Write(gpu_, "max_link_speed", "16.0 GT/s PCIe\n");
  Write(gpu_, "max_link_width", "16\n");
  EXPECT_EQ(*sysfs().SlotGbps(gpu_), 64);
  Write(gpu_, "max_link_speed", "Unknown\n");
  EXPECT_EQ(*sysfs().SlotGbps(gpu_), 0);
  Write(gpu_, "max_link_speed", "fast\n");
  EXPECT_NE(ToString(sysfs().SlotGbps(gpu_).error()).find("max_link_speed: expected a speed"),
            std::string::npos);
}

TEST_F(PciSysfsTest, ReadsThePathToADevice) {
  AddDevice("pci0000:40/0000:40:01.1/0000:41:00.0");
  EXPECT_EQ(sysfs().PathTo(gpu_),
            (std::vector<std::string>{"pci0000:40", "0000:40:01.1", "0000:41:00.0"}));
  EXPECT_TRUE(sysfs().PathTo({.bus = 0x99}).empty());
}

TEST(ParseLinkSpeed, KnowsTheWordsOfOldAndNewKernels) {
  EXPECT_EQ(*ParseLinkSpeed("8 GT/s"), 3U);
  EXPECT_EQ(*ParseLinkSpeed("8.0 GT/s PCIe"), 3U);
  EXPECT_EQ(*ParseLinkSpeed("32.0 GT/s PCIe"), 5U);
  EXPECT_FALSE(ParseLinkSpeed("").ok());
}

TEST(ClassOf, FollowsThePathsOfBoth) {
  const std::vector<std::string> a{"pci0000:40", "port", "up", "down1", "a"};
  EXPECT_EQ(ClassOf(a, {"pci0000:40", "port", "up", "down2", "b"}, true), PcieClass::kPix);
  EXPECT_EQ(ClassOf(a, {"pci0000:40", "port", "up", "down2", "up2", "down3", "b"}, true),
            PcieClass::kPxb);
  EXPECT_EQ(ClassOf(a, {"pci0000:40", "port2", "up2", "down3", "b"}, true), PcieClass::kPhb);
  EXPECT_EQ(ClassOf(a, {"pci0000:80", "port", "b"}, true), PcieClass::kNode);
  EXPECT_EQ(ClassOf(a, {"pci0000:80", "port", "b"}, false), PcieClass::kSys);
  EXPECT_EQ(ClassOf({}, {}, false), PcieClass::kSys);
}

}  // namespace
}  // namespace gs::gpu
