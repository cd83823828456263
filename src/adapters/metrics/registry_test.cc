#include "adapters/metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace gs::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registry, PrintsWhatPrometheusReads) {
  const Registry registry;
  const Counters writes = registry.AddCounters({"writes_total", "Writes.", {"kind", "outcome"}});
  const Gauges free = registry.AddGauges({"free", "What is free."});
  writes.Add({"bind", "done"});
  writes.Add({"bind", "done"}, 2);
  writes.Add({"touch", "done"}, 0);
  free.Set({}, 7);
  const std::string text = registry.Print();
  EXPECT_THAT(text, HasSubstr("# HELP writes_total Writes.\n# TYPE writes_total counter\n"));
  EXPECT_THAT(text, HasSubstr("writes_total{kind=\"bind\",outcome=\"done\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("writes_total{kind=\"touch\",outcome=\"done\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE free gauge\nfree 7\n"));
}

TEST(Registry, ValuesThatNeedItAreEscaped) {
  const Registry registry;
  registry.AddGauges({"odd", "Odd.", {"node"}}).Set({"a\"b\\c\nd"}, 1);
  EXPECT_THAT(registry.Print(), HasSubstr(R"(odd{node="a\"b\\c\nd"} 1)"));
}

TEST(Registry, AHistogramCountsInBuckets) {
  const Registry registry;
  const Histograms took =
      registry.AddHistograms({"took_seconds", "Took.", {"result"}}, Exponential(0.001, 10, 3));
  took.Show({"ok"});
  EXPECT_THAT(registry.Print(), HasSubstr("took_seconds_count{result=\"ok\"} 0\n"));
  took.Observe({"ok"}, 0.005);
  took.Observe({"ok"}, 5);
  const std::string text = registry.Print();
  EXPECT_THAT(text, HasSubstr("took_seconds_count{result=\"ok\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("took_seconds_bucket{result=\"ok\",le=\"0.01\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("took_seconds_bucket{result=\"ok\",le=\"+Inf\"} 2\n"));
}

TEST(Registry, SeriesThatAreReplacedGo) {
  const Registry registry;
  const Gauges gpus = registry.AddGauges({"gpus", "GPUs.", {"node"}});
  gpus.Replace({{{"a"}, 1}, {{"b"}, 2}});
  gpus.Replace({{{"b"}, 3}});
  EXPECT_THAT(registry.Print(), HasSubstr("gpus{node=\"b\"} 3\n"));
  EXPECT_THAT(registry.Print(), Not(HasSubstr("node=\"a\"")));
  gpus.Replace({});
  EXPECT_THAT(registry.Print(), Not(HasSubstr("gpus")));
}

TEST(Registry, CountsFromManyThreads) {
  const Registry registry;
  const Counters counters = registry.AddCounters({"n_total", "N.", {"kind"}});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&counters, &registry] {
        for (int n = 0; n < 250; ++n) counters.Add({"a"});
        (void)registry.Print();
      });
    }
  }
  EXPECT_THAT(registry.Print(), HasSubstr("n_total{kind=\"a\"} 1000\n"));
}

}  // namespace
}  // namespace gs::metrics
