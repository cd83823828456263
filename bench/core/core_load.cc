// core_load: what the core costs by itself, without sockets: core_load [--quick] [PART...].
//
//   decisions   from a pod's event to its commands, every node looked at
//   company     the same for pods that say something about others
//   lives       from a pod's event to its Binding, all answers and events included
//   storms      GPUs that become free one by one, while many pods wait for them
//   events      changes of pods that are known
//   memory      per node and per pod
//
// in clusters of growing size, so that whatever grows faster than they do is seen. With
// GS_BENCH_RESULTS in the environment every figure is also added to that file:
// bench/results_file.py.
#include <malloc.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/core/made_up_cluster.h"
#include "bench/core/pod_lives.h"
#include "bench/core/processor_time.h"
#include "bench/result_row.h"

namespace gs::bench {
namespace {

struct Spread {
  double p50 = 0;
  double p99 = 0;
  double most = 0;
};

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {.p50 = at(0.5), .p99 = at(0.99), .most = values.back()};
}

void Note(const std::string& name, const char* unit, double value,
          const boost::json::object& more = {}) {
  AddResult("core", name, unit, {{"gpu-scheduler", value}}, more);
}

constexpr double kAimMicroseconds = 100;  // of a decision at 5,000 nodes, p99

void Show(const std::string& name, const Spread& spread, int nodes, const char* aim) {
  std::printf("%-58s p50 %8.1f  p99 %8.1f  most %8.1f us\n", name.c_str(), spread.p50, spread.p99,
              spread.most);
  Note(name, "us", spread.p99,
       {{"p50", spread.p50}, {"most", spread.most}, {"nodes", nodes}, {"aim", aim}});
}

using Change = std::function<void(model::Pod&)>;

// Each pod comes, is decided on, and is gone again.
Spread TimeDecisions(MadeUpCluster& cluster, int gpus, int times, const Change& change = nullptr) {
  std::vector<double> taken;
  for (int i = 0; i < times; ++i) {
    model::Pod pod = WaitingPod(i, gpus);
    if (change) change(pod);
    const std::vector<model::Event> comes{model::PodSeen{pod}};
    const double start = MicrosecondsUsed();
    const auto commands = cluster.cycle().RunOnce(comes, kNow);
    const double passed = MicrosecondsUsed() - start;
    if (cluster.cycle().notes().placed != 1) {
      std::cerr << "core_load: a pod of " << gpus << " GPUs found no place\n";
      std::exit(1);
    }
    if (i > 0) taken.push_back(passed);  // the first builds what is kept between decisions
    (void)cluster.Run({model::PodGone{pod.ref, ResourceVersion("20")}});
  }
  return SpreadOf(std::move(taken));
}

// The same work every time, about as long as a decision: what differs is the machine's doing.
Spread TimeSameWork(int times) {
  constexpr int kSteps = 4'000;
  std::vector<double> taken;
  volatile std::uint32_t value = 1;
  for (int i = 0; i < times; ++i) {
    const double start = MicrosecondsUsed();
    for (int step = 0; step < kSteps; ++step) value = value * 1'664'525U + 1'013'904'223U;
    taken.push_back(MicrosecondsUsed() - start);
  }
  return SpreadOf(std::move(taken));
}

void Decisions(int nodes, int times) {
  double slowest = 0;
  for (const auto& [share, called] :
       {std::pair(0.0, "empty"), {0.5, "half full"}, {0.97, "nearly full"}}) {
    MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = share});
    for (const int gpus : {0, 1, 2, 4, 8}) {
      const Spread spread = TimeDecisions(cluster, gpus, times);
      slowest = std::max(slowest, spread.p99);
      Show("decision, " + std::to_string(nodes) + " nodes, " + called + ", " +
               std::to_string(gpus) + " GPUs",
           spread, nodes, nodes == 5'000 ? "<= 100" : "-");
    }
  }
  if (nodes != 5'000) return;
  Show("the same work each time, instead of a decision", TimeSameWork(times), nodes, "-");
  Note("the slowest of these at p99, 5000 nodes, against the aim", "us", slowest,
       {{"ratio", slowest / kAimMicroseconds}, {"aim", "<= 1"}});
}

// Pods that say something about others: whoever has to look at those takes longer.
void DecisionsInCompany(int nodes, int times) {
  const model::LabelSelector busy{{{"app", model::SelectorOperator::kIn, {"busy"}}}};
  const std::string zone = "topology.kubernetes.io/zone";
  const std::vector<std::pair<const char*, Change>> kinds{
      {"affinity",
       [&](model::Pod& pod) {
         pod.rules->pod_affinity = {
             {.selector = busy, .namespaces = {pod.ref.ns}, .topology_key = zone}};
       }},
      {"anti-affinity",
       [&](model::Pod& pod) {
         pod.ties->anti_affinity = {{.selector = busy,
                                     .namespaces = {pod.ref.ns},
                                     .topology_key = "kubernetes.io/hostname"}};
       }},
      {"spread", [&](model::Pod& pod) {
         pod.rules->spread = {{.topology_key = zone, .max_skew = 1'000'000, .selector = busy}};
       }}};
  MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = 0.5});
  for (const auto& [called, change] : kinds) {
    Show("decision with " + std::string(called) + ", " + std::to_string(nodes) +
             " nodes, half full, 1 GPU",
         TimeDecisions(cluster, 1, times, change), nodes, "-");
  }
}

