#include "adapters/kube/fence/simulation/replica.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace gs::kube::simulation {

using model::Allocation;
using model::AllocationMode;
using model::Pod;

namespace {

// Short, so that a schedule has time for several terms.
constexpr FenceOptions kOptions{.lease = std::chrono::seconds(3),
                                .renew_deadline = std::chrono::seconds(2),
                                .retry = std::chrono::seconds(1),
                                .forget_after = std::chrono::seconds(8)};

FenceSelf SelfOf(const ReplicaSettings& settings) {
  return {.identity = {.pod = PodUid("pod-" + settings.name), .process = settings.name},
          .pod = PodName(settings.name),
          .scheduler = settings.scheduler,
          .release_namespace = settings.ns,
          .fence_namespace = Namespace("kube-system")};
}

std::optional<Duration> Earlier(std::optional<Duration> a, std::optional<Duration> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

Replica::Replica(ReplicaSettings settings)
    : settings_(std::move(settings)),
      self_(SelfOf(settings_)),
      commit_({.scheduler = settings_.scheduler,
               .leader = settings_.name,
               .rules = settings_.rules.commit}),
      steps_(self_, kOptions, settings_.rules.fence),
      pods_(model::Kind::kPod, {}),
      leases_(model::Kind::kLease, settings_.ns) {}

std::vector<Sent> Replica::Run(Duration now) {
  std::vector<Sent> sent;
  if (commit_.is_ready()) Decide(now);
  commit::Output output = commit_.Tick(TimePoint(now));
  for (const commit::Report& report : output.reports) Take(report, now);
  for (model::Command& command : output.commands) {
    if (auto* list = std::get_if<model::ListInFlight>(&command)) {
      steps_.SetInFlight(std::move(*list));
    } else {
      sent.emplace_back(std::move(command));
    }
  }
  AdvanceFence(now, sent);
  return sent;
}

void Replica::AdvanceFence(Duration now, std::vector<Sent>& sent) {
  FenceStep step = steps_.Advance({.since_boot = now, .wall = TimePoint(now)});
  fence_wake_.reset();
  if (step.wake_at != Duration::max()) fence_wake_ = step.wake_at;
  for (model::Event& event : step.events) news_.push_back(std::move(event));
  if (step.request) sent.emplace_back(*std::move(step.request));
  if (settings_.has_late_news) return;
  const bool is_news = !news_.empty();
  for (; !news_.empty(); news_.pop_front()) Apply(news_.front(), now);
  if (!is_news) return;
  for (Sent& each : Run(now)) sent.push_back(std::move(each));
}

void Replica::Answer(const FenceAnswer& answer, Duration now) {
  steps_.Answer({.since_boot = now, .wall = TimePoint(now)}, answer);
}

void Replica::Apply(const model::Event& event, Duration now) {
  if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
    const PodUid& uid = seen->pod.ref.uid;
    seen_.insert_or_assign(uid, Seen{seen->pod, HeldBy(seen->pod)});
    if (seen->pod.is_bound()) assumed_.erase(uid);
  } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
    Forget(gone->pod.uid);
  } else if (const auto* others = std::get_if<model::FenceSeen>(&event)) {
    others_ = *others;
  }
  commit_.Apply(event, TimePoint(now));
}

void Replica::Forget(const PodUid& pod) {
  seen_.erase(pod);
  assumed_.erase(pod);
  not_before_.erase(pod);
}

std::optional<Duration> Replica::NextWake() const {
  std::optional<Duration> wake = fence_wake_;
  if (const auto at = commit_.NextWake()) wake = Earlier(wake, at->time_since_epoch());
  if (!commit_.is_ready()) return wake;
  for (const auto& [uid, at] : not_before_) wake = Earlier(wake, at);
  return wake;
}

void Replica::Take(const commit::Report& report, Duration now) {
  if (const auto* resumed = std::get_if<commit::Resumed>(&report)) {
    const auto seen = seen_.find(resumed->pod.uid);
    const bool is_seen_bound = seen != seen_.end() && seen->second.pod.is_bound();
    if (!is_seen_bound) assumed_[resumed->pod.uid] = resumed->allocation;
  }
  const auto* finished = std::get_if<commit::Finished>(&report);
  if (finished == nullptr || finished->is_bound()) return;
  assumed_.erase(finished->pod.uid);
  if (seen_.contains(finished->pod.uid)) {
    not_before_[finished->pod.uid] = now + std::chrono::seconds(1);
  }
}

