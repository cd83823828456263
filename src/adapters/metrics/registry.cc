#include "adapters/metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

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

template <class Builder>
auto& Register(Builder builder, const Family& family, prometheus::Registry& registry) {
  return builder.Name(family.name).Help(family.help).Register(registry);
}

}  // namespace

struct Counters::Series {
  Owned<prometheus::Counter> owned;
};

struct Gauges::Series {
  explicit Series(Owned<prometheus::Gauge> its) : owned(std::move(its)) {}

  Owned<prometheus::Gauge> owned;
  runtime::Mutex mutex;
  // What the last Replace has set.
  std::map<std::vector<std::string>, prometheus::Gauge*> replaced GS_GUARDED_BY(mutex);
};

struct Histograms::Series {
  Owned<prometheus::Histogram> owned;
  std::vector<double> buckets;
};

struct Registry::State {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
};

void Counters::Add(Values values, double amount) const {
  series_->owned.family.Add(series_->owned.LabelsFor(values)).Increment(amount);
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
  series_->owned.family.Add(series_->owned.LabelsFor(values), series_->buckets).Observe(seconds);
}

void Histograms::Show(Values values) const {
  series_->owned.family.Add(series_->owned.LabelsFor(values), series_->buckets);
}

std::vector<double> Exponential(double first, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

Registry::Registry() : state_(std::make_shared<State>()) {}

Counters Registry::AddCounters(Family family) const {
  auto& made = Register(prometheus::BuildCounter(), family, *state_->registry);
  return Counters(std::make_shared<Counters::Series>(
      Counters::Series{{state_->registry, made, std::move(family.labels)}}));
}

Gauges Registry::AddGauges(Family family) const {
  auto& made = Register(prometheus::BuildGauge(), family, *state_->registry);
  return Gauges(std::make_shared<Gauges::Series>(
      Owned<prometheus::Gauge>{state_->registry, made, std::move(family.labels)}));
}

Histograms Registry::AddHistograms(Family family, std::vector<double> buckets) const {
  auto& made = Register(prometheus::BuildHistogram(), family, *state_->registry);
  return Histograms(std::make_shared<Histograms::Series>(
      Histograms::Series{{state_->registry, made, std::move(family.labels)}, std::move(buckets)}));
}

std::string Registry::Print() const {
  return prometheus::TextSerializer().Serialize(state_->registry->Collect());
}

}  // namespace gs::metrics
