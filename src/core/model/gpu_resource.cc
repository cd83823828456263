#include "core/model/gpu_resource.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/saturated.h"

namespace gs::model {
namespace {

bool IsGpuOf(std::string_view vendor, std::string_view name) {
  // Everybody's devices are open to a monitor, and it takes none of them away.
  if (vendor == "gpu.intel.com") return !name.ends_with("_monitoring");
  if (vendor == "nvidia.com" && name.starts_with("mig-")) return true;
  // AMD's parts are named by how compute units and memory are split: cpx_nps4.
  if (vendor == "amd.com" && name.find("_nps") != std::string_view::npos) return true;
  return name.starts_with("gpu");
}

}  // namespace

bool IsGpuResource(std::string_view name) {
  const auto slash = name.find('/');
  return slash != std::string_view::npos && IsGpuOf(name.substr(0, slash), name.substr(slash + 1));
}

bool IsWholeGpuResource(std::string_view name) {
  return std::find(kWholeGpuResources.begin(), kWholeGpuResources.end(), name) !=
         kWholeGpuResources.end();
}

bool HasGpuResource(const Resources& resources) {
  return resources.gpus > 0 ||
         std::any_of(resources.others.begin(), resources.others.end(), [](const auto& other) {
           return other.second > 0 && IsGpuResource(other.first);
         });
}

std::int64_t WholeGpus(const Resources& resources) {
  return SaturatedAdd(resources.gpus, resources.others.Of(names::kAmdGpuResource));
}

std::string_view WholeGpuResource(const Resources& resources) {
  const bool has_amd = resources.others.Of(names::kAmdGpuResource) > 0;
  if (resources.gpus > 0) return has_amd ? "" : names::kGpuResource;
  return has_amd ? names::kAmdGpuResource : "";
}

void SetWholeGpus(Resources& resources, std::string_view resource, std::int64_t count) {
  GS_CHECK(IsWholeGpuResource(resource));
  if (resource == names::kGpuResource) {
    resources.gpus = count;
  } else {
    resources.others[std::string(resource)] = count;
  }
}

}  // namespace gs::model
