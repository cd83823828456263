// What it costs to read pods and reports: against the bare parser on the same text, and in bytes
// that stay.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <simdjson.h>

#include <chrono>
#include <string>
#include <vector>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/json_pieces.h"
#include "adapters/kube/objects/pod_for_bench.h"
#include "adapters/kube/objects/report_for_bench.h"

namespace gs::kube {
namespace {

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// An object by the bare parser, in seconds, in the same run and on the same text.
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

template <class Decode>
void DecodeOne(benchmark::State& state, const std::string& json, Decode decode) {
  if (!decode(json)) state.SkipWithError("the object cannot be read");
  const double parse_only = ParseOnly(json);
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(decode(json));
  const double each =
      Seconds(std::chrono::steady_clock::now() - start) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
  state.counters["json_bytes"] = static_cast<double>(json.size());
  state.counters["parse_only_us"] = parse_only * 1e6;
  state.counters["times_parse_only"] = each / parse_only;
}

void DecodeOnePod(benchmark::State& state) {
  DecodeOne(state, PodJson(7, state.range(0) != 0), DecodePod);
}

void DecodeOneReport(benchmark::State& state) { DecodeOne(state, ReportJson(7), DecodeNodeStatus); }

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
BENCHMARK(DecodeOneReport)->Unit(benchmark::kMicrosecond);
BENCHMARK(SplitPageOf500)->Unit(benchmark::kMillisecond);
BENCHMARK(SplitFrame)->Unit(benchmark::kMicrosecond);
BENCHMARK(KeepPods)->ArgName("bound")->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gs::kube
