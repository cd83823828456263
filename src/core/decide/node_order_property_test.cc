// Whatever happens to nodes, pods and locks, a decision by the order of the nodes is the one that
// looking at every node gives.
#include "core/decide/node_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/decide/decide.h"
#include "tests/support/machines.h"

namespace gs::decide {
namespace {

constexpr int kSteps = 120;
constexpr std::size_t kNodes = 6;
const TimePoint kNow{std::chrono::hours(1)};

std::size_t Below(std::size_t limit) { return *rc::gen::inRange<std::size_t>(0, limit); }
bool Once(std::size_t in) { return Below(in) == 0; }

NodeName AnyNode() { return NodeName("n" + std::to_string(Below(kNodes))); }

model::Machine AnyMachine() {
  switch (Below(3)) {
    case 0: return testing::HgxA100().machine();
    case 1: return testing::TwoSockets().machine();
    default: return testing::FourPcie().machine();
  }
}

model::Node NodeCalled(const NodeName& name) {
  model::Node node;
  node.name = name;
  node.allocatable = {.cpu_milli = static_cast<std::int64_t>(1 + Below(4)) * 1000,
                      .memory_bytes = 0,
                      .gpus = 0,
                      .others = {}};
  node.allocatable_pods = 20;
  if (Once(4)) node.labels = {{"pool", "a"}};
  if (Once(4)) node.taints = {{"slow", "", model::TaintEffect::kPreferNoSchedule}};
  node.is_unschedulable = Once(8);
  return node;
}

CountedGpus AnyCounted() {
  CountedGpus counted;
  counted.request.count = static_cast<std::int32_t>(1 + Below(5));
  counted.prefers_one_island = Once(3);
  if (Once(4)) counted.preferred_bandwidth_gbps = 300;
  if (Once(4)) counted.request.mode = model::TopologyMode::kRequired;
  if (Once(6)) counted.request.policy = model::DevicePolicy::kSpread;
  if (Once(6)) counted.request.exclusivity = model::Exclusivity::kShared;
  if (Once(6)) counted.match_labels = {{"pool", "a"}};
  return counted;
}

class Story {
 public:
  Story() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      const NodeName name("n" + std::to_string(i));
      See(model::NodeSeen{NodeCalled(name)});
      See(model::MachineSeen{.node = name, .machine = AnyMachine()});
    }
  }

  void Step() {
    switch (Below(11)) {
      case 0: return See(model::NodeGone{AnyNode()});
      case 1: return See(model::NodeSeen{NodeCalled(AnyNode())});
      case 2: return ReportMachine();
      case 3: return EndSomePod();
      case 5: return KeepSomething();
      case 6: return weights_.Add(static_cast<std::int64_t>(1 + Below(8)), 3);
      default: return DecideBothWays();
    }
  }

 private:
  void See(const model::Event& event) { (void)cache_.Apply(event, kNow); }

  void ReportMachine() {
    model::Machine machine = AnyMachine();
    if (Once(2)) machine.devices[Below(machine.devices.size())].health = model::Health::kUnhealthy;
    See(model::MachineSeen{.node = AnyNode(), .machine = std::move(machine)});
  }

  void EndSomePod() {
    if (placed_.empty()) return;
    const std::size_t which = Below(placed_.size());
    See(model::PodGone{placed_[which]});
    placed_.erase(placed_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void KeepSomething() {
    model::Pod waits = PodCalled("kept-" + std::to_string(Below(3)));
    waits.created = kNow - std::chrono::minutes(1);
    if (Once(2)) {
      keep_.Spare(waits, AnyNode(), {GpuId(static_cast<std::int32_t>(Below(4)))});
    } else if (Once(2)) {
      std::vector<GpuId> ids;
      if (Once(2)) ids = {GpuId(static_cast<std::int32_t>(Below(4)))};
      keep_.Reserve({.pod = waits.ref, .node = AnyNode(), .ids = std::move(ids)});
    } else {
      keep_.EndReservation();
    }
  }

  static model::Pod PodCalled(const std::string& name) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.created = kNow;
    return pod;
  }
  [[nodiscard]] model::Pod NextPod() const { return PodCalled("p" + std::to_string(pods_)); }

  void DecideBothWays() {
    model::Pod pod = NextPod();
    pod.requests.cpu_milli = static_cast<std::int64_t>(Below(3)) * 500;
    See(model::PodSeen{pod});
    Ask ask;
    if (!Once(3)) ask = {.gpus = AnyCounted(), .wants = filter::Wants::kDirect};
    const PlaceContext context{.topologies = topologies_,
                               .choices = choices_,
                               .tables = tables_,
                               .wishes = wishes_,
                               .weights = weights_,
                               .rejections = rejections_,
                               .keep = keep_,
                               .storage = cache_.storage()};
    order_.Follow(cache_.TakeChangedNodes(), cache_, topologies_);
    const Decision all = Decide(pod, ask, cache_, context);
    const Decision ordered = Decide(pod, ask, cache_, context, {.order = &order_});
    RC_ASSERT(all.index() == ordered.index());
    if (const auto* none = std::get_if<NoPlace>(&all)) {
      RC_ASSERT(none->reason == std::get<NoPlace>(ordered).reason);
      return;
    }
    const auto& placement = std::get<Placement>(all);
    RC_ASSERT(placement.node == std::get<Placement>(ordered).node);
    RC_ASSERT(placement.allocation == std::get<Placement>(ordered).allocation);
    cache_.Assume(pod.ref.uid, placement.node, placement.allocation);
    placed_.push_back(pod.ref);
    ++pods_;
  }

  cache::Cache cache_{{.scheduler = SchedulerName("gpu-scheduler")}};
  TopologyMemo topologies_;
  ChoiceMemo choices_;
  NodeOrder order_;
  devices::TableCache tables_;
  devices::TableWishes wishes_;
  score::SizeWeights weights_;
  Rejections rejections_;
  Keep keep_;
  std::vector<model::PodRef> placed_;
  int pods_ = 0;
};

RC_GTEST_PROP(NodeOrderProperty, DecidesAsIfEveryNodeWereLookedAt, ()) {
  Story story;
  for (int step = 0; step < kSteps; ++step) story.Step();
}

}  // namespace
}  // namespace gs::decide
