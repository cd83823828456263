// A node and the report of its agent as large as real ones are, for benchmarks.
#pragma once

#include <string>

namespace gs::kube {

inline constexpr int kGpusPerReport = 8;

// Twelve digits, as UIDs end with.
[[nodiscard]] inline std::string TwelveDigits(int number) {
  return std::to_string(100000000000 + number);
}

[[nodiscard]] inline std::string NodeUidForBench(int number) {
  return "4d1f6c52-7f0e-4b1a-9d3c-" + TwelveDigits(number);
}

// One of eight GPUs on one NVSwitch, with the fields in the order in which the API server has them.
[[nodiscard]] inline std::string GpuJson(int node, int gpu) {
  const int socket = gpu * 2 / kGpusPerReport;
  std::string json = R"({"bandwidthGBps":900,"health":"Healthy","id":)" + std::to_string(gpu) +
                     R"(,"island":"0","links":[)";
  for (int peer = 0; peer < kGpusPerReport; ++peer) {
    if (peer == gpu) continue;
    json += json.back() == '[' ? "" : ",";
    json += R"({"bandwidthGBps":900,"count":18,"pcie":")";
    json += peer * 2 / kGpusPerReport == socket ? "NODE" : "SYS";
    json += R"(","peer":)" + std::to_string(peer) + R"(,"type":"NVSwitch"})";
  }
  return json + R"(],"memoryMiB":81559,"model":"NVIDIA H100 80GB HBM3","numaNode":)" +
         std::to_string(socket) + R"(,"pciBusId":"0000:)" + std::to_string(10 + gpu * 11) +
         R"(:00.0","uuid":"GPU-8f2d6c1e-3b7a-4c59-9e04-)" +
         TwelveDigits(node * kGpusPerReport + gpu) + R"("})";
}

[[nodiscard]] inline std::string ReportJson(int number) {
  const std::string name = "gpu-node-" + std::to_string(number);
  std::string json =
      R"({"apiVersion":"gpu.scheduling/v1","kind":"GpuNodeStatus","metadata":{"annotations":{"gpu.scheduling/agent":"gpu-scheduler-agent-x7k2p"},"creationTimestamp":"2026-03-01T12:00:00Z","generation":1,"managedFields":[{"apiVersion":"gpu.scheduling/v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{},"f:devices":{},"f:driverVersion":{},"f:observedAt":{},"f:total":{}}},"manager":"gpu-scheduler-agent","operation":"Update","subresource":"status","time":"2026-03-01T12:00:05Z"}],"name":")" +
      name + R"(","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":")" + name +
      R"(","uid":")" + NodeUidForBench(number) + R"("}],"resourceVersion":")" +
      std::to_string(200000 + number) + R"(","uid":"9b8a7c6d-5e4f-4a3b-8c2d-)" +
      TwelveDigits(number) + R"("},"spec":{"nodeName":")" + name +
      R"("},"status":{"conditions":[{"lastTransitionTime":"2026-03-01T12:00:05Z","message":"the agent reads the GPUs","reason":"GpusRead","status":"True","type":"Ready"}],"devices":[)";
  for (int gpu = 0; gpu < kGpusPerReport; ++gpu) {
    json += (gpu == 0 ? "" : ",") + GpuJson(number, gpu);
  }
  return json +
         R"(],"driverVersion":"550.54.15","observedAt":"2026-03-01T12:00:05.123456Z","total":8}})";
}

// Its node, with as many labels and resources as a GPU operator leaves there.
[[nodiscard]] inline std::string NodeJson(int number) {
  const std::string name = "gpu-node-" + std::to_string(number);
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"creationTimestamp":"2026-03-01T12:00:00Z","labels":{"beta.kubernetes.io/arch":"amd64","beta.kubernetes.io/os":"linux","kubernetes.io/arch":"amd64","kubernetes.io/hostname":")" +
         name +
         R"(","kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"p5.48xlarge","nvidia.com/gpu.count":"8","nvidia.com/gpu.present":"true","nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","topology.kubernetes.io/region":"eu-west-1","topology.kubernetes.io/zone":"eu-west-1a"},"name":")" +
         name + R"(","resourceVersion":")" + std::to_string(300000 + number) + R"(","uid":")" +
         NodeUidForBench(number) +
         R"("},"spec":{"podCIDR":"10.244.1.0/24"},"status":{"allocatable":{"cpu":"192","ephemeral-storage":"95551679124","hugepages-1Gi":"0","hugepages-2Mi":"0","memory":"2096935776Ki","nvidia.com/gpu":"8","pods":"250"},"capacity":{"cpu":"192","ephemeral-storage":"103680640Ki","hugepages-1Gi":"0","hugepages-2Mi":"0","memory":"2097038176Ki","nvidia.com/gpu":"8","pods":"250"},"conditions":[{"status":"True","type":"Ready"}]}})";
}

}  // namespace gs::kube