void Replica::Decide(Duration now) {
  std::erase_if(not_before_, [&](const auto& entry) { return entry.second <= now; });
  std::optional<Uses> uses;
  for (const auto& [uid, seen] : seen_) {
    if (!MayBeDecided(seen)) continue;
    if (!uses) uses = FindUses();
    std::optional<commit::Plan> plan = PlanFor(seen.pod, *uses);
    if (!plan) continue;
    assumed_[uid] = plan->allocation;
    uses.reset();
    commit_.Start(*std::move(plan), TimePoint(now));
  }
}

bool Replica::MayBeDecided(const Seen& seen) const {
  const Pod& pod = seen.pod;
  const PodUid& uid = pod.ref.uid;
  return pod.scheduler == settings_.scheduler && !pod.is_bound() && !pod.is_terminal() &&
         !pod.is_terminating && !assumed_.contains(uid) && !not_before_.contains(uid) &&
         !commit_.IsInFlight(uid);
}

Replica::Uses Replica::FindUses() const {
  Uses uses;
  const auto add = [&uses](const Allocation& allocation) {
    NodeUse& use = uses[allocation.gpus.node];
    for (const GpuId gpu : allocation.gpus.ids) {
      if (!allocation.is_enforced) use.counted.insert(gpu);
      if (allocation.is_enforced) use.direct[gpu].push_back(allocation.mode);
    }
  };
  for (const auto& [uid, seen] : seen_) {
    if (seen.held) add(*seen.held);
  }
  for (const auto& [uid, allocation] : assumed_) add(allocation);
  if (!settings_.minds_others) return uses;
  for (const auto& other : others_.others) {
    const auto seen = seen_.find(other.in_flight.pod.uid);
    const bool is_counted_already = seen != seen_.end() && seen->second.pod.is_bound();
    Allocation theirs = model::AllocationOf(other.in_flight);
    theirs.mode = AllocationMode::kExclusive;  // releases take turns at a GPU
    if (!is_counted_already) add(theirs);
  }
  return uses;
}

// The first GPUs with room, on the first node that has them.
std::optional<commit::Plan> Replica::PlanFor(const Pod& pod, const Uses& uses) {
  const Wish wish = WishOf(pod);
  for (int i = 0; i < settings_.nodes; ++i) {
    const NodeName node = NodeNamed(i);
    const auto use = uses.find(node);
    std::vector<GpuId> chosen = ChooseOn(use == uses.end() ? NodeUse() : use->second, wish);
    if (chosen.empty()) continue;
    commit::Plan plan{.pod = pod.ref,
                      .noted = pod.resource_version,
                      .attempt = AttemptId(settings_.name + "/" + std::to_string(++attempts_)),
                      .allocation = {}};
    plan.allocation.pod = pod.ref.uid;
    plan.allocation.gpus = {node, std::move(chosen)};
    plan.allocation.mode = wish.mode;
    plan.allocation.is_enforced = wish.is_enforced;
    return plan;
  }
  return std::nullopt;
}

// Pods that are counted and pods that are given ids exclude each other on a node.
std::vector<GpuId> Replica::ChooseOn(const NodeUse& use, const Wish& wish) const {
  std::vector<GpuId> chosen;
  const bool is_excluded = wish.is_enforced ? !use.counted.empty() : !use.direct.empty();
  if (is_excluded) return chosen;
  for (int id = 0; id < settings_.gpus && chosen.size() < wish.count; ++id) {
    if (HasRoom(use, GpuId(id), wish)) chosen.emplace_back(id);
  }
  if (chosen.size() < wish.count) chosen.clear();
  return chosen;
}

bool Replica::HasRoom(const NodeUse& use, GpuId gpu, const Wish& wish) const {
  if (!wish.is_enforced) return !use.counted.contains(gpu);
  const auto found = use.direct.find(gpu);
  if (found == use.direct.end()) return true;
  const std::vector<AllocationMode>& modes = found->second;
  return wish.mode == AllocationMode::kShared && std::ssize(modes) < settings_.sharers &&
         std::ranges::all_of(modes,
                             [](AllocationMode mode) { return mode == AllocationMode::kShared; });
}

}  // namespace gs::kube::simulation
