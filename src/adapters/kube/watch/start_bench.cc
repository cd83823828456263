// What nodes with their reports cost when a scheduler starts: from the items of the two lists to
// what the watchers and the core keep of them.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "adapters/kube/objects/report_for_bench.h"
#include "adapters/kube/watch/kind_teller.h"
#include "core/cycle/cycle.h"

namespace gs::kube {
namespace {

constexpr int kNodes = 5000;
constexpr int kItemsAtATime = 100;

double BytesInUse() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

// A watcher of one kind and the cycle behind it.
class Start {
 public:
  template <class Json>
  void List(benchmark::State& state, WatchedKind kind, Json json) {
    KindTeller& teller = tellers_.emplace_back(std::move(kind));
    (void)teller.BeginList(ResourceVersion("400000"));
    Telling telling;
    for (int i = 0; i < kNodes; ++i) {
      state.PauseTiming();
      const std::string item = json(i);
      state.ResumeTiming();
      if (!teller.TellItem(item, telling)) state.SkipWithError("an item is refused");
      if (i % kItemsAtATime == kItemsAtATime - 1) Tell(state, std::exchange(telling, {}));
    }
    teller.EndList(ResourceVersion("400000"), telling);
    Tell(state, std::move(telling));
  }

  [[nodiscard]] std::size_t nodes() const { return cycle_.cache().nodes().size(); }

 private:
  void Tell(benchmark::State& state, Telling telling) {
    if (!telling.problems.empty()) state.SkipWithError("an object is refused");
    (void)cycle_.RunOnce(telling.events, TimePoint{});
  }

  std::vector<KindTeller> tellers_;
  cycle::Cycle cycle_{{.scheduler = SchedulerName("gpu-scheduler"), .leader = "bench"}};
};

void StartWithNodes(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const double before = BytesInUse();
    Start start;
    state.ResumeTiming();
    start.List(state, Nodes(), NodeJson);
    const double with_nodes = BytesInUse();
    start.List(state, Machines(), ReportJson);
    const double with_reports = BytesInUse();
    if (start.nodes() != kNodes) state.SkipWithError("nodes are missing");
    state.counters["bytes_per_node"] = (with_nodes - before) / kNodes;
    state.counters["bytes_per_report"] = (with_reports - with_nodes) / kNodes;
    state.PauseTiming();
    { const Start gone = std::move(start); }
    malloc_trim(0);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kNodes);
}

BENCHMARK(StartWithNodes)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace gs::kube
