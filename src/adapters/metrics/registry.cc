#include "adapters/metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

#include "adapters/runtime/mutex.h"
#include "base/check.h"

namespace gs::metrics {
namespace {

// A family of prometheus-cpp with its label names, and the registry that owns it.
template <class Metric>
struct Owned {
  std::shared_ptr<prometheus::Registry> registry;
  prometheus::Family<Metric>& family;
  std::vector<std::string> labels;

  template <class Texts>
  [[nodiscard]] prometheus::Labels LabelsFor(const Texts& values) const {
    GS_CHECK(values.size() == labels.size());
    prometheus::Labels named;
    auto name = labels.begin();
    for (const auto& value : values) named.emplace(*name++, value);
    return named;
  }
};

struct ByTexts {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};

// Series that stay once they are there. The library makes a whole metric each time it is asked for
// one that it has, so those that were used before are kept at hand.
template <class Metric>
class Lasting {
 public:
  explicit Lasting(Owned<Metric> owned) : owned_(std::move(owned)) {}

  template <class... How>
  [[nodiscard]] Metric& Of(Values values, const How&... how) GS_EXCLUDES(mutex_) {
    const runtime::MutexLock lock(mutex_);
    if (const auto known = known_.find(values); known != known_.end()) return *known->second;
    Metric& metric = owned_.family.Add(owned_.LabelsFor(values), how...);
    known_.emplace(std::vector<std::string>(values.begin(), values.end()), &metric);
    return metric;
  }

 private:
  const Owned<Metric> owned_;
  runtime::Mutex mutex_;
  std::map<std::vector<std::string>, Metric*, ByTexts> known_ GS_GUARDED_BY(mutex_);
};

template <class Builder>
auto& Register(Builder builder, const Family& family, prometheus::Registry& registry) {
  return builder.Name(family.name).Help(family.help).Register(registry);
}

}  // namespace

struct Counters::Series {
  explicit Series(Owned<prometheus::Counter> its) : lasting(std::move(its)) {}

  Lasting<prometheus::Counter> lasting;
};

struct Gauges::Series {
  explicit Series(Owned<prometheus::Gauge> its) : owned(std::move(its)) {}

  Owned<prometheus::Gauge> owned;
  runtime::Mutex mutex;
  // What the last Replace has set.
  std::map<std::vector<std::string>, prometheus::Gauge*> replaced GS_GUARDED_BY(mutex);
};

struct Histograms::Series {
  Series(Owned<prometheus::Histogram> its, std::vector<double> bounds)
      : lasting(std::move(its)), buckets(std::move(bounds)) {}

  Lasting<prometheus::Histogram> lasting;
  const std::vector<double> buckets;
};

struct Registry::State {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
};

void Counters::Add(Values values, double amount) const {
  series_->lasting.Of(values).Increment(amount);
}

void Gauges::Set(Values values, double number) const {
  series_->owned.family.Add(series_->owned.LabelsFor(values)).Set(number);
}

void Gauges::Replace(const std::map<std::vector<std::string>, double>& numbers) const {
  const runtime::MutexLock lock(series_->mutex);
  auto& replaced = series_->replaced;
  std::erase_if(replaced, [&](const auto& old) {
    if (numbers.contains(old.first)) return false;
    series_->owned.family.Remove(old.second);
    return true;
  });
  for (const auto& [values, number] : numbers) {
    prometheus::Gauge*& gauge = replaced[values];
    if (gauge == nullptr) gauge = &series_->owned.family.Add(series_->owned.LabelsFor(values));
    gauge->Set(number);
  }
}

void Histograms::Observe(Values values, double seconds) const {
  series_->lasting.Of(values, series_->buckets).Observe(seconds);
}

void Histograms::Show(Values values) const { (void)series_->lasting.Of(values, series_->buckets); }

std::vector<double> Exponential(double first, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

Registry::Registry() : state_(std::make_shared<State>()) {}

Counters Registry::AddCounters(Family family) const {
  auto& made = Register(prometheus::BuildCounter(), family, *state_->registry);
  return Counters(std::make_shared<Counters::Series>(
      Owned<prometheus::Counter>{state_->registry, made, std::move(family.labels)}));
}

Gauges Registry::AddGauges(Family family) const {
  auto& made = Register(prometheus::BuildGauge(), family, *state_->registry);
  return Gauges(std::make_shared<Gauges::Series>(
      Owned<prometheus::Gauge>{state_->registry, made, std::move(family.labels)}));
}

Histograms Registry::AddHistograms(Family family, std::vector<double> buckets) const {
  auto& made = Register(prometheus::BuildHistogram(), family, *state_->registry);
  return Histograms(std::make_shared<Histograms::Series>(
      Owned<prometheus::Histogram>{state_->registry, made, std::move(family.labels)},
      std::move(buckets)));
}

std::string Registry::Print() const {
  return prometheus::TextSerializer().Serialize(state_->registry->Collect());
}

}  // namespace gs::metrics
