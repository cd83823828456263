// What a choice costs: by table (hit), by direct search (miss), and what building a table costs.
// Every look-up is timed on its own, so that p99 is a percentile of look-ups and not of averages.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "core/decide/devices/choose.h"
#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::LinkKind;
using model::PcieClass;

enum Occupancy : std::int64_t { kFull = 0, kHalf = 1 };

// Sixteen GPUs without any symmetry: the hardest machine a table is built for.
Topology Irregular(std::size_t gpus) {
  testing::MachineBuilder builder(gpus);
  std::mt19937 random(7);
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = a + 1; b < gpus; ++b) {
      const auto links = static_cast<std::int32_t>(random() % 4);
      const auto kind = links == 0 ? LinkKind::kNone : LinkKind::kNvLink;
      builder.Pair(a, b, {kind, links, static_cast<PcieClass>(random() % 6), 50 * links});
    }
  }
  return builder.topology();
}

Topology MachineOf(std::int64_t gpus) {
  return gpus == 8 ? testing::Dgx1Volta().topology() : Irregular(static_cast<std::size_t>(gpus));
}

// All GPUs, or a thousand different halves of them.
std::vector<Availability> FreeSets(std::size_t gpus, std::int64_t occupancy) {
  if (occupancy == kFull) return {Availability::AllFree(gpus)};
  std::mt19937_64 random(11);
  std::vector<Availability> sets;
  while (sets.size() < 1000) {
    const GpuSet unused = GpuSet(random()) & GpuSet::FirstN(gpus);
    if (unused.size() == gpus / 2)
      sets.push_back({.unused = unused, .sharers = {}, .unhealthy = {}});
  }
  return sets;
}

void ReportPercentiles(benchmark::State& state, std::vector<double>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1));
    return seconds[index] * 1e6;
  };
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = at(1.0);
}

void TimeChoices(benchmark::State& state, const Topology& topology, const TableCache* tables) {
  const Request request{.count = static_cast<std::int32_t>(state.range(1))};
  const auto free_sets = FreeSets(topology.size(), state.range(2));
  std::vector<double> seconds;
  for (auto _ : state) {
    const Availability& free = free_sets[seconds.size() % free_sets.size()];
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(Choose(topology, free, request, tables));
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  ReportPercentiles(state, seconds);
}

void ChooseByTable(benchmark::State& state) {
  const Topology topology = MachineOf(state.range(0));
  const TableKey key = TableKey::Of({.count = static_cast<std::int32_t>(state.range(1))});
  TableCache tables;
  tables.Add(topology, key, *BuildTable(topology, key));
  TimeChoices(state, topology, &tables);
}

void ChooseDirectly(benchmark::State& state) {
  TimeChoices(state, MachineOf(state.range(0)), nullptr);
}

void ChooseOnHives(benchmark::State& state) {
  TimeChoices(state, testing::Hives(8, 8).topology(), nullptr);
}

void BuildOneTable(benchmark::State& state) {
  const Topology topology = MachineOf(state.range(0));
  const TableKey key = TableKey::Of({.count = static_cast<std::int32_t>(state.range(1))});
  for (auto _ : state) benchmark::DoNotOptimize(BuildTable(topology, key));
}

void Sizes(benchmark::internal::Benchmark* bench, std::int64_t gpus) {
  for (const std::int64_t count : {1, 2, 4, 8}) {
    for (const std::int64_t occupancy : {kFull, kHalf}) {
      if (occupancy == kHalf && count > gpus / 2) continue;
      bench->Args({gpus, count, occupancy});
    }
  }
}

void EightAndSixteen(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"gpus", "count", "half"});
  Sizes(bench, 8);
  Sizes(bench, 16);
}

void SixtyFour(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"gpus", "count", "half"});
  Sizes(bench, 64);
}

void EverySize(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"gpus", "count"});
  bench->Unit(benchmark::kMillisecond);
  for (std::int64_t count = 1; count <= 16; ++count) bench->Args({16, count});
}

BENCHMARK(ChooseByTable)->Apply(EightAndSixteen)->Unit(benchmark::kMicrosecond);
BENCHMARK(ChooseDirectly)->Apply(EightAndSixteen)->Unit(benchmark::kMicrosecond);
BENCHMARK(ChooseOnHives)->Apply(SixtyFour)->Unit(benchmark::kMicrosecond);
BENCHMARK(BuildOneTable)->Apply(EverySize);

}  // namespace
}  // namespace gs::devices
