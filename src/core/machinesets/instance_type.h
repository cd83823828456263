// InstanceType: a kind of machine that a cloud rents out, as far as GPUs and the autoscaler care.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs::machinesets {

// Those whose machine sets can be made here.
enum class Platform : std::uint8_t { kAws, kAzure, kGcp };

// As Infrastructure.status.platformStatus.type spells it.
[[nodiscard]] std::string_view ToString(Platform platform);

enum class Vendor : std::uint8_t { kNvidia, kAmd };

// "nvidia", "amd": how labels, taints and resources of that vendor begin.
[[nodiscard]] std::string_view ToString(Vendor vendor);

enum class Arch : std::uint8_t { kAmd64, kArm64 };

// As the label kubernetes.io/arch has it.
[[nodiscard]] std::string_view ToString(Arch arch);

struct InstanceType {
  Platform platform = Platform::kAws;
  std::string_view name;
  int gpus = 0;  // 0: only those that are attached to it (GCP's N1)
  std::string_view model;
  Vendor vendor = Vendor::kNvidia;
  std::int64_t gpu_memory_mib = 0;  // of each
  int vcpus = 0;
  std::int64_t memory_mib = 0;
  Arch arch = Arch::kAmd64;
  std::string_view note = "";  // what users should hear about it
};

// The value of the label cluster-api/accelerator: "nvidia-rtx-pro-6000".
[[nodiscard]] std::string AcceleratorOf(Vendor vendor, std::string_view model);

}  // namespace gs::machinesets