void Lives(int nodes, int pods) {
  for (const int gpus : {0, 1, 4}) {
    MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = 0.5, .has_leases = true});
    (void)TimeDecisions(cluster, gpus, 2);  // what is built once is no part of it
    const PodLives lives = TimePodLives(cluster, pods, gpus);
    std::printf("life of a pod, %d nodes, %d GPUs: %.1f us in %.1f runs, %d pods\n", nodes, gpus,
                lives.microseconds, lives.runs, pods);
    Note("life of a pod, " + std::to_string(nodes) + " nodes, " + std::to_string(gpus) + " GPUs",
         "us", lives.microseconds, {{"nodes", nodes}, {"runs", lives.runs}, {"pods", pods}});
  }
}

// Of the pods that have all GPUs, the one that is to end next: always one with a single GPU.
const model::PodRef& NextToEnd(const MadeUpCluster& cluster, int number) {
  constexpr int kWithOne = 8;       // on a node of such
  constexpr int kOnFourNodes = 15;  // of 1, 2, 4 and 8 GPUs
  const int index = number / kWithOne * kOnFourNodes + number % kWithOne;
  return cluster.gpu_pods()[static_cast<std::size_t>(index)].ref;
}

// A pod ends, and the one that waits longest gets its GPU.
double TimePerFreed(int nodes, int waiting, int times) {
  MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = 2.0});
  std::vector<model::Event> events;
  events.reserve(static_cast<std::size_t>(waiting));
  for (int i = 0; i < waiting; ++i) events.emplace_back(model::PodSeen{WaitingPod(i, 1)});
  (void)cluster.Run(events);
  std::vector<double> taken;
  for (int i = 0; i < times; ++i) {
    if (waiting == 0) (void)cluster.Run({model::PodSeen{WaitingPod(i, 1)}});
    const std::vector<model::Event> ends{
        model::PodGone{NextToEnd(cluster, i), ResourceVersion("20")}};
    const double start = MicrosecondsUsed();
    auto commands = cluster.cycle().RunOnce(ends, kNow);
    taken.push_back(MicrosecondsUsed() - start);
    if (cluster.cycle().notes().placed != 1) {
      std::cerr << "core_load: nobody took what became free\n";
      std::exit(1);
    }
    cluster.Settle(std::move(commands));
  }
  return SpreadOf(std::move(taken)).p50;
}

void Storms(int nodes, int waiting, int times) {
  const double alone = TimePerFreed(nodes, 0, times);
  const double among = TimePerFreed(nodes, waiting, times);
  std::printf(
      "a GPU becomes free, %d nodes: %.1f us with one pod waiting, %.1f us with %d: ratio %.2f\n",
      nodes, alone, among, waiting, among / alone);
  Note("a GPU becomes free and many wait, against one", "us", among,
       {{"ratio", among / alone}, {"aim", "<= 1.2"}, {"waiting", waiting}});
}

