// Registry: the metrics of one program, and their text for Prometheus. The only place that sees
// prometheus-cpp.
//
// A family is a metric with its label names; a series is a family with one value per label, given
// in the order of the names. From any thread. Requires everywhere: names that Prometheus allows,
// and as many values as there are names.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gs::metrics {

using Values = std::initializer_list<std::string_view>;

struct Family {
  std::string name;
  std::string help;
  std::vector<std::string> labels = {};
};

// Numbers that only grow.
class Counters {
 public:
  struct Series;
  explicit Counters(std::shared_ptr<Series> series) : series_(std::move(series)) {}
  // Also by nothing: the series is shown from then on.
  void Add(Values values, double amount = 1) const;

 private:
  std::shared_ptr<Series> series_;
};

// Numbers that come and go.
class Gauges {
 public:
  struct Series;
  explicit Gauges(std::shared_ptr<Series> series) : series_(std::move(series)) {}
  void Set(Values values, double number) const;
  // These are all there are: series that are not among them are no longer shown.
  void Replace(const std::map<std::vector<std::string>, double>& numbers) const;

 private:
  std::shared_ptr<Series> series_;
};

// How often something took how long, in seconds.
class Histograms {
 public:
  struct Series;
  explicit Histograms(std::shared_ptr<Series> series) : series_(std::move(series)) {}
  void Observe(Values values, double seconds) const;
  // The series is shown from then on, also while it is empty.
  void Show(Values values) const;

 private:
  std::shared_ptr<Series> series_;
};

// `count` upper bounds, each `factor` times the one before.
[[nodiscard]] std::vector<double> Exponential(double first, double factor, int count);

class Registry {
 public:
  Registry();

  // Each name once. What they return may outlive the registry.
  [[nodiscard]] Counters AddCounters(Family family) const;
  [[nodiscard]] Gauges AddGauges(Family family) const;
  [[nodiscard]] Histograms AddHistograms(Family family, std::vector<double> buckets) const;

  // The text format of Prometheus, version 0.0.4. A family without a series is not in it.
  [[nodiscard]] std::string Print() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace gs::metrics
