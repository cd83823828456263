#include "core/model/device.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gs::model {
namespace {

TEST(GpuDevice, PrintsIdentityAndTrouble) {
  GpuDevice device;
  device.id = GpuId(3);
  std::ostringstream plain;
  plain << device;
  EXPECT_EQ(plain.str(), "GPU 3");
  device.uuid = GpuUuid("GPU-1");
  device.model = "A100";
  device.health = Health::kUnhealthy;
  device.health_reason = "Xid 79";
  std::ostringstream full;
  full << device;
  EXPECT_EQ(full.str(), "GPU 3 GPU-1 A100 Unhealthy Xid 79");
}

TEST(Health, ReadsBack) {
  for (const auto health : {Health::kHealthy, Health::kUnhealthy}) {
    EXPECT_EQ(ParseHealth(ToString(health)), health);
  }
  EXPECT_EQ(ParseHealth("Tired"), std::nullopt);
}

}  // namespace
}  // namespace gs::model
