#include "core/machinesets/catalogue.h"

#include <array>

#include "base/text.h"

namespace gs::machinesets {
namespace {

// Sources. AWS: counts, processors and memory as the cluster autoscaler's ec2_instance_types.go and
// Karpenter's instance-types.md have them (they agree where both list a type), models and GPU
// memory from the latter; 22888 MiB is what the API says of the 24 GB of an L4 or A10G. Azure: the
// cluster autoscaler's azure_instance_types.go, models and GPU memory from the pages of
// azure-compute-docs. GCP: the machine types that SkyPilot's catalogue lists; N1 by the provider's
// rule of 3.75 (standard) and 6.5 GiB (highmem) for each processor.
struct Model {
  std::string_view name;
  Vendor vendor = Vendor::kNvidia;
  std::int64_t memory_mib = 0;
};

constexpr Model kNone{"", Vendor::kNvidia, 0};
constexpr Model kT4{"T4", Vendor::kNvidia, 16384};
constexpr Model kT4g{"T4g", Vendor::kNvidia, 16384};
constexpr Model kA10G{"A10G", Vendor::kNvidia, 22888};
constexpr Model kL4{"L4", Vendor::kNvidia, 24576};
constexpr Model kL4Aws{"L4", Vendor::kNvidia, 22888};
constexpr Model kL40S{"L40S", Vendor::kNvidia, 45776};
constexpr Model kRtxPro4500{"RTX PRO 4500", Vendor::kNvidia, 32768};
constexpr Model kRtxPro6000{"RTX PRO 6000", Vendor::kNvidia, 98304};
constexpr Model kV100{"V100", Vendor::kNvidia, 16384};
constexpr Model kV100Large{"V100", Vendor::kNvidia, 32768};
constexpr Model kA100{"A100", Vendor::kNvidia, 40960};
constexpr Model kA100Large{"A100", Vendor::kNvidia, 81920};
constexpr Model kH100{"H100", Vendor::kNvidia, 81920};
constexpr Model kH100Nvl{"H100 NVL", Vendor::kNvidia, 96256};
constexpr Model kH200{"H200", Vendor::kNvidia, 144384};
constexpr Model kB200{"B200", Vendor::kNvidia, 184320};
constexpr Model kB200Aws{"B200", Vendor::kNvidia, 183359};
constexpr Model kB300{"B300", Vendor::kNvidia, 275040};
constexpr Model kV520{"Radeon Pro V520", Vendor::kAmd, 8192};
constexpr Model kMI300X{"MI300X", Vendor::kAmd, 196608};

constexpr std::string_view kUndocumented = "not documented by OpenShift";
constexpr std::string_view kRetired = "retired by Azure in 2025";
constexpr std::string_view kStandard = "Standard_";

// NOLINTNEXTLINE(readability-function-size): the columns of a table
constexpr InstanceType Row(Platform platform, std::string_view name, int gpus, const Model& model,
                           int vcpus, std::int64_t memory_mib, Arch arch = Arch::kAmd64,
                           std::string_view note = "") {
  return {.platform = platform,
          .name = name,
          .gpus = gpus,
          .model = model.name,
          .vendor = model.vendor,
          .gpu_memory_mib = model.memory_mib,
          .vcpus = vcpus,
          .memory_mib = memory_mib,
          .arch = arch,
          .note = note};
}

constexpr std::array kCatalogue{
    Row(Platform::kAws, "g4dn.xlarge", 1, kT4, 4, 16384),
    Row(Platform::kAws, "g4dn.2xlarge", 1, kT4, 8, 32768),
    Row(Platform::kAws, "g4dn.4xlarge", 1, kT4, 16, 65536),
    Row(Platform::kAws, "g4dn.8xlarge", 1, kT4, 32, 131072),
    Row(Platform::kAws, "g4dn.12xlarge", 4, kT4, 48, 196608),
    Row(Platform::kAws, "g4dn.16xlarge", 1, kT4, 64, 262144),
    Row(Platform::kAws, "g4dn.metal", 8, kT4, 96, 393216),
    Row(Platform::kAws, "g5g.xlarge", 1, kT4g, 4, 8192, Arch::kArm64),
    Row(Platform::kAws, "g5g.2xlarge", 1, kT4g, 8, 16384, Arch::kArm64),
    Row(Platform::kAws, "g5g.4xlarge", 1, kT4g, 16, 32768, Arch::kArm64),
    Row(Platform::kAws, "g5g.8xlarge", 1, kT4g, 32, 65536, Arch::kArm64),
    Row(Platform::kAws, "g5g.16xlarge", 2, kT4g, 64, 131072, Arch::kArm64),
    Row(Platform::kAws, "g5g.metal", 2, kT4g, 64, 131072, Arch::kArm64),
    Row(Platform::kAws, "g5.xlarge", 1, kA10G, 4, 16384),
    Row(Platform::kAws, "g5.2xlarge", 1, kA10G, 8, 32768),
    Row(Platform::kAws, "g5.4xlarge", 1, kA10G, 16, 65536),
    Row(Platform::kAws, "g5.8xlarge", 1, kA10G, 32, 131072),
    Row(Platform::kAws, "g5.12xlarge", 4, kA10G, 48, 196608),
    Row(Platform::kAws, "g5.16xlarge", 1, kA10G, 64, 262144),
    Row(Platform::kAws, "g5.24xlarge", 4, kA10G, 96, 393216),
    Row(Platform::kAws, "g5.48xlarge", 8, kA10G, 192, 786432),
    Row(Platform::kAws, "g6.xlarge", 1, kL4Aws, 4, 16384),
    Row(Platform::kAws, "g6.2xlarge", 1, kL4Aws, 8, 32768),
    Row(Platform::kAws, "g6.4xlarge", 1, kL4Aws, 16, 65536),
    Row(Platform::kAws, "g6.8xlarge", 1, kL4Aws, 32, 131072),
    Row(Platform::kAws, "g6.12xlarge", 4, kL4Aws, 48, 196608),
    Row(Platform::kAws, "g6.16xlarge", 1, kL4Aws, 64, 262144),
    Row(Platform::kAws, "g6.24xlarge", 4, kL4Aws, 96, 393216),
    Row(Platform::kAws, "g6.48xlarge", 8, kL4Aws, 192, 786432),
    Row(Platform::kAws, "gr6.4xlarge", 1, kL4Aws, 16, 131072),
    Row(Platform::kAws, "gr6.8xlarge", 1, kL4Aws, 32, 262144),
    Row(Platform::kAws, "g6e.xlarge", 1, kL40S, 4, 32768),
    Row(Platform::kAws, "g6e.2xlarge", 1, kL40S, 8, 65536),
    Row(Platform::kAws, "g6e.4xlarge", 1, kL40S, 16, 131072),
    Row(Platform::kAws, "g6e.8xlarge", 1, kL40S, 32, 262144),
    Row(Platform::kAws, "g6e.12xlarge", 4, kL40S, 48, 393216),
    Row(Platform::kAws, "g6e.16xlarge", 1, kL40S, 64, 524288),
    Row(Platform::kAws, "g6e.24xlarge", 4, kL40S, 96, 786432),
    Row(Platform::kAws, "g6e.48xlarge", 8, kL40S, 192, 1572864),
    Row(Platform::kAws, "g7.2xlarge", 1, kRtxPro4500, 8, 32768),
    Row(Platform::kAws, "g7.4xlarge", 1, kRtxPro4500, 16, 65536),
    Row(Platform::kAws, "g7.8xlarge", 1, kRtxPro4500, 32, 131072),
    Row(Platform::kAws, "g7.12xlarge", 2, kRtxPro4500, 48, 196608),
    Row(Platform::kAws, "g7.24xlarge", 4, kRtxPro4500, 96, 393216),
    Row(Platform::kAws, "g7.48xlarge", 8, kRtxPro4500, 192, 786432),
    Row(Platform::kAws, "g7e.2xlarge", 1, kRtxPro6000, 8, 65536),
    Row(Platform::kAws, "g7e.4xlarge", 1, kRtxPro6000, 16, 131072),
    Row(Platform::kAws, "g7e.8xlarge", 1, kRtxPro6000, 32, 262144),
    Row(Platform::kAws, "g7e.12xlarge", 2, kRtxPro6000, 48, 524288),
    Row(Platform::kAws, "g7e.24xlarge", 4, kRtxPro6000, 96, 1048576),
    Row(Platform::kAws, "g7e.48xlarge", 8, kRtxPro6000, 192, 2097152),
    Row(Platform::kAws, "p3.2xlarge", 1, kV100, 8, 62464),
    Row(Platform::kAws, "p3.8xlarge", 4, kV100, 32, 249856),
    Row(Platform::kAws, "p3.16xlarge", 8, kV100, 64, 499712),
    Row(Platform::kAws, "p3dn.24xlarge", 8, kV100Large, 96, 786432),
    Row(Platform::kAws, "p4d.24xlarge", 8, kA100, 96, 1179648),
    Row(Platform::kAws, "p4de.24xlarge", 8, kA100Large, 96, 1179648),
    Row(Platform::kAws, "p5.4xlarge", 1, kH100, 16, 262144),
    Row(Platform::kAws, "p5.48xlarge", 8, kH100, 192, 2097152),
    Row(Platform::kAws, "p5e.48xlarge", 8, kH200, 192, 2097152),
    Row(Platform::kAws, "p5en.48xlarge", 8, kH200, 192, 2097152),
    Row(Platform::kAws, "p6-b200.48xlarge", 8, kB200Aws, 192, 2097152),
    Row(Platform::kAws, "p6-b300.48xlarge", 8, kB300, 192, 4194304),
    Row(Platform::kAws, "g4ad.xlarge", 1, kV520, 4, 16384),
    Row(Platform::kAws, "g4ad.2xlarge", 1, kV520, 8, 32768),
    Row(Platform::kAws, "g4ad.4xlarge", 1, kV520, 16, 65536),
    Row(Platform::kAws, "g4ad.8xlarge", 2, kV520, 32, 131072),
    Row(Platform::kAws, "g4ad.16xlarge", 4, kV520, 64, 262144),
    Row(Platform::kAzure, "Standard_NC4as_T4_v3", 1, kT4, 4, 28672),
    Row(Platform::kAzure, "Standard_NC8as_T4_v3", 1, kT4, 8, 57344),
    Row(Platform::kAzure, "Standard_NC16as_T4_v3", 1, kT4, 16, 112640),
    Row(Platform::kAzure, "Standard_NC64as_T4_v3", 4, kT4, 64, 450560),
    Row(Platform::kAzure, "Standard_NC24ads_A100_v4", 1, kA100Large, 24, 225280),
    Row(Platform::kAzure, "Standard_NC48ads_A100_v4", 2, kA100Large, 48, 450560),
    Row(Platform::kAzure, "Standard_NC96ads_A100_v4", 4, kA100Large, 96, 901120),
    Row(Platform::kAzure, "Standard_NC40ads_H100_v5", 1, kH100Nvl, 40, 327680),
    Row(Platform::kAzure, "Standard_NC80adis_H100_v5", 2, kH100Nvl, 80, 655360),
    Row(Platform::kAzure, "Standard_NC6s_v3", 1, kV100, 6, 114688, Arch::kAmd64, kRetired),
    Row(Platform::kAzure, "Standard_NC12s_v3", 2, kV100, 12, 229376, Arch::kAmd64, kRetired),
    Row(Platform::kAzure, "Standard_NC24s_v3", 4, kV100, 24, 458752, Arch::kAmd64, kRetired),
    Row(Platform::kAzure, "Standard_NC24rs_v3", 4, kV100, 24, 458752, Arch::kAmd64, kRetired),
    Row(Platform::kAzure, "Standard_ND96asr_v4", 8, kA100, 96, 921600),
    Row(Platform::kAzure, "Standard_ND96amsr_A100_v4", 8, kA100Large, 96, 1843200),
    Row(Platform::kAzure, "Standard_ND96isr_H100_v5", 8, kH100, 96, 1945600),
    Row(Platform::kAzure, "Standard_ND96isr_H200_v5", 8, kH200, 96, 1894400),
    Row(Platform::kAzure, "Standard_ND96isr_MI300X_v5", 8, kMI300X, 96, 1894400),
    Row(Platform::kGcp, "a2-highgpu-1g", 1, kA100, 12, 87040),
    Row(Platform::kGcp, "a2-highgpu-2g", 2, kA100, 24, 174080),
    Row(Platform::kGcp, "a2-highgpu-4g", 4, kA100, 48, 348160),
    Row(Platform::kGcp, "a2-highgpu-8g", 8, kA100, 96, 696320),
    Row(Platform::kGcp, "a2-megagpu-16g", 16, kA100, 96, 1392640),
    Row(Platform::kGcp, "a2-ultragpu-1g", 1, kA100Large, 12, 174080),
    Row(Platform::kGcp, "a2-ultragpu-2g", 2, kA100Large, 24, 348160),
    Row(Platform::kGcp, "a2-ultragpu-4g", 4, kA100Large, 48, 696320),
    Row(Platform::kGcp, "a2-ultragpu-8g", 8, kA100Large, 96, 1392640),
    Row(Platform::kGcp, "g2-standard-4", 1, kL4, 4, 16384, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-8", 1, kL4, 8, 32768, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-12", 1, kL4, 12, 49152, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-16", 1, kL4, 16, 65536, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-24", 2, kL4, 24, 98304, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-32", 1, kL4, 32, 131072, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-48", 4, kL4, 48, 196608, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "g2-standard-96", 8, kL4, 96, 393216, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-highgpu-1g", 1, kH100, 26, 239616, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-highgpu-2g", 2, kH100, 52, 479232, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-highgpu-4g", 4, kH100, 104, 958464, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-highgpu-8g", 8, kH100, 208, 1916928, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-megagpu-8g", 8, kH100, 208, 1916928, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a3-ultragpu-8g", 8, kH200, 224, 3022848, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "a4-highgpu-8g", 8, kB200, 224, 4063232, Arch::kAmd64, kUndocumented),
    Row(Platform::kGcp, "n1-standard-1", 0, kNone, 1, 3840),
    Row(Platform::kGcp, "n1-standard-2", 0, kNone, 2, 7680),
    Row(Platform::kGcp, "n1-standard-4", 0, kNone, 4, 15360),
    Row(Platform::kGcp, "n1-standard-8", 0, kNone, 8, 30720),
    Row(Platform::kGcp, "n1-standard-16", 0, kNone, 16, 61440),
    Row(Platform::kGcp, "n1-standard-32", 0, kNone, 32, 122880),
    Row(Platform::kGcp, "n1-standard-64", 0, kNone, 64, 245760),
    Row(Platform::kGcp, "n1-standard-96", 0, kNone, 96, 368640),
    Row(Platform::kGcp, "n1-highmem-2", 0, kNone, 2, 13312),
    Row(Platform::kGcp, "n1-highmem-4", 0, kNone, 4, 26624),
    Row(Platform::kGcp, "n1-highmem-8", 0, kNone, 8, 53248),
    Row(Platform::kGcp, "n1-highmem-16", 0, kNone, 16, 106496),
    Row(Platform::kGcp, "n1-highmem-32", 0, kNone, 32, 212992),
    Row(Platform::kGcp, "n1-highmem-64", 0, kNone, 64, 425984),
    Row(Platform::kGcp, "n1-highmem-96", 0, kNone, 96, 638976),
};

// What the provider's API of OpenShift accepts.
constexpr std::array kAttachedGpus{
    AttachedGpu{"nvidia-tesla-k80", "K80", 12288},
    AttachedGpu{"nvidia-tesla-p100", "P100", 16384},
    AttachedGpu{"nvidia-tesla-v100", "V100", 16384},
    AttachedGpu{"nvidia-tesla-p4", "P4", 8192},
    AttachedGpu{"nvidia-tesla-t4", "T4", 16384},
};

bool HasStandard(std::string_view name) {
  return name.size() > kStandard.size() &&
         text::EqualsIgnoringCase(name.substr(0, kStandard.size()), kStandard);
}

}  // namespace

std::span<const InstanceType> Catalogue() { return kCatalogue; }

std::string ApiNameOf(Platform platform, std::string_view name) {
  if (platform != Platform::kAzure || HasStandard(name)) return std::string(name);
  return std::string(kStandard) + std::string(name);
}

const InstanceType* FindInstanceType(Platform platform, std::string_view name) {
  const std::string wanted = ApiNameOf(platform, name);
  for (const InstanceType& type : kCatalogue) {
    if (type.platform == platform && text::EqualsIgnoringCase(type.name, wanted)) return &type;
  }
  return nullptr;
}

const AttachedGpu* FindAttachedGpu(std::string_view name) {
  for (const AttachedGpu& gpu : kAttachedGpus) {
    if (gpu.name == name) return &gpu;
  }
  return nullptr;
}

std::string AttachedGpuNames() {
  return text::Join(kAttachedGpus, ", ", [](const AttachedGpu& gpu) { return gpu.name; });
}

}  // namespace gs::machinesets
