// Who overtakes whom, over random arrivals.
//
//   - A large pod is not overtaken for ever: it starts once it has waited for five minutes and
//   those
//     who were there have ended, however many small ones keep coming.
//   - Where nobody waits, nothing is different from a scheduler that keeps nothing for anybody.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/scenarios/cluster/cluster.h"

namespace gs::scenarios {
namespace {

using std::chrono::minutes;

constexpr int kLongestRun = 6;  // minutes

// A small pod that comes, and how long it runs.
struct Arrival {
  int gpus = 1;
  int minutes = 1;
};

void showValue(const Arrival& arrival, std::ostream& out) {
  out << '{' << arrival.gpus << " for " << arrival.minutes << "m}";
}

rc::Gen<std::vector<Arrival>> Arrivals() {
  return rc::gen::container<std::vector<Arrival>>(
      60, rc::gen::build<Arrival>(
              rc::gen::set(&Arrival::gpus, rc::gen::inRange(1, 3)),
              rc::gen::set(&Arrival::minutes, rc::gen::inRange(1, kLongestRun + 1))));
}

model::Node NodeOf(const std::string& name, std::int64_t gpus) {
  model::Node node;
  node.name = NodeName(name);
  node.allocatable = {.cpu_milli = 64000, .memory_bytes = 0, .gpus = gpus, .others = {}};
  node.allocatable_pods = 110;
  node.gpu_capacity = gpus;
  return node;
}

// Small pods come every minute, two at a time, and end when their time is over.
class Traffic {
 public:
  Traffic(Duration reserve_after, int nodes)
      : cluster_({.scheduler = {}, .leader = {}, .reserve_after = reserve_after}) {
    for (int i = 0; i < nodes; ++i) cluster_.api().Put(NodeOf("n" + std::to_string(i), 4));
    cluster_.Sync();
    cluster_.Lead();
  }

  void Create(const std::string& name, std::int64_t gpus) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(name), {}};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.created = cluster_.now();
    pod.requests.gpus = gpus;
    cluster_.api().Put(std::move(pod));
  }
  void Pass(const Arrival& a, const Arrival& b) {
    for (const Arrival& each : {a, b}) {
      const std::string name = "small-" + std::to_string(++count_);
      Create(name, each.gpus);
      runs_[name] = minutes(each.minutes);
    }
    RC_ASSERT(cluster_.Wait(minutes(1)));
    EndThoseWhoseTimeIsOver();
  }
  [[nodiscard]] const model::Pod& PodOf(const std::string& name) const {
    return *cluster_.api().FindPod({Namespace("team"), PodName(name)});
  }
  [[nodiscard]] Cluster& cluster() { return cluster_; }

 private:
  void EndThoseWhoseTimeIsOver() {
    for (auto& [name, left] : runs_) {
      model::Pod pod = PodOf(name);
      if (!pod.is_bound() || pod.is_terminal()) continue;
      left -= minutes(1);
      if (left > Duration(0)) continue;
      pod.phase = model::PodPhase::kSucceeded;
      cluster_.api().Put(std::move(pod));
    }
  }

  Cluster cluster_;
  int count_ = 0;
  std::map<std::string, Duration> runs_;
};

RC_GTEST_PROP(Fairness, NobodyIsOvertakenForEver, ()) {
  const int nodes = *rc::gen::inRange(1, 3);
  const auto arrivals = *Arrivals();
  Traffic traffic(minutes(5), nodes);
  std::size_t next = 0;
  const auto pass = [&] {
    traffic.Pass(arrivals[next], arrivals[next + 1]);
    next += 2;
  };
  pass();  // there is room for these two, so nobody waits in front of the large one
  traffic.Create("large", 4);
  // Five until there is a reservation, then until the last holder has ended, and a little more.
  for (int minute = 0; minute < 5 + kLongestRun + 2; ++minute) pass();
  RC_LOG() << traffic.PodOf("large").scheduled.message.text();
  RC_ASSERT(traffic.PodOf("large").is_bound());
}

// The property must be able to fail: without reservations some traffic starves the large pod.
TEST(FairnessItself, StarvesALargePodWithoutReservations) {
  Traffic traffic(Duration(0), 1);
  traffic.Pass({.gpus = 1, .minutes = 2}, {.gpus = 1, .minutes = 3});
  traffic.Create("large", 4);
  const Arrival one{.gpus = 1, .minutes = 3};
  for (int minute = 0; minute < 30; ++minute) traffic.Pass(one, one);
  EXPECT_FALSE(traffic.PodOf("large").is_bound());
}

// Beside a service that never ends small pods run nearly all of the time, and the large one is not
// given up.
TEST(FairnessItself, AServiceThatNeverEndsKeepsTheGpusBesideItBusy) {
  Traffic traffic(minutes(1), 1);
  traffic.Create("a-service", 1);
  traffic.Create("large", 4);
  constexpr int kMinutes = 5 * 60;
  int idle = 0;
  for (int minute = 0; minute < kMinutes; ++minute) {
    traffic.Pass({.gpus = 1, .minutes = 1}, {.gpus = 1, .minutes = 1});
    const auto& kept = traffic.cluster().scheduler().keep().reservation();
    if (kept && kept->pod.name.text() == "large") ++idle;
  }
  EXPECT_GT(idle, 0);
  EXPECT_LT(idle, kMinutes / 4);
}

std::string SentTo(Cluster& cluster) {
  return text::Join(cluster.sent(), "\n",
                    [](const model::Command& each) { return ToString(each); });
}

RC_GTEST_PROP(Fairness, WithoutWaitingPodsNothingChanges, ()) {
  const auto arrivals = *Arrivals();
  std::vector<std::string> runs;
  for (const Duration reserve_after : {Duration(0), Duration(minutes(5))}) {
    Traffic traffic(reserve_after, 8);
    for (std::size_t i = 0; i < 20; i += 2) traffic.Pass(arrivals[i], arrivals[i + 1]);
    const auto& sent = traffic.cluster().sent();
    RC_PRE(std::none_of(sent.begin(), sent.end(), [](const model::Command& each) {
      return std::holds_alternative<model::SetUnschedulable>(each);
    }));
    runs.push_back(SentTo(traffic.cluster()));
  }
  RC_ASSERT(runs[0] == runs[1]);
}

}  // namespace
}  // namespace gs::scenarios
