#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "core/health/judge.h"

namespace gs::health {
namespace {

using std::chrono::seconds;

constexpr std::size_t kGpus = 3;
constexpr Duration kQuiet = seconds(60);

struct Step {
  int passed = 0;
  int gpu = 0;
  int what = 0;
};

std::vector<Step> AnySteps() {
  std::vector<Step> steps;
  const auto size = *rc::gen::inRange(1, 60);
  for (int i = 0; i < size; ++i) {
    steps.push_back({.passed = *rc::gen::inRange(0, 50),
                     .gpu = *rc::gen::inRange(0, static_cast<int>(kGpus)),
                     .what = *rc::gen::inRange(0, 6)});
  }
  return steps;
}

model::DeviceReport Gpus() {
  model::DeviceReport report;
  for (std::size_t i = 0; i < kGpus; ++i) {
    report.machine.devices.push_back(
        {.id = GpuId(static_cast<std::int32_t>(i)), .uuid = GpuUuid("GPU-" + std::to_string(i))});
  }
  report.machine.links = model::LinkMatrix(kGpus);
  report.facts.resize(kGpus);
  return report;
}

// What the judge must say, worked out from the whole past instead of from a record.
struct Past {
  bool has_trouble = false;
  TimePoint last;

  void Note(TimePoint now) {
    has_trouble = true;
    last = now;
  }
  [[nodiscard]] bool IsIll(TimePoint now) const { return has_trouble && now - last < kQuiet; }
};

RC_GTEST_PROP(JudgeProperty, IsIllFromTheLastSignOfTroubleUntilAQuietPeriodLater, ()) {
  Judge judge(Rules{.quiet = kQuiet});
  TimePoint now{seconds(10000)};
  std::vector<Past> pasts(kGpus);
  std::int64_t errors = 0;
  model::DeviceReport report = Gpus();
  (void)judge.See(report, now);
  for (const Step& step : AnySteps()) {
    now += seconds(step.passed);
    const auto gpu = static_cast<std::size_t>(step.gpu);
    model::GpuFacts& facts = report.facts[gpu];
    const GpuUuid& uuid = report.machine.devices[gpu].uuid;
    facts = {.uncorrected_ecc = facts.uncorrected_ecc};
    switch (step.what) {
      case 0: judge.See(model::GpuFault{uuid, 79, "Xid 79"}, now); break;
      case 1: judge.See(model::GpuFault{uuid, 13, "Xid 13"}, now); break;
      case 2: facts.is_lost = true; break;
      case 3: facts.uncorrected_ecc = ++errors; break;
      case 4: facts.has_mig = true; break;
      default: break;
    }
    if (step.what == 0 || step.what == 3) pasts[gpu].Note(now);
    for (std::size_t i = 0; i < kGpus; ++i) {
      if (report.facts[i].is_lost) pasts[i].Note(now);
    }
    const auto verdicts = judge.See(report, now);
    RC_ASSERT(verdicts.size() == kGpus);
    for (std::size_t i = 0; i < kGpus; ++i) {
      const bool is_ill = pasts[i].IsIll(now) || report.facts[i].has_mig;
      RC_ASSERT((verdicts[i].health == model::Health::kUnhealthy) == is_ill);
      RC_ASSERT(verdicts[i].reason.empty() != is_ill);
    }
  }
}

}  // namespace
}  // namespace gs::health
