// What one explanation costs in a cluster of 5,000 nodes with eight GPUs each, nearly all in use:
// for a pod that has too few GPUs everywhere, one that no node tolerates, and one that asks for an
// island.
#include <benchmark/benchmark.h>

#include <string>

#include "core/explain/explanation.h"
#include "core/model/names.h"

namespace gs::explain {
namespace {

constexpr int kGpus = 8;

class Full {
 public:
  explicit Full(int nodes) : cache_({.scheduler = SchedulerName("gpu-scheduler")}) {
    for (int i = 0; i < nodes; ++i) AddNode(i);
    model::Claim claim;
    claim.ns = Namespace("team");
    claim.name = ClaimName("island");
    claim.devices.count = kGpus / 2;
    claim.topology =
        model::TopologyRequest{.mode = model::TopologyMode::kRequired, .min_bandwidth_gbps = 600};
    See(model::ClaimSeen{claim});
  }

  [[nodiscard]] Explanation ExplainTo(const model::Pod& pod) {
    const decide::PlaceContext context{.topologies = topologies_,
                                       .choices = choices_,
                                       .tables = tables_,
                                       .wishes = wishes_,
                                       .weights = weights_,
                                       .rejections = rejections_,
                                       .keep = keep_,
                                       .storage = cache_.storage()};
    return Explain(pod, {.cache = cache_, .pending = pending_, .context = context, .ask = ask_});
  }

 private:
  void See(const model::Event& event) { (void)cache_.Apply(event, {}); }

  // Every tenth node keeps its GPUs for a team; on the others two pods have three each.
  void AddNode(int number) {
    model::Node node;
    node.name = NodeName("node-" + std::to_string(number));
    node.labels.Set("kubernetes.io/hostname", node.name.text());
    node.allocatable = {.cpu_milli = 64000, .memory_bytes = 0, .gpus = kGpus, .others = {}};
    node.allocatable_pods = 110;
    node.gpu_capacity = kGpus;
    if (number % 10 == 0) node.taints = {{"dedicated", "ml", model::TaintEffect::kNoSchedule}};
    See(model::NodeSeen{node});
    model::Machine machine;
    for (std::int32_t id = 0; id < kGpus; ++id) {
      model::GpuDevice device;
      device.id = GpuId(id);
      device.uuid = GpuUuid("GPU-" + std::to_string(number) + "-" + std::to_string(id));
      machine.devices.push_back(device);
    }
    machine.links = model::LinkMatrix(kGpus);
    See(model::MachineSeen{.node = node.name, .machine = machine, .resource_version = {}});
    AddPod(node.name, "a", {GpuId(0), GpuId(1), GpuId(2)});
    AddPod(node.name, "b", {GpuId(3), GpuId(4), GpuId(5)});
  }
  void AddPod(const NodeName& node, const std::string& name, std::vector<GpuId> ids) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(name + "-" + node.text()),
               PodUid("uid-" + name + "-" + node.text())};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.node = node;
    model::Allocation allocation;
    allocation.pod = pod.ref.uid;
    allocation.gpus = {node, std::move(ids)};
    pod.annotations = model::ResultAnnotations(allocation);
    See(model::PodSeen{pod});
  }

  cache::Cache cache_;
  pending::Pending pending_;
  decide::AskOptions ask_;
  decide::TopologyMemo topologies_;
  decide::ChoiceMemo choices_;
  devices::TableCache tables_;
  devices::TableWishes wishes_;
  score::SizeWeights weights_;
  decide::Rejections rejections_;
  decide::Keep keep_;
};

model::Pod Waiting(const std::string& claim) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName("waits"), PodUid("waits")};
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.annotations.Set(model::names::kClaim, claim);
  return pod;
}

void ExplainIsland(benchmark::State& state) {
  Full cluster(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(cluster.ExplainTo(Waiting("island")));
}
BENCHMARK(ExplainIsland)->Arg(100)->Arg(5000)->Unit(benchmark::kMillisecond);

void ExplainMissingClaim(benchmark::State& state) {
  Full cluster(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(cluster.ExplainTo(Waiting("missing")));
}
BENCHMARK(ExplainMissingClaim)->Arg(5000)->Unit(benchmark::kMillisecond);

void ExplainCpu(benchmark::State& state) {
  Full cluster(static_cast<int>(state.range(0)));
  model::Pod pod = Waiting("island");
  pod.annotations = {};
  pod.requests.cpu_milli = 65000;
  for (auto _ : state) benchmark::DoNotOptimize(cluster.ExplainTo(pod));
}
BENCHMARK(ExplainCpu)->Arg(5000)->Unit(benchmark::kMillisecond);

void ExplainSelector(benchmark::State& state) {
  Full cluster(static_cast<int>(state.range(0)));
  model::Pod pod = Waiting("island");
  pod.annotations = {};
  pod.rules->node_selector.Set("zone", "elsewhere");
  for (auto _ : state) benchmark::DoNotOptimize(cluster.ExplainTo(pod));
}
BENCHMARK(ExplainSelector)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gs::explain
