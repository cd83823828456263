// The objects of the measured cluster as JSON: nodes with eight GPUs, what agents and DRA drivers
// publish about them, and pods that ask for GPUs in every way that is compared.
#pragma once

#include <string>
#include <string_view>

namespace gs::bench {

inline constexpr int kGpusPerNode = 8;
inline constexpr const char* kNamespace = "bench";

// How a pod asks for its GPUs.
enum class Shape {
  kCounted,  // a number of nvidia.com/gpu, or none
  kClaim,    // a GpuClaim of its own
  kMap,      // exactly these, by gpu-scheduling-map
  kDevices,  // a ResourceClaim of its own (DRA)
};

struct PodAsk {
  Shape shape = Shape::kCounted;
  int gpus = 0;
  std::string scheduler;
};

[[nodiscard]] std::string NodeName(int number);
[[nodiscard]] std::string NodeJson(int number);
[[nodiscard]] std::string ReportJson(int number);        // a GpuNodeStatus without its status
[[nodiscard]] std::string ReportStatusJson(int number);  // as a merge patch
[[nodiscard]] std::string SliceJson(int number);         // a ResourceSlice

// The place that was chosen for a pod before anything began: pods fill one node after the other.
struct Place {
  int node = 0;
  int first_gpu = 0;
};
[[nodiscard]] Place PlaceOf(int pod, int gpus);

[[nodiscard]] std::string PodName(std::string_view prefix, int number);
[[nodiscard]] std::string PodJson(std::string_view prefix, int number, const PodAsk& ask);
// One that never met a scheduler: its node stands in it from the start.
[[nodiscard]] std::string BoundPodJson(std::string_view prefix, int number, int node);
[[nodiscard]] std::string GpuClaimJson(std::string_view prefix, int number, int gpus);
[[nodiscard]] std::string ResourceClaimJson(std::string_view prefix, int number, int gpus);

}  // namespace gs::bench
