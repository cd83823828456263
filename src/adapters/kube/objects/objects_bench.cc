// What it costs to read pods: against the bare parser on the same text, and in bytes that stay.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <simdjson.h>

#include <chrono>
#include <string>
#include <vector>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/json_pieces.h"

namespace gs::kube {
namespace {

// As an API server lists the pod of a Job: 4 KB, a third of them managed fields.
std::string PodJson(int number, bool is_bound) {
  const std::string name = "train-resnet-" + std::to_string(number);
  const std::string node = is_bound ? R"("nodeName":"gpu-node-17",)" : "";
  const std::string running =
      is_bound
          ? R"(,"containerStatuses":[{"containerID":"containerd://5b1c0f3c8a1d4c5e9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f","image":"registry.example.com/ml/resnet:2026.3","imageID":"registry.example.com/ml/resnet@sha256:0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c","lastState":{},"name":"main","ready":true,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-03-01T12:00:09Z"}},"resources":{"requests":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"4"},"limits":{"memory":"64Gi","nvidia.com/gpu":"4"}},"allocatedResources":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"4"}}],"hostIP":"10.20.30.40","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}],"qosClass":"Burstable","startTime":"2026-03-01T12:00:02Z")"
          : R"(,"qosClass":"Burstable")";
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"batch.kubernetes.io/job-completion-index":")" +
         std::to_string(number) +
         R"(","gpu.scheduling/claim":"quad","kubectl.kubernetes.io/default-container":"main"},"creationTimestamp":"2026-03-01T12:00:00Z","finalizers":["batch.kubernetes.io/job-tracking"],"generateName":"train-resnet-","labels":{"app.kubernetes.io/name":"resnet","app.kubernetes.io/part-of":"training","batch.kubernetes.io/controller-uid":"6f1f2e3d-4c5b-4a69-8788-96a5b4c3d2e1","batch.kubernetes.io/job-name":"train-resnet","controller-uid":"6f1f2e3d-4c5b-4a69-8788-96a5b4c3d2e1","job-name":"train-resnet"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:batch.kubernetes.io/job-completion-index":{},"f:gpu.scheduling/claim":{}},"f:finalizers":{".":{},"v:\"batch.kubernetes.io/job-tracking\"":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{},"f:batch.kubernetes.io/controller-uid":{},"f:batch.kubernetes.io/job-name":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"6f1f2e3d-4c5b-4a69-8788-96a5b4c3d2e1\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:args":{},"f:command":{},"f:env":{".":{},"k:{\"name\":\"EPOCHS\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{},"f:nvidia.com/gpu":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{},"f:nvidia.com/gpu":{}}},"f:volumeMounts":{".":{},"k:{\"mountPath\":\"/dev/shm\"}":{".":{},"f:mountPath":{},"f:name":{}}}}},"f:restartPolicy":{},"f:schedulerName":{},"f:volumes":{".":{},"k:{\"name\":\"shm\"}":{".":{},"f:emptyDir":{".":{},"f:medium":{}},"f:name":{}}}}},"manager":"kube-controller-manager","operation":"Update","time":"2026-03-01T12:00:00Z"}],"name":")" + name +
         R"(","namespace":"team-vision","ownerReferences":[{"apiVersion":"batch/v1","blockOwnerDeletion":true,"controller":true,"kind":"Job","name":"train-resnet","uid":"6f1f2e3d-4c5b-4a69-8788-96a5b4c3d2e1"}],"resourceVersion":")" +
         std::to_string(100000 + number) + R"(","uid":"0a1b2c3d-4e5f-4a6b-8c7d-)" +
         std::to_string(100000000000 + number) + R"("},"spec":{)" + node +
         R"("containers":[{"args":["--data=/data","--epochs=90"],"command":["python","train.py"],"env":[{"name":"EPOCHS","value":"90"},{"name":"CUDA_VISIBLE_DEVICES","value":"0,1,2,3"},{"name":"CUDA_DEVICE_ORDER","value":"PCI_BUS_ID"}],"image":"registry.example.com/ml/resnet:2026.3","imagePullPolicy":"IfNotPresent","name":"main","resources":{"limits":{"memory":"64Gi","nvidia.com/gpu":"4"},"requests":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"4"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","volumeMounts":[{"mountPath":"/dev/shm","name":"shm"},{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":"kube-api-access-abcde","readOnly":true}]}],"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"nodeSelector":{"nvidia.com/gpu.present":"true"},"preemptionPolicy":"PreemptLowerPriority","priority":0,"restartPolicy":"Never","schedulerName":"gpu-scheduler","securityContext":{},"serviceAccount":"default","serviceAccountName":"default","terminationGracePeriodSeconds":30,"tolerations":[{"effect":"NoSchedule","key":"nvidia.com/gpu","operator":"Exists"},{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300},{"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":300}],"volumes":[{"emptyDir":{"medium":"Memory"},"name":"shm"},{"name":"kube-api-access-abcde","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"items":[{"key":"ca.crt","path":"ca.crt"}],"name":"kube-root-ca.crt"}},{"downwardAPI":{"items":[{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"},"path":"namespace"}]}}]}}]},"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:02Z","status":"True","type":"PodScheduled"}],"phase":")" +
         (is_bound ? "Running" : "Pending") + "\"" + running + "}}";
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// A pod by the bare parser, in seconds, in the same run and on the same text.
double ParseOnly(const std::string& json) {
  constexpr int kTimes = 20000;
  simdjson::dom::parser parser;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) {
    simdjson::dom::element root;
    benchmark::DoNotOptimize(parser.parse(json.data(), json.size()).get(root));
  }
  return Seconds(std::chrono::steady_clock::now() - start) / kTimes;
}

