#include "core/machinesets/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/machinesets/settings.h"

namespace gs::machinesets {
namespace {

TEST(Catalogue, HasEveryTypeOnceAndWhole) {
  std::set<std::pair<Platform, std::string_view>> seen;
  for (const InstanceType& type : Catalogue()) {
    EXPECT_TRUE(seen.emplace(type.platform, type.name).second) << type.name;
    EXPECT_GT(type.vcpus, 0) << type.name;
    EXPECT_GT(type.memory_mib, 0) << type.name;
    EXPECT_EQ(type.gpus > 0, !type.model.empty()) << type.name;
    EXPECT_EQ(type.gpus > 0, type.gpu_memory_mib > 0) << type.name;
  }
}

TEST(Catalogue, KnowsTheTypesOfTheDefaultSettings) {
  for (const TypeWish& wish : DefaultSettings().types) {
    const InstanceType* type = FindInstanceType(Platform::kAws, wish.type);
    ASSERT_NE(type, nullptr) << wish.type;
    EXPECT_EQ(type->model, "L4");
    EXPECT_EQ(type->gpus, wish.type == "g6.4xlarge" ? 1 : 4);
  }
}

TEST(Catalogue, FindsTypesOfOnePlatformOnly) {
  EXPECT_NE(FindInstanceType(Platform::kAws, "P5.48xlarge"), nullptr);
  EXPECT_EQ(FindInstanceType(Platform::kGcp, "p5.48xlarge"), nullptr);
  EXPECT_NE(FindInstanceType(Platform::kAzure, "NC4as_T4_v3"), nullptr);
  EXPECT_NE(FindInstanceType(Platform::kAzure, "Standard_NC4as_T4_v3"), nullptr);
  EXPECT_EQ(ApiNameOf(Platform::kAzure, "NC4as_T4_v3"), "Standard_NC4as_T4_v3");
}

TEST(Catalogue, NamesAcceleratorsAsLabels) {
  EXPECT_EQ(AcceleratorOf(Vendor::kNvidia, "L4"), "nvidia-l4");
  EXPECT_EQ(AcceleratorOf(Vendor::kNvidia, "RTX PRO 6000"), "nvidia-rtx-pro-6000");
  EXPECT_EQ(AcceleratorOf(Vendor::kAmd, "MI300X"), "amd-mi300x");
}

TEST(Catalogue, KnowsWhatGcpAttaches) {
  ASSERT_NE(FindAttachedGpu("nvidia-tesla-t4"), nullptr);
  EXPECT_EQ(FindAttachedGpu("nvidia-l4"), nullptr);
}

}  // namespace
}  // namespace gs::machinesets
