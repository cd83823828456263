// What it costs to take in a page of a list, as JSON and as protobuf of the same pods.
#include <benchmark/benchmark.h>

#include <boost/json/parse.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/pod_for_bench.h"
#include "adapters/kube/watch/list_once.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

constexpr int kPodsPerPage = 500;

std::string JsonPage() {
  std::string page = R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)";
  for (int i = 0; i < kPodsPerPage; ++i) page += (i == 0 ? "" : ",") + PodJson(i, true);
  return page + "]}";
}

std::string ProtobufPage() {
  const ApiType& type = *FindApiType("v1", "Pod");
  std::vector<std::string> items;
  for (int i = 0; i < kPodsPerPage; ++i) {
    items.push_back(wire_test::Encode(type, boost::json::parse(PodJson(i, true)).as_object()));
  }
  return wire_test::ListEnvelope("v1", "PodList", wire_test::Text(2, "1"), items);
}

std::string Page(bool is_protobuf) { return is_protobuf ? ProtobufPage() : JsonPage(); }

void Count(benchmark::State& state, const std::string& page) {
  const auto pods = static_cast<double>(state.iterations() * kPodsPerPage);
  state.SetItemsProcessed(state.iterations() * kPodsPerPage);
  state.counters["page_bytes"] = static_cast<double>(page.size());
  state.counters["us_per_pod"] =
      benchmark::Counter(pods / 1e6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Into pieces of JSON, one per pod.
void SplitPage(benchmark::State& state) {
  const std::string page = Page(state.range(0) != 0);
  for (auto _ : state) {
    const auto split = ParseListPage(page);
    if (!split || split->items.size() != kPodsPerPage) state.SkipWithError("the page is refused");
  }
  Count(state, page);
}

void PageToPods(benchmark::State& state) {
  const std::string page = Page(state.range(0) != 0);
  for (auto _ : state) {
    const auto split = ParseListPage(page);
    if (!split) state.SkipWithError("the page is refused");
    for (const auto item : split->items) benchmark::DoNotOptimize(DecodePod(item));
  }
  Count(state, page);
}

// All that happens to a page: names, versions, what is news, and what is shared.
void PageToEvents(benchmark::State& state) {
  const std::string page = Page(state.range(0) != 0);
  const auto send = [&](const http::Request&) -> http::Outcome {
    return http::Response{.status = 200, .headers = {}, .body = page};
  };
  for (auto _ : state) {
    const auto telling = ListOnce(send, Pods());
    if (!telling || telling->events.size() != kPodsPerPage + 1) {
      state.SkipWithError("the page is refused");
    }
  }
  Count(state, page);
}

BENCHMARK(SplitPage)->ArgName("protobuf")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(PageToPods)->ArgName("protobuf")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(PageToEvents)->ArgName("protobuf")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gs::kube
