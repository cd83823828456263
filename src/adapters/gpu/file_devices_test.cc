#include "adapters/gpu/file_devices.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gs::gpu {
namespace {

class FileDevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-devices-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& text) { std::ofstream(file()) << text; }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "machine.yaml"; }

  std::filesystem::path folder_;
};

TEST_F(FileDevicesTest, ReportsTheMachineAndStatedHealthAsAFact) {
  Write("[{id: 0}, {id: 1, health: Unhealthy, healthReason: fan, inUseBy: [a/b], residue: [u-1]}]");
  const auto report = FileDevices(file()).Read();
  ASSERT_TRUE(report.ok()) << report.error();
  ASSERT_EQ(report->machine.devices.size(), 2U);
  EXPECT_EQ(report->facts.at(0), model::GpuFacts{});
  EXPECT_EQ(report->facts.at(1).stated, "fan");
  const model::GpuDevice& second = report->machine.devices[1];
  EXPECT_EQ(second.health, model::Health::kHealthy);
  EXPECT_TRUE(second.in_use_by.empty());
  EXPECT_EQ(second.residue, std::vector{PodUid("u-1")});
  EXPECT_EQ(report->processes.size(), 2U);
  EXPECT_FALSE(report->sees_processes);
}

TEST_F(FileDevicesTest, IsUnhealthyAlsoWithoutAReason) {
  Write("[{id: 0, health: Unhealthy}]");
  EXPECT_EQ(FileDevices(file()).Read()->facts.at(0).stated, "stated");
}

TEST_F(FileDevicesTest, SeesAnEditAtTheNextReading) {
  Write("[{id: 0}]");
  FileDevices devices(file());
  EXPECT_EQ(devices.Read()->machine.devices.size(), 1U);
  Write("[{id: 0}, {id: 1}]");
  EXPECT_EQ(devices.Read()->machine.devices.size(), 2U);
  Write("devices: 3");
  EXPECT_EQ(ToString(devices.Read().error()),
            file().string() + ": devices: expected a list, got 3");
}

TEST_F(FileDevicesTest, TellsNoFaultsByItself) {
  FileDevices devices(file());
  EXPECT_FALSE(devices.has_faults());
  EXPECT_EQ(ToString(devices.WaitFaults(Duration(0)).error()),
            "file " + file().string() + " tells no faults by itself");
}

}  // namespace
}  // namespace gs::gpu
