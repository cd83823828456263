#include "bench/replay/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/decide/devices/table.h"
#include "core/decide/node_gpu_state.h"
#include "core/decide/place.h"
#include "core/model/names.h"

namespace gs::replay {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

model::Node NodeOf(const ReplayNode& described) {
  model::Node node;
  node.name = NodeName(described.name);
  node.allocatable = {.cpu_milli = kPlenty, .memory_bytes = kPlenty, .gpus = 0, .others = {}};
  node.allocatable_pods = 110;
  return node;
}

// The cluster, and who is on it.
class Board {
 public:
  Board(const Stream& stream, Policy policy, std::uint32_t seed)
      : stream_(stream), policy_(policy), dice_(seed) {
    for (const ReplayNode& node : stream.nodes) {
      See(model::NodeSeen{NodeOf(node)});
      See(model::MachineSeen{NodeName(node.name), node.machine});
    }
    for (const model::Claim& claim : stream.claims) See(model::ClaimSeen{claim});
  }

  void Arrive(std::size_t arrival) {
    See(model::PodSeen{PodOf(arrival)});
    weights_.Add(CountOf(arrival));
  }
  void Leave(std::size_t arrival) {
    See(model::PodGone{PodOf(arrival).ref});
    weights_.Add(CountOf(arrival), -1);
  }

  // The place it got; nothing if there is none.
  std::optional<decide::Placement> Place(std::size_t arrival) {
    const model::Pod pod = PodOf(arrival);
    const auto ask = std::get<decide::Ask>(decide::AskOf(pod, cache_, {}));
    auto placement = policy_ == Policy::kOurs ? Decide(pod, ask) : Pick(pod, ask);
    BuildTables();
    if (placement) cache_.Assume(pod.ref.uid, placement->node, placement->allocation);
    return placement;
  }

  [[nodiscard]] bool IsLinked(const decide::Placement& placement) {
    const auto topology = topologies_.Of(*cache_.FindNode(placement.node));
    return topology->IslandsTouched(topology->PositionsOf(placement.allocation->gpus.ids)) == 1;
  }

  [[nodiscard]] std::int32_t CountOf(std::size_t arrival) const {
    return stream_.claims[stream_.arrivals[arrival].claim].devices.count;
  }

 private:
  void See(const model::Event& event) { (void)cache_.Apply(event, {}); }

  [[nodiscard]] model::Pod PodOf(std::size_t arrival) const {
    model::Pod pod;
    const std::string name = std::to_string(arrival);
    pod.ref = {Namespace("replay"), PodName("pod-" + name), PodUid("uid-" + name)};
    pod.scheduler = SchedulerName("replay");
    pod.annotations.Set(model::names::kClaim,
                        stream_.claims[stream_.arrivals[arrival].claim].name.text());
    return pod;
  }

  [[nodiscard]] decide::PlaceContext Context() {
    return {.topologies = topologies_,
            .choices = choices_,
            .tables = tables_,
            .wishes = wishes_,
            .weights = weights_,
            .rejections = rejections_,
            .keep = keep_,
            .storage = cache_.storage()};
  }

  std::optional<decide::Placement> Decide(const model::Pod& pod, const decide::Ask& ask) {
    auto decision = decide::Decide(pod, ask, cache_, Context());
    if (auto* placement = std::get_if<decide::Placement>(&decision)) return std::move(*placement);
    return std::nullopt;
  }

  std::optional<decide::Placement> Pick(const model::Pod& pod, const decide::Ask& ask) {
    std::vector<std::pair<decide::Cost, decide::Placement>> places;
    const decide::Company company(pod, cache_);
    for (const auto& [name, view] : cache_.nodes()) {
      auto answer = decide::PlaceOn(view, pod, ask, company, Context());
      if (auto* place = std::get_if<decide::Place>(&answer)) {
        places.push_back({place->cost, {name, std::move(place->allocation)}});
      }
    }
    if (places.empty()) return std::nullopt;
    return std::move(places[Choose(places)].second);
  }