void DecodeOnePod(benchmark::State& state) {
  const std::string json = PodJson(7, state.range(0) != 0);
  if (!DecodePod(json)) state.SkipWithError("the pod cannot be read");
  const double parse_only = ParseOnly(json);
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(DecodePod(json));
  const double each =
      Seconds(std::chrono::steady_clock::now() - start) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
  state.counters["json_bytes"] = static_cast<double>(json.size());
  state.counters["parse_only_us"] = parse_only * 1e6;
  state.counters["times_parse_only"] = each / parse_only;
}

void SplitPageOf500(benchmark::State& state) {
  std::string page = R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)";
  for (int i = 0; i < 500; ++i) page += (i == 0 ? "" : ",") + PodJson(i, true);
  page += "]}";
  for (auto _ : state) {
    const auto pieces = JsonPieces::Split(page, "items");
    if (!pieces || pieces->items().size() != 500) state.SkipWithError("the page cannot be read");
  }
  state.SetItemsProcessed(state.iterations() * 500);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(page.size()));
}

// One object of a watch, as a frame: checked as a whole, and split.
void SplitFrame(benchmark::State& state) {
  const std::string line = R"({"type":"MODIFIED","object":)" + PodJson(7, true) + "}";
  for (auto _ : state) benchmark::DoNotOptimize(JsonPieces::Split(line));
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}

// What 50,000 pods take in memory once they are read.
void KeepPods(benchmark::State& state) {
  constexpr int kPods = 50000;
  for (auto _ : state) {
    const auto before = mallinfo2().uordblks + mallinfo2().hblkhd;
    std::vector<model::Pod> pods;
    pods.reserve(kPods);
    for (int i = 0; i < kPods; ++i) pods.push_back(*DecodePod(PodJson(i, state.range(0) != 0)));
    const auto after = mallinfo2().uordblks + mallinfo2().hblkhd;
    state.counters["bytes_per_pod"] = static_cast<double>(after - before) / kPods;
  }
  state.counters["sizeof_pod"] = sizeof(model::Pod);
}

BENCHMARK(DecodeOnePod)->ArgName("bound")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(SplitPageOf500)->Unit(benchmark::kMillisecond);
BENCHMARK(SplitFrame)->Unit(benchmark::kMicrosecond);
BENCHMARK(KeepPods)->ArgName("bound")->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gs::kube