void Events(int nodes) {
  MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = 0.5});
  std::vector<model::Event> events;
  for (const model::Pod& pod : cluster.other_pods()) {
    model::Pod changed = pod;
    changed.resource_version = ResourceVersion("6");
    events.emplace_back(model::PodSeen{changed});
  }
  const double start = MicrosecondsUsed();
  for (std::size_t i = 0; i + 100 <= events.size(); i += 100) {
    (void)cluster.cycle().RunOnce(std::span(events).subspan(i, 100), kNow);
  }
  const double rate = static_cast<double>(events.size()) * 1e6 / (MicrosecondsUsed() - start);
  std::printf("events of known pods, %d nodes: %.0f per second, 100 at a time\n", nodes, rate);
  Note("events of known pods, " + std::to_string(nodes) + " nodes", "1/s", rate,
       {{"nodes", nodes}});
  const double looked = MicrosecondsUsed();
  (void)cluster.cycle().Look([](const auto&) { return 0; });
  const double snapshot = MicrosecondsUsed() - looked;
  std::printf("a look at all of it, %d nodes: %.0f us\n", nodes, snapshot);
  Note("a look at all of it, " + std::to_string(nodes) + " nodes", "us", snapshot,
       {{"nodes", nodes}});
}

double MegabytesInUse() { return static_cast<double>(mallinfo2().uordblks) / 1e6; }

void Memory(int nodes) {
  const double before = MegabytesInUse();
  const MadeUpCluster bare({.nodes = nodes, .gpus_in_use = 0, .pods_per_node = 0});
  const double with_nodes = MegabytesInUse();
  // What the pods of the made-up cluster itself keep is not the core's.
  const MadeUpCluster full({.nodes = nodes, .gpus_in_use = 0.5});
  const double after = MegabytesInUse();
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the memory of a copy is measured
  const std::vector<model::Pod> copy = full.other_pods();
  const double of_test =
      (MegabytesInUse() - after) *
      (1 + static_cast<double>(full.gpu_pods().size()) / static_cast<double>(copy.size()));
  const double pods = static_cast<double>(full.gpu_pods().size() + full.other_pods().size());
  const double per_node = (with_nodes - before) * 1e6 / nodes;
  const double per_pod = (after - with_nodes - of_test - (with_nodes - before)) * 1e6 / pods;
  std::printf("memory, %d nodes: %.0f bytes per node, %.0f per pod, %.1f MB in all\n", nodes,
              per_node, per_pod, after - with_nodes - of_test);
  Note("memory per node, " + std::to_string(nodes) + " nodes", "bytes", per_node,
       {{"nodes", nodes}});
  Note("memory per pod, " + std::to_string(nodes) + " nodes", "bytes", per_pod, {{"nodes", nodes}});
}

using Parts = std::set<std::string, std::less<>>;

int Run(bool is_quick, const Parts& parts) {
  const auto is_wanted = [&parts](std::string_view part) {
    return parts.empty() || parts.contains(part);
  };
  const std::vector<int> sizes =
      is_quick ? std::vector{500, 5'000} : std::vector{1'250, 2'500, 5'000, 10'000, 20'000};
  for (const int nodes : sizes) {
    if (is_wanted("decisions")) Decisions(nodes, 1'000);
  }
  for (const int nodes : sizes) {
    if (is_wanted("company")) DecisionsInCompany(nodes, is_quick ? 20 : 100);
  }
  if (is_wanted("lives")) Lives(5'000, 1'000);
  if (is_wanted("storms")) {
    Storms(is_quick ? 500 : 5'000, is_quick ? 1'000 : 10'000, is_quick ? 50 : 1'000);
  }
  for (const int nodes : sizes) {
    if (is_wanted("events")) Events(nodes);
    if (is_wanted("memory")) Memory(nodes);
  }
  return 0;
}

}  // namespace
}  // namespace gs::bench

int main(int argc, char** argv) {
  gs::bench::Parts parts(argv + 1, argv + argc);
  const bool is_quick = parts.erase("--quick") > 0;
  return gs::bench::Run(is_quick, parts);
}