  std::size_t Choose(const std::vector<std::pair<decide::Cost, decide::Placement>>& places) {
    if (policy_ == Policy::kRandom) return dice_() % places.size();
    if (policy_ == Policy::kFirstFit) return 0;
    const auto best =
        std::min_element(places.begin(), places.end(), [](const auto& a, const auto& b) {
          return a.first.free_gpus_left < b.first.free_gpus_left;
        });
    return static_cast<std::size_t>(best - places.begin());
  }

  void BuildTables() {
    for (const devices::TableWish& wish : wishes_.Take()) {
      tables_.Add(*wish.topology, wish.key, *devices::BuildTable(*wish.topology, wish.key));
    }
  }

  const Stream& stream_;
  const Policy policy_;
  std::mt19937 dice_;
  cache::Cache cache_{{.scheduler = SchedulerName("replay")}};
  decide::TopologyMemo topologies_;
  decide::ChoiceMemo choices_;
  devices::TableCache tables_;
  devices::TableWishes wishes_;
  score::SizeWeights weights_;
  decide::Rejections rejections_;
  decide::Keep keep_;
};

double Hours(Duration duration) {
  return std::chrono::duration<double, std::ratio<3600>>(duration).count();
}

class Runner {
 public:
  Runner(const Stream& stream, Policy policy, Misfit misfit, std::uint32_t seed)
      : stream_(stream), misfit_(misfit), board_(stream, policy, seed) {}

  Tally Run() {
    GS_CHECK(!stream_.arrivals.empty());
    for (std::size_t i = 0; i < stream_.arrivals.size(); ++i) {
      LeaveUntil(stream_.arrivals[i].at);
      board_.Arrive(i);
      if (TryToPlace(i, stream_.arrivals[i].at)) continue;
      if (misfit_ == Misfit::kWaits) waiting_.push_back(i);
      if (misfit_ == Misfit::kDropped) board_.Leave(i);
    }
    const TimePoint end = stream_.arrivals.back().at;
    for (const std::size_t i : waiting_) waited_ += Hours(end - stream_.arrivals[i].at);
    const double span = Hours(end - stream_.arrivals.front().at);
    tally_.used = gpu_hours_ / (span * static_cast<double>(stream_.gpus()));
    tally_.waited = waited_ / static_cast<double>(stream_.arrivals.size());
    return tally_;
  }

 private:
  bool TryToPlace(std::size_t i, TimePoint now) {
    const auto placement = board_.Place(i);
    if (!placement) return false;
    const std::int64_t count = board_.CountOf(i);
    ++tally_.pods;
    tally_.gpus += count;
    tally_.several += count > 1 ? 1 : 0;
    tally_.linked += count > 1 && board_.IsLinked(*placement) ? 1 : 0;
    const TimePoint last = stream_.arrivals.back().at;
    const TimePoint leaves = now + stream_.arrivals[i].lasts;
    waited_ += Hours(now - stream_.arrivals[i].at);
    gpu_hours_ += static_cast<double>(count) * Hours(std::min(leaves, last) - now);
    leaving_.emplace(leaves, i);
    return true;
  }

  // Whoever waits longest is tried first; those behind may pass.
  void LeaveUntil(TimePoint now) {
    while (!leaving_.empty() && leaving_.begin()->first <= now) {
      const auto [at, gone] = *leaving_.begin();
      leaving_.erase(leaving_.begin());
      board_.Leave(gone);
      std::erase_if(waiting_, [&, at = at](std::size_t i) { return TryToPlace(i, at); });
    }
  }

  const Stream& stream_;
  const Misfit misfit_;
  Board board_;
  Tally tally_;
  double gpu_hours_ = 0;
  double waited_ = 0;
  std::multimap<TimePoint, std::size_t> leaving_;
  std::vector<std::size_t> waiting_;  // oldest first
};

}  // namespace

std::string_view ToString(Policy policy) {
  switch (policy) {
    case Policy::kOurs: return "gpu-scheduler";
    case Policy::kBestFit: return "best-fit";
    case Policy::kFirstFit: return "first-fit";
    case Policy::kRandom: return "random";
  }
  return "";
}

Tally Replay(const Stream& stream, Policy policy, Misfit misfit, std::uint32_t seed) {
  return Runner(stream, policy, misfit, seed).Run();
}

}  // namespace gs::replay
