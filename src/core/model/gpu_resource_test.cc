#include "core/model/gpu_resource.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gs::model {
namespace {

Resources Of(std::initializer_list<OtherAmounts::value_type> others, std::int64_t gpus = 0) {
  Resources resources;
  resources.gpus = gpus;
  resources.others = others;
  return resources;
}

TEST(GpuResource, IsKnownByItsName) {
  for (const char* name :
       {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "nvidia.com/gpumem",
        "amd.com/gpu", "amd.com/cpx_nps4", "gpu.intel.com/i915", "gpu.intel.com/xe",
        "gpu.intel.com/tiles", "aliyun.com/gpu-mem"}) {
    EXPECT_TRUE(IsGpuResource(name)) << name;
  }
  for (const char* name :
       {"gpu", "cpu", "memory", "vendor.com/nic", "nvidia.com/hostdev", "amd.com/fpga",
        "example.com/mig-1g.5gb", "gpu.intel.com/i915_monitoring", "hugepages-1Gi", ""}) {
    EXPECT_FALSE(IsGpuResource(name)) << name;
  }
}

TEST(GpuResource, OnlySomeCountWholeGpus) {
  EXPECT_TRUE(IsWholeGpuResource("nvidia.com/gpu"));
  EXPECT_TRUE(IsWholeGpuResource("amd.com/gpu"));
  EXPECT_FALSE(IsWholeGpuResource("nvidia.com/gpu.shared"));
  EXPECT_FALSE(IsWholeGpuResource("gpu.intel.com/i915"));
}

TEST(GpuResource, APartIsAUseOfGpusAndNoWholeOne) {
  EXPECT_FALSE(HasGpuResource(Of({{"vendor.com/nic", 2}})));
  EXPECT_FALSE(HasGpuResource(Of({{"nvidia.com/gpu.shared", 0}})));
  EXPECT_TRUE(HasGpuResource(Of({{"nvidia.com/gpu.shared", 1}})));
  EXPECT_TRUE(HasGpuResource(Of({}, 1)));
  EXPECT_EQ(WholeGpus(Of({{"nvidia.com/mig-1g.5gb", 7}})), 0);
  EXPECT_EQ(WholeGpus(Of({{"amd.com/gpu", 2}}, 3)), 5);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(WholeGpus(Of({{"amd.com/gpu", kMost}}, 1)), kMost);
}

TEST(GpuResource, TheResourceOfWholeGpusIsFoundAndSet) {
  EXPECT_EQ(WholeGpuResource(Of({}, 1)), "nvidia.com/gpu");
  EXPECT_EQ(WholeGpuResource(Of({{"amd.com/gpu", 1}})), "amd.com/gpu");
  EXPECT_EQ(WholeGpuResource(Of({{"amd.com/gpu", 1}}, 1)), "");
  EXPECT_EQ(WholeGpuResource(Of({{"gpu.intel.com/xe", 1}})), "");
  Resources resources = Of({{"amd.com/gpu", 1}});
  SetWholeGpus(resources, "amd.com/gpu", 4);
  EXPECT_EQ(resources, Of({{"amd.com/gpu", 4}}));
  SetWholeGpus(resources, "nvidia.com/gpu", 2);
  EXPECT_EQ(resources, Of({{"amd.com/gpu", 4}}, 2));
}

}  // namespace
}  // namespace gs::model
