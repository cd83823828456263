// The GPU instance types that are known: how many GPUs of which model, processors and memory.
//
// Data with its sources, in catalogue.cc. What is not in it can still be used by naming the counts.
#pragma once

#include <span>
#include <string_view>

#include "core/machinesets/instance_type.h"

namespace gs::machinesets {

// By platform, in the order people read them.
[[nodiscard]] std::span<const InstanceType> Catalogue();

// Null where it is not known. Whatever its case; Azure's sizes with or without "Standard_".
[[nodiscard]] const InstanceType* FindInstanceType(Platform platform, std::string_view name);

// The type as the platform's API wants it: Azure's sizes begin with "Standard_".
[[nodiscard]] std::string ApiNameOf(Platform platform, std::string_view name);

// A GPU that GCP attaches to an N1 machine, by its name in the API ("nvidia-tesla-t4"). Null where
// it is none that OpenShift accepts.
struct AttachedGpu {
  std::string_view name;
  std::string_view model;
  std::int64_t gpu_memory_mib = 0;
};
[[nodiscard]] const AttachedGpu* FindAttachedGpu(std::string_view name);
// "nvidia-tesla-k80, ...": for refusals.
[[nodiscard]] std::string AttachedGpuNames();

}  // namespace gs::machinesets
