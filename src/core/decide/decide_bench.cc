// What one decision costs in a large cluster: 5,000 nodes in 50 zones with 50,000 pods of 500
// applications, for pods that say nothing about others, that must be near to some, away from some,
// or spread.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/decide/decide.h"

namespace gs::decide {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPods = 50'000;
constexpr int kZones = 50;
constexpr int kApps = 500;
const TimePoint kNow{std::chrono::hours(1)};

model::LabelSelector App(int app) {
  return {{{"app", model::SelectorOperator::kIn, {"app-" + std::to_string(app)}}}};
}

model::PodAffinityTerm Per(const std::string& key, int app) {
  model::PodAffinityTerm term;
  term.selector = App(app);
  term.namespaces = {Namespace("team")};
  term.topology_key = key;
  return term;
}

model::Pod Pod(int number, int app) {
  const std::string name = "pod-" + std::to_string(number);
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("0b0f3c1e-9a52-4d5e-8b0e-" + name)};
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.labels = {{"app", "app-" + std::to_string(app)}, {"pod-template-hash", "7d9c5b8f64"}};
  pod.requests.cpu_milli = 100;
  return pod;
}

// Every tenth application keeps its pods on nodes of their own.
cache::Cache Cluster() {
  cache::Cache cache({.scheduler = SchedulerName("gpu-scheduler")});
  for (int i = 0; i < kNodes; ++i) {
    model::Node node;
    const std::string name = "node-" + std::to_string(i);
    node.name = NodeName(name);
    node.labels = {{"kubernetes.io/hostname", name},
                   {"topology.kubernetes.io/zone", "zone-" + std::to_string(i % kZones)}};
    node.allocatable = {.cpu_milli = 64'000, .memory_bytes = 0, .gpus = 0, .others = {}};
    node.allocatable_pods = 110;
    (void)cache.Apply(model::NodeSeen{node}, kNow);
  }
  for (int i = 0; i < kPods; ++i) {
    model::Pod pod = Pod(i, i % kApps);
    pod.node = NodeName("node-" + std::to_string(i % kNodes));
    if (i % kApps % 10 == 0) {
      pod.ties->anti_affinity = {Per("kubernetes.io/hostname", i % kApps)};
    }
    (void)cache.Apply(model::PodSeen{pod}, kNow);
  }
  return cache;
}

enum Rule : std::int64_t { kNone, kNear, kApart, kSpread };

model::Pod Asking(std::int64_t rule) {
  model::Pod pod = Pod(kPods, 7);
  if (rule == kNear) pod.rules->pod_affinity = {Per("topology.kubernetes.io/zone", 7)};
  if (rule == kApart) pod.ties->anti_affinity = {Per("kubernetes.io/hostname", 7)};
  if (rule == kSpread) {
    pod.rules->spread = {
        {.topology_key = "topology.kubernetes.io/zone", .max_skew = 1000, .selector = App(7)}};
  }
  return pod;
}

void DecideOnce(benchmark::State& state) {
  static cache::Cache cache = Cluster();
  const model::Pod pod = Asking(state.range(0));
  (void)cache.Apply(model::PodSeen{pod}, kNow);
  TopologyMemo topologies;
  ChoiceMemo choices;
  const devices::TableCache tables;
  devices::TableWishes wishes;
  const score::SizeWeights weights;
  const Rejections rejections;
  const Keep keep;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Decide(pod, Ask{}, cache,
                                    {.topologies = topologies,
                                     .choices = choices,
                                     .tables = tables,
                                     .wishes = wishes,
                                     .weights = weights,
                                     .rejections = rejections,
                                     .keep = keep,
                                     .storage = cache.storage()}));
  }
  (void)cache.Apply(model::PodGone{pod.ref}, kNow);
}

// A pod of another comes and goes, while others ask about 100 applications.
void PodComesAndGoes(benchmark::State& state) {
  static cache::Cache cache = [] {
    cache::Cache asked = Cluster();
    for (int app = 0; app < 100; ++app) {
      model::Pod pod = Pod(2 * kPods + app, app);
      pod.rules->pod_affinity = {Per("topology.kubernetes.io/zone", app)};
      (void)asked.Apply(model::PodSeen{pod}, kNow);
    }
    return asked;
  }();
  model::Pod pod = Pod(kPods, 7);
  pod.node = NodeName("node-1");
  for (auto _ : state) {
    benchmark::DoNotOptimize(cache.Apply(model::PodSeen{pod}, kNow));
    benchmark::DoNotOptimize(cache.Apply(model::PodGone{pod.ref}, kNow));
    benchmark::DoNotOptimize(cache.TakePodNews());
  }
}

BENCHMARK(DecideOnce)
    ->ArgName("none,near,apart,spread")
    ->DenseRange(kNone, kSpread)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(PodComesAndGoes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gs::decide
