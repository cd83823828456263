#include "core/explain/changes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "base/parse.h"
#include "core/decide/devices/choose.h"
#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/taints.h"
#include "core/decide/named_node.h"
#include "core/decide/reserve.h"
#include "core/decide/without_pods.h"
#include "core/explain/trial.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "core/model/scheduling_map.h"

namespace gs::explain {
namespace {

using decide::Ask;
using decide::CountedGpus;
using model::ReasonToken;

constexpr std::size_t kMostNodes = 256;  // whose pods are looked at one by one
constexpr int kMostTries = 64;           // of one kind, on single nodes
constexpr int kMostWalks = 3;            // of one kind, over all nodes
constexpr std::size_t kMostTold = 4;     // of one kind

// One search; its functions append what they find.
class Search {
 public:
  Search(const std::vector<NearMiss>& misses, const model::Pod& pod, const Ask& ask,
         const Scene& scene)
      : misses_(misses), pod_(pod), ask_(ask), scene_(scene), trial_(pod, ask, scene) {}

  std::vector<Change> Run() {
    TryPreferred();
    TryEnds();
    TryHealing();
    TryWithoutReservation();
    TryTolerating();
    TryUncordoning();
    TryWithoutSelector();
    TryWithoutAffinity();
    TryWithoutClaimLabel();
    TryLess();
    TryFewerGpus();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool Has(ReasonToken token) const {
    return std::any_of(misses_.begin(), misses_.end(), [token](const NearMiss& miss) {
      return miss.verdict->reason.token == token;
    });
  }
  [[nodiscard]] const CountedGpus* Counted() const { return std::get_if<CountedGpus>(&ask_.gpus); }
  // A claim is changed for all of its pods, so those in front would start with it.
  [[nodiscard]] bool IsFirstOf(const ClaimName& claim) const {
    if (claim.empty()) return true;
    return trial_.knows_all_before() &&
           std::none_of(trial_.before().begin(), trial_.before().end(), [&](const auto& earlier) {
             const model::Pod& pod = *scene_.cache.FindPod(earlier.pod);
             const std::string* named = model::FindAnnotation(pod, model::names::kClaim);
             return named != nullptr && *named == claim.text() && pod.ref.ns == pod_.ref.ns;
           });
  }

  void TryPreferred() {
    const CountedGpus* counted = Counted();
    if (counted == nullptr || counted->request.mode != model::TopologyMode::kRequired ||
        !Has(ReasonToken::kTopologyUnmet) || !IsFirstOf(counted->claim)) {
      return;
    }
    Ask ask = ask_;
    auto& changed = std::get<CountedGpus>(ask.gpus);
    changed.request.mode = model::TopologyMode::kPreferred;
    changed.prefers_one_island = changed.request.count > 1;
    changed.preferred_bandwidth_gbps = changed.request.min_bandwidth_gbps;
    const auto placement = trial_.Starts(pod_, ask);
    if (!placement) return;
    const cache::NodeView& view = *scene_.cache.FindNode(placement->node);
    const auto topology = scene_.context.topologies.Of(view);
    devices::Request exactly = changed.request;
    exactly.must_include = placement->allocation->gpus.ids;
    const auto outcome =
        devices::Choose(*topology, decide::AvailabilityOf(view, *topology, pod_.ref.uid), exactly);
    const auto* choice = std::get_if<devices::Choice>(&outcome);
    if (choice == nullptr) return;
    found_.emplace_back(PrefersTopology{.node = placement->node,
                                        .claim = counted->claim,
                                        .asked_gbps = counted->request.min_bandwidth_gbps,
                                        .given_gbps = choice->min_bandwidth_gbps,
                                        .islands = choice->islands});
  }

  struct Ending {
    TimePoint bound_at;
    model::PodRef pod;
    const NearMiss* miss = nullptr;
  };
  // Oldest first.
  [[nodiscard]] std::vector<Ending> Endings() const {
    std::vector<Ending> endings;
    const std::size_t most = std::min(misses_.size(), kMostNodes);
    for (std::size_t i = 0; i < most; ++i) {
      const NearMiss& miss = misses_[i];
      if (miss.verdict->reason.token == ReasonToken::kNodesExcluded) continue;
      for (model::PodRef& pod : decide::GpuPodsOn(*miss.view, scene_.cache)) {
        const auto record = scene_.cache.pods().find(pod.uid);
        const bool can_end = record != scene_.cache.pods().end() && record->second.pod.is_bound() &&
                             !record->second.pod.is_terminal();
        if (can_end) endings.push_back({record->second.bound_at, std::move(pod), &miss});
      }
    }
    std::stable_sort(endings.begin(), endings.end(),
                     [](const Ending& a, const Ending& b) { return a.bound_at < b.bound_at; });
    return endings;
  }
  [[nodiscard]] bool IsSibling(const model::PodRef& ref) const {
    const model::Pod* other = scene_.cache.FindPod(ref.uid);
    return pod_.controller && pod_.controller->kind.text() == model::names::kStatefulSet &&
           other != nullptr && other->controller == pod_.controller;
  }
  // Its end may change what such rules count, in ways that one node does not show.
  [[nodiscard]] bool DependsOnOtherPods() const {
    return !pod_.rules->pod_affinity.empty() || !pod_.rules->spread.empty();
  }
  void TryEnds() {
    if (DependsOnOtherPods()) return;
    int tries = 0;
    std::size_t told = 0;
    for (const Ending& ending : Endings()) {
      if (tries == kMostTries || told == kMostTold) return;
      const cache::NodeView& view = *ending.miss->view;
      if (GpusOf(view, ending.pod.uid) < ending.miss->gpus_short) continue;
      ++tries;
      cache::NodeView changed = view;
      decide::TakeOff(changed, ending.pod.uid, scene_.cache);
      if (!trial_.StartsOn(std::move(changed))) continue;
      ++told;
      found_.emplace_back(PodEnds{view.node.name, ending.pod, IsSibling(ending.pod)});
    }
  }
  [[nodiscard]] std::int64_t GpusOf(const cache::NodeView& view, const PodUid& pod) const {
    std::int64_t held = 0;
    for (const auto& [gpu, holders] : view.holders.all()) {
      held += std::count_if(holders.begin(), holders.end(),
                            [&pod](const cache::Holder& holder) { return holder.pod.uid == pod; });
    }
    return std::max(held, model::WholeGpus(scene_.cache.FindPod(pod)->requests));
  }

  void TryHealing() {
    int tries = 0;
    std::size_t told = 0;
    for (const NearMiss& miss : misses_) {
      const cache::NodeView& view = *miss.view;
      if (!view.node.machine) continue;
      for (std::size_t i = 0; i < view.node.machine->devices.size(); ++i) {
        if (view.node.machine->devices[i].health == model::Health::kHealthy) continue;
        if (tries++ == kMostTries || told == kMostTold) return;
        cache::NodeView changed = view;
        changed.node.machine->devices[i].health = model::Health::kHealthy;
        const GpuId gpu = view.node.machine->devices[i].id;
        if (!trial_.StartsOn(std::move(changed))) continue;
        ++told;
        found_.emplace_back(GpuHeals{view.node.name, gpu});
      }
    }
  }

  // With nobody else in front who might be the next one for whom something is kept.
  void TryWithoutReservation() {
    const auto& reservation = scene_.context.keep.reservation();
    if (!reservation || !Has(ReasonToken::kGpuReserved)) return;
    const auto is_the_one = [&](const pending::Earlier& earlier) {
      return earlier.pod == reservation->pod.uid;
    };
    const auto& before = trial_.before();
    if (!trial_.knows_all_before() || !std::all_of(before.begin(), before.end(), is_the_one)) {
      return;
    }
    const decide::Keep nothing;
    const decide::PlaceContext& now = scene_.context;
    const decide::PlaceContext freely{.topologies = now.topologies,
                                      .choices = now.choices,
                                      .tables = now.tables,
                                      .wishes = now.wishes,
                                      .weights = now.weights,
                                      .rejections = now.rejections,
                                      .keep = nothing,
                                      .storage = now.storage};
    const cache::NodeView& view = *scene_.cache.FindNode(reservation->node);
    if (std::holds_alternative<decide::Place>(
            decide::PlaceOn(view, pod_, ask_, decide::Company(pod_, scene_.cache), freely))) {
      found_.emplace_back(ReservationEnds{reservation->node, reservation->pod});
    }
  }

  // Tries what `change` makes of the pod for each node that is excluded: first there, then, where
  // it would do, everywhere, because the pod goes to the best node and not to this one. `change`
  // returns what makes one change different from another, or nothing where the rule is not the
  // trouble; `tell` makes a Change of it.
  template <class Make, class Tell>
  void TryOtherPods(Make make, Tell tell) {
    std::set<std::string> tried;
    int walks = 0;
    for (const NearMiss& miss : misses_) {
      if (miss.verdict->reason.token != ReasonToken::kNodesExcluded) continue;
      const cache::NodeView& view = *miss.view;
      model::Pod pod = pod_;
      Ask ask = ask_;
      const std::optional<std::string> what = make(view, pod, ask);
      if (!what || tried.contains(*what) || !trial_.Fits(view, pod, ask)) continue;
      tried.insert(*what);
      if (walks++ == kMostWalks) return;
      if (const auto placement = trial_.Starts(pod, ask)) {
        found_.emplace_back(tell(view, placement->node));
      }
    }
  }
  [[nodiscard]] const model::Taint* UntoleratedOn(const cache::NodeView& view) const {
    for (const model::Taint& taint : view.node.taints) {
      model::Node alone;
      alone.taints = {taint};
      if (filter::RefusedByTaint(*pod_.rules, alone)) return &taint;
    }
    return nullptr;
  }
  void TryTolerating() {
    TryOtherPods(
        [this](const cache::NodeView& view, model::Pod& pod, Ask&) -> std::optional<std::string> {
          const model::Taint* taint = UntoleratedOn(view);
          if (taint == nullptr || view.node.is_unschedulable) return std::nullopt;
          pod.rules->tolerations.push_back({.key = taint->key,
                                            .value = taint->value,
                                            .op = model::TolerationOperator::kEqual,
                                            .effect = std::nullopt});
          return taint->key + "=" + taint->value;
        },
        [this](const cache::NodeView& view, const NodeName& node) {
          return ToleratesTaint{node, *UntoleratedOn(view)};
        });
  }
  void TryUncordoning() {
    int tries = 0;
    std::size_t told = 0;
    for (const NearMiss& miss : misses_) {
      const cache::NodeView& view = *miss.view;
      if (!view.is_known || !view.node.is_unschedulable) continue;
      if (tries++ == kMostTries || told == kMostTold) return;
      cache::NodeView changed = view;
      changed.node.is_unschedulable = false;
      // Kubernetes has the cordon as a taint too.
      std::erase_if(changed.node.taints, [](const model::Taint& taint) {
        return taint.key == "node.kubernetes.io/unschedulable";
      });
      if (!trial_.StartsOn(std::move(changed))) continue;
      ++told;
      found_.emplace_back(IsUncordoned{view.node.name});
    }
  }
  [[nodiscard]] static std::optional<std::pair<std::string, std::string>> Unmatched(
      const model::Labels& wanted, const model::Node& node) {
    for (const auto& [name, value] : wanted) {
      const std::string* label = node.labels.Find(name);
      if (label == nullptr || *label != value) return std::pair(name, value);
    }
    return std::nullopt;
  }
  [[nodiscard]] static model::Labels Without(const model::Labels& labels,
                                             const std::string& dropped) {
    model::Labels left;
    for (const auto& [name, value] : labels) {
      if (name != dropped) left.Set(name, value);
    }
    return left;
  }
  void TryWithoutSelector() {
    TryOtherPods(
        [](const cache::NodeView& view, model::Pod& pod, Ask&) -> std::optional<std::string> {
          const auto unmatched = Unmatched(pod.rules->node_selector, view.node);
          if (!unmatched) return std::nullopt;
          pod.rules->node_selector = Without(pod.rules->node_selector, unmatched->first);
          return unmatched->first;
        },
        [this](const cache::NodeView& view, const NodeName& node) {
          auto unmatched = *Unmatched(pod_.rules->node_selector, view.node);
          return DropsSelector{node, std::move(unmatched.first), std::move(unmatched.second)};
        });
  }
  void TryWithoutAffinity() {
    if (pod_.rules->node_affinity.empty()) return;
    TryOtherPods(
        [](const cache::NodeView& view, model::Pod& pod, Ask&) -> std::optional<std::string> {
          if (Unmatched(pod.rules->node_selector, view.node) ||
              !filter::RefusedByAffinity(*pod.rules, view.node)) {
            return std::nullopt;
          }
          pod.rules->node_affinity.clear();
          return "affinity";
        },
        [](const cache::NodeView&, const NodeName& node) { return DropsAffinity{node}; });
  }
  void TryWithoutClaimLabel() {
    const CountedGpus* counted = Counted();
    if (counted == nullptr || counted->match_labels.empty() || !IsFirstOf(counted->claim)) return;
    TryOtherPods(
        [](const cache::NodeView& view, model::Pod&, Ask& ask) -> std::optional<std::string> {
          auto& asked = std::get<CountedGpus>(ask.gpus);
          const auto unmatched = Unmatched(asked.match_labels, view.node);
          if (!unmatched) return std::nullopt;
          asked.match_labels = Without(asked.match_labels, unmatched->first);
          return unmatched->first;
        },
        [counted](const cache::NodeView& view, const NodeName& node) {
          auto unmatched = *Unmatched(counted->match_labels, view.node);
          return DropsClaimLabel{node, counted->claim, std::move(unmatched.first),
                                 std::move(unmatched.second)};
        });
  }

  // What is short on one node, if it is one thing.
  struct Lack {
    std::string resource;
    std::int64_t less = 0;
  };
  static void AddLack(std::vector<Lack>& lacks, const std::string& resource, std::int64_t asked,
                      std::int64_t offered, std::int64_t used) {
    const std::int64_t free = offered - used;
    if (asked > 0 && asked > free) lacks.push_back({resource, free > 0 ? asked - free : 0});
  }
  [[nodiscard]] std::optional<Lack> LackOn(const cache::NodeView& view) const {
    const model::Resources& asked = pod_.requests;
    const model::Resources& offered = view.node.allocatable;
    std::vector<Lack> lacks;
    AddLack(lacks, "cpu", asked.cpu_milli, offered.cpu_milli, view.used.cpu_milli);
    AddLack(lacks, "memory", asked.memory_bytes, offered.memory_bytes, view.used.memory_bytes);
    for (const auto& [name, amount] : asked.others) {
      AddLack(lacks, name, amount, offered.others.Of(name), view.used.Other(name));
    }
    // To ask for nothing would be another pod.
    if (lacks.size() != 1 || lacks.front().less == 0) return std::nullopt;
    return lacks.front();
  }
  static void Reduce(model::Resources& requests, const Lack& lack) {
    if (lack.resource == "cpu")
      requests.cpu_milli -= lack.less;
    else if (lack.resource == "memory")
      requests.memory_bytes -= lack.less;
    else
      requests.others[lack.resource] -= lack.less;
  }
  // The smallest that would do, of each resource.
  void TryLess() {
    std::map<std::string, std::int64_t> smallest;
    for (const NearMiss& miss : misses_) {
      if (miss.verdict->reason.token != ReasonToken::kTooFewResources) continue;
      const cache::NodeView& view = *miss.view;
      const auto lack = LackOn(view);
      if (!lack) continue;
      const auto known = smallest.find(lack->resource);
      if (known != smallest.end() && known->second <= lack->less) continue;
      model::Pod pod = pod_;
      Reduce(pod.requests, *lack);
      if (trial_.Fits(view, pod, ask_)) smallest[lack->resource] = lack->less;
    }
    for (const auto& [resource, less] : smallest) {
      model::Pod pod = pod_;
      Reduce(pod.requests, {resource, less});
      if (const auto placement = trial_.Starts(pod, ask_)) {
        found_.emplace_back(AsksLess{placement->node, resource, less});
      }
    }
  }

  // What nobody wants to hear is told only where nothing else helps.
  void TryFewerGpus() {
    const CountedGpus* counted = Counted();
    if (!found_.empty() || counted == nullptr || !IsFirstOf(counted->claim)) return;
    const auto nearest = std::find_if(misses_.begin(), misses_.end(), [](const NearMiss& miss) {
      const ReasonToken token = miss.verdict->reason.token;
      return token == ReasonToken::kTooFewGpus || token == ReasonToken::kTooLarge;
    });
    if (nearest == misses_.end() || nearest->gpus_short <= 0) return;
    const std::int64_t fewer = counted->request.count - nearest->gpus_short;
    if (fewer < 1) return;
    model::Pod pod = pod_;
    if (model::HasGpuResource(pod.requests)) {
      const std::string_view resource = model::WholeGpuResource(pod.requests);
      if (resource.empty()) return;
      model::SetWholeGpus(pod.requests, resource, fewer);
    }
    Ask ask = ask_;
    std::get<CountedGpus>(ask.gpus).request.count = static_cast<std::int32_t>(fewer);
    if (const auto placement = trial_.Starts(pod, ask)) {
      found_.emplace_back(AsksFewerGpus{placement->node, counted->claim,
                                        static_cast<std::int32_t>(fewer), counted->request.count});
    }
  }

  const std::vector<NearMiss>& misses_;
  const model::Pod& pod_;
  const Ask& ask_;
  const Scene& scene_;
  const Trial trial_;
  std::vector<Change> found_;
};

// The number that the containers would have to ask for; 0: none would do.
std::int64_t AgreedCount(const model::Pod& pod, const Scene& scene) {
  if (const std::string* claim = model::FindAnnotation(pod, model::names::kClaim)) {
    const auto* found = scene.cache.FindClaim(pod.ref.ns, ClaimName(*claim));
    return found == nullptr ? 0 : found->devices.count;
  }
  const std::string* text = model::FindAnnotation(pod, model::names::kMap);
  if (text == nullptr) return 0;
  const auto map = model::ParseSchedulingMap(*text);
  const auto* entry = map ? map->Find(model::PodIndexOf(pod)) : nullptr;
  return entry == nullptr ? 0 : static_cast<std::int64_t>(entry->ids.size());
}

std::optional<Change> TryToAgree(const model::Pod& pod, const Scene& scene) {
  const std::int64_t gpus = AgreedCount(pod, scene);
  const std::string_view resource = model::WholeGpuResource(pod.requests);
  if (gpus == 0 || resource.empty()) return std::nullopt;
  model::Pod changed = pod;
  model::SetWholeGpus(changed.requests, resource, gpus);
  const auto ask = decide::AskOf(changed, scene.cache, scene.ask);
  const auto* known = std::get_if<Ask>(&ask);
  if (known == nullptr) return std::nullopt;
  const auto placement = Trial(changed, *known, scene).Starts(changed, *known);
  if (!placement) return std::nullopt;
  return CountsAgree{placement->node, gpus, std::string(resource)};
}

std::optional<Change> TryWithClaim(const model::Pod& pod, const Scene& scene) {
  model::Claim claim;
  claim.ns = pod.ref.ns;
  claim.name = ClaimName(*model::FindAnnotation(pod, model::names::kClaim));
  claim.devices.count = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(model::WholeGpus(pod.requests), 1, kInt32Range.max));
  const auto ask = decide::AskOfClaim(pod, claim, scene.ask);
  const auto* known = std::get_if<Ask>(&ask);
  if (known == nullptr) return std::nullopt;
  const Trial trial(pod, *known, scene);
  // Whoever names the same claim and comes first would start first.
  const auto names_it = [&](const pending::Earlier& earlier) {
    const model::Pod& other = *scene.cache.FindPod(earlier.pod);
    const std::string* named = model::FindAnnotation(other, model::names::kClaim);
    return other.ref.ns == pod.ref.ns && named != nullptr && *named == claim.name.text();
  };
  if (!trial.knows_all_before() ||
      std::any_of(trial.before().begin(), trial.before().end(), names_it)) {
    return std::nullopt;
  }
  const auto placement = trial.Starts(pod, *known);
  if (!placement) return std::nullopt;
  return ClaimComes{placement->node, claim.name, claim.devices.count};
}

}  // namespace

std::vector<NearMiss> NearMisses(const std::vector<decide::NodeVerdict>& nodes,
                                 const model::Pod& pod, const Ask& ask, const Scene& scene) {
  std::vector<NearMiss> misses;
  misses.reserve(nodes.size());
  for (const decide::NodeVerdict& verdict : nodes) {
    const cache::NodeView& view = *scene.cache.FindNode(verdict.node);
    misses.push_back({decide::GpusShort(view, pod, ask, scene.context), &verdict, &view});
  }
  std::stable_sort(misses.begin(), misses.end(), [](const NearMiss& a, const NearMiss& b) {
    return a.gpus_short < b.gpus_short;
  });
  return misses;
}

std::vector<Change> FindChanges(const std::vector<NearMiss>& misses, const model::Pod& pod,
                                const Ask& ask, const Scene& scene) {
  return Search(misses, pod, ask, scene).Run();
}

std::vector<Change> FindRepairs(const model::Pod& pod, ReasonToken trouble, const Scene& scene) {
  std::optional<Change> repair;
  if (trouble == ReasonToken::kCountMismatch) repair = TryToAgree(pod, scene);
  if (trouble == ReasonToken::kClaimMissing) repair = TryWithClaim(pod, scene);
  if (!repair) return {};
  return {*std::move(repair)};
}

}  // namespace gs::explain
