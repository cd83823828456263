// One review, from the bytes of a question to the bytes of its answer. Every review is timed on its
// own, so that p99 is a percentile of single reviews.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "programs/webhook/reviewer.h"

namespace gs::webhook {
namespace {

std::string Container(int number, int variables) {
  std::string text = R"({"name":"c)" + std::to_string(number) + R"(","image":"x","env":[)";
  for (int i = 0; i < variables; ++i) {
    text += (i == 0 ? "" : ",");
    text += R"({"name":"VARIABLE_)" + std::to_string(i) + R"(","value":"some value"})";
  }
  return text + R"(],"resources":{"limits":{"cpu":"4","memory":"16Gi"}},"volumeMounts":[{"name":)"
                R"("token","mountPath":"/var/run/secrets","readOnly":true}]})";
}

std::string Question(int containers, int variables) {
  std::string list;
  for (int i = 0; i < containers; ++i) list += (i == 0 ? "" : ",") + Container(i, variables);
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",)"
         R"("namespace":"team","resource":{"group":"","version":"v1","resource":"pods"},)"
         R"("operation":"CREATE","object":{"metadata":{"name":"a","annotations":)"
         R"({"gpu.scheduling/claim":"pair"}},"spec":{"schedulerName":"gpu-scheduler",)"
         R"("containers":[)" +
         list + "]}}}}";
}

void Review(benchmark::State& state) {
  const runtime::SystemClock clock;
  const metrics::Registry registry;
  const Reviewer reviewer(
      {SchedulerName("gpu-scheduler"), admit::Handover::kEnv, "nvidia.com/gpu"},
      [](const Namespace&, const ClaimName&) { return std::nullopt; }, registry, clock,
      runtime::Logger());
  const http::Request question{
      .method = http::Method::kPost,
      .target = "/mutate",
      .headers = {{"Content-Type", "application/json"}},
      .body = Question(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))),
      .peer = {}};
  std::vector<double> micros;
  for (auto _ : state) {
    const auto began = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(reviewer.Answer(question));
    micros.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
            .count());
  }
  std::sort(micros.begin(), micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["p99_us"] = micros[micros.size() * 99 / 100];
  state.counters["bytes"] = static_cast<double>(question.body.size());
}
BENCHMARK(Review)->Args({1, 0})->Args({2, 20})->Args({10, 100});

}  // namespace
}  // namespace gs::webhook
