#include "adapters/kube/fence/simulation/replica.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/decide/filter/handover.h"
#include "core/decide/filter/other_releases.h"
#include "core/decide/filter/resources.h"

namespace gs::kube::simulation {

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

// The promise ends with the time-out, so it must not come.
constexpr Duration kForever = std::chrono::hours(10000);

model::Node NodeOf(int index, const ReplicaSettings& settings) {
  model::Node node;
  node.name = NodeNamed(index);
  node.allocatable.gpus = settings.gpus;
  node.allocatable.others.emplace(kGpuPart, 100);
  node.allocatable_pods = 100;
  node.gpu_capacity = settings.gpus;
  return node;
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
      leases_(model::Kind::kLease, settings_.ns),
      reports_(model::Kind::kMachine, {}),
      cache_({.scheduler = settings_.scheduler, .release_timeout = kForever}),
      are_reports_complete_(!settings_.has_agents) {
  for (int i = 0; i < settings_.nodes; ++i) See(model::NodeSeen{NodeOf(i, settings_)}, {});
  if (!settings_.has_agents) See(model::KindMissing{model::Kind::kMachine}, {});
}

std::vector<Sent> Replica::Run(Duration now) {
  std::vector<Sent> sent;
  if (commit_.is_ready() && are_reports_complete_) Decide(now);
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
  See(event, now);
  if (const auto* gone = std::get_if<model::PodGone>(&event)) not_before_.erase(gone->pod.uid);
  commit_.Apply(event, TimePoint(now));
}

void Replica::See(const model::Event& event, Duration now) {
  if (!settings_.minds_others && std::holds_alternative<model::FenceSeen>(event)) return;
  if (const auto* reached = std::get_if<model::ViewReached>(&event)) {
    are_reports_complete_ = are_reports_complete_ || reached->kind == model::Kind::kMachine;
  }
  for (const cache::Change& change : cache_.Apply(AsBelieved(event), TimePoint(now))) {
    const PodUid& uid = change.pod.uid;
    const bool is_changed =
        cache_.IsReleasing(uid) ? releasing_.insert(uid).second : releasing_.erase(uid) > 0;
    if (is_changed) commit_.SetReleasing(releasing_);
  }
}

// With a rule off, what it rests on goes unheard.
model::Event Replica::AsBelieved(model::Event event) const {
  if (auto* seen = std::get_if<model::PodSeen>(&event); seen && !settings_.rules.releasing) {
    seen->pod.had_running_container = false;
  }
  auto* report = std::get_if<model::MachineSeen>(&event);
  if (report == nullptr) return event;
  for (model::GpuDevice& device : report->machine.devices) {
    if (!settings_.rules.residue) device.residue.clear();
    if (!settings_.rules.shown) device.in_use_by.clear();
  }
  return event;
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
    const Pod* pod = cache_.FindPod(resumed->pod.uid);
    if (pod == nullptr || pod->is_bound()) return;
    cache_.Assume(pod->ref.uid, resumed->allocation.gpus.node, resumed->allocation);
  }
  const auto* finished = std::get_if<commit::Finished>(&report);
  if (finished == nullptr || finished->is_bound()) return;
  const PodUid& uid = finished->pod.uid;
  (void)cache_.TakeBack(uid);
  if (cache_.FindPod(uid) != nullptr) not_before_[uid] = now + std::chrono::seconds(1);
}

void Replica::Decide(Duration now) {
  std::erase_if(not_before_, [&](const auto& entry) { return entry.second <= now; });
  for (const PodUid& uid : Undecided()) {
    std::optional<commit::Plan> plan = PlanFor(*cache_.FindPod(uid));
    if (!plan) continue;
    cache_.Assume(uid, plan->allocation.gpus.node, plan->allocation);
    commit_.Start(*std::move(plan), TimePoint(now));
  }
}

std::vector<PodUid> Replica::Undecided() const {
  std::vector<PodUid> pods;
  for (const auto& [uid, record] : cache_.pods()) {
    if (MayBeDecided(record)) pods.push_back(uid);
  }
  return pods;
}

bool Replica::MayBeDecided(const cache::PodRecord& record) const {
  const Pod& pod = record.pod;
  const PodUid& uid = pod.ref.uid;
  return pod.scheduler == settings_.scheduler && !pod.is_bound() && !pod.is_terminal() &&
         !pod.is_terminating && !record.assumed && !not_before_.contains(uid) &&
         !commit_.IsInFlight(uid);
}

// The first GPUs with room, on the first node that has them.
std::optional<commit::Plan> Replica::PlanFor(const Pod& pod) {
  const Wish wish = WishOf(pod);
  for (int i = 0; i < settings_.nodes; ++i) {
    const NodeName node = NodeNamed(i);
    std::optional<std::vector<GpuId>> chosen = ChooseOn(*cache_.FindNode(node), pod);
    if (!chosen) continue;
    commit::Plan plan{.pod = pod.ref,
                      .noted = pod.resource_version,
                      .attempt = AttemptId(settings_.name + "/" + std::to_string(++attempts_)),
                      .allocation = {}};
    plan.allocation.pod = pod.ref.uid;
    plan.allocation.gpus = {node, *std::move(chosen)};
    plan.allocation.mode = wish.mode;
    plan.allocation.is_enforced = wish.is_enforced;
    return plan;
  }
  return std::nullopt;
}

std::optional<std::vector<GpuId>> Replica::ChooseOn(const cache::NodeView& view,
                                                    const Pod& pod) const {
  const Wish wish = WishOf(pod);
  const auto wants = wish.is_enforced ? filter::Wants::kDirect : filter::Wants::kCounted;
  const bool is_refused = filter::RefusedByHandover(wants, view) ||
                          filter::RefusedByRoom(pod, view) || filter::RefusedByOthers(wants, view);
  if (is_refused) return std::nullopt;
  std::vector<GpuId> chosen;
  for (int id = 0; id < settings_.gpus && chosen.size() < wish.count; ++id) {
    if (HasRoom(view, GpuId(id), wish)) chosen.emplace_back(id);
  }
  if (chosen.size() < wish.count) return std::nullopt;
  return chosen;
}

// What is left of a pod that is gone shares with nobody.
bool Replica::HasRoom(const cache::NodeView& view, GpuId gpu, const Wish& wish) const {
  const auto holders = view.holders.Of(gpu);
  const auto may_join = [](const cache::Holder& holder) {
    return holder.mode == AllocationMode::kShared &&
           holder.evidence.back() != cache::Evidence::kReleasing;
  };
  return holders.empty() ||
         (wish.mode == AllocationMode::kShared && std::ssize(holders) < settings_.sharers &&
          std::ranges::all_of(holders, may_join));
}

}  // namespace gs::kube::simulation
