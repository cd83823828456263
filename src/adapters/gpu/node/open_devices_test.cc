#include "adapters/gpu/node/open_devices.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gs::gpu {
namespace {

class OpenDevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-open-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    options_.nvml_library = folder_ / "libnvidia-ml.so.1";
    options_.sysfs = folder_ / "sys";
    options_.procfs = folder_ / "proc";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }

  std::filesystem::path folder_;
  DeviceOptions options_;
};

TEST_F(OpenDevicesTest, FindsNothingOnANodeWithoutGpus) {
  const auto source = OpenDevices(options_);
  ASSERT_TRUE(source.ok()) << source.error();
  EXPECT_EQ(*source, nullptr);
}

TEST_F(OpenDevicesTest, TakesTheFileThatIsNamed) {
  Write("machine.yaml", "[{id: 0}]");
  options_.machine_file = folder_ / "machine.yaml";
  const auto source = OpenDevices(options_);
  ASSERT_TRUE(source.ok()) << source.error();
  EXPECT_EQ((*source)->name(), "file " + options_.machine_file.string());
}

TEST_F(OpenDevicesTest, RefusesAFileThatIsWrong) {
  options_.machine_file = folder_ / "machine.yaml";
  EXPECT_EQ(OpenDevices(options_).error().kind(), ErrorKind::kNotFound);
  Write("machine.yaml", "a: b: c");
  EXPECT_EQ(
      ToString(OpenDevices(options_).error()),
      options_.machine_file.string() + ": line 1, column 5: not valid YAML: illegal map value");
}

TEST_F(OpenDevicesTest, FindsTheGpusOfAmd) {
  const std::string node = "sys/class/kfd/kfd/topology/nodes/0";
  Write(node + "/gpu_id", "0");
  EXPECT_EQ(*OpenDevices(options_), nullptr) << "a driver without GPUs is no GPU";
  Write(node + "/gpu_id", "77");
  Write(node + "/properties", "location_id 16640\n");
  const auto source = OpenDevices(options_);
  ASSERT_TRUE(source.ok()) << source.error();
  ASSERT_NE(*source, nullptr);
  EXPECT_EQ((*source)->name(), "KFD");
  EXPECT_EQ((*source)->Read()->machine.devices.size(), 1U);
}

TEST_F(OpenDevicesTest, KeepsADriverThatIsThereAndCannotBeUsed) {
  Write("libnvidia-ml.so.1", "no library");
  const auto source = OpenDevices(options_);
  ASSERT_TRUE(source.ok()) << source.error();
  ASSERT_NE(*source, nullptr);
  EXPECT_EQ((*source)->name(), "NVML");
  EXPECT_EQ((*source)->Read().error().kind(), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace gs::gpu
