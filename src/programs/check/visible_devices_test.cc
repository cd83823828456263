#include "programs/check/visible_devices.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gs::check {
namespace {

TEST(VisibleDevices, AreThoseOfTheDriver) {
  setenv("GS_FAKE_NVML", GS_SOURCE_DIR "/tests/fake_nvml/machines/4xl4.yaml", 1);
  const auto devices = VisibleDevices({.nvml_library = GS_FAKE_NVML});
  ASSERT_TRUE(devices.has_value());
  ASSERT_EQ(devices->size(), 4U);
  EXPECT_EQ(devices->back().text(), "GPU-e4000000-0000-0000-0000-000000000003");
}

TEST(VisibleDevices, AreUnknownWithoutADriver) {
  EXPECT_FALSE(VisibleDevices({.nvml_library = "/nowhere/libnvidia-ml.so.1",
                               .sysfs = "/nowhere/sys",
                               .procfs = "/nowhere/proc"})
                   .has_value());
}

}  // namespace
}  // namespace gs::check
