#include "core/cycle/cycle.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/gpu_ids.h"
#include "core/cache/pod_record.h"
#include "core/commit/in_flight_list.h"
#include "core/cycle/event_reasons.h"
#include "core/explain/explanation.h"
#include "core/model/gpu_resource.h"

namespace gs::cycle {
namespace {

using cache::Change;
using cache::ChangeKind;
using model::EventType;
using model::RecordEvent;

// To find out what would help a pod takes time, so the others are told in the runs that follow.
constexpr int kMostExplained = 4;

// Enough for our list in the fence to be full while others wait for a place on it.
constexpr std::size_t kMostInFlight = 2 * commit::InFlightList::kMaxPods;

// Pods that are of no concern: bound, ending, or held back by somebody's gate.
bool IsWaiting(const model::Pod& pod) {
  return !pod.is_bound() && !pod.is_terminal() && !pod.is_terminating && pod.rules->gates.empty();
}

std::optional<pending::Help> HelpOf(ChangeKind kind, const WakeRules& wakes) {
  using pending::Help;
  const auto help = [](bool wakes_up, Help with) {
    return wakes_up ? std::optional(with) : std::nullopt;
  };
  switch (kind) {
    case ChangeKind::kNodeChanged: return help(wakes.node_changed, Help::kNode);
    case ChangeKind::kNodeLeft: return help(wakes.node_left, Help::kNode);
    case ChangeKind::kMachineChanged: return help(wakes.machine_changed, Help::kNode);
    case ChangeKind::kRoomFreed: return help(wakes.room_freed, Help::kRoom);
    case ChangeKind::kReleaseEnded: return help(wakes.release_ended, Help::kRoom);
    case ChangeKind::kGpusFreed: return help(wakes.gpus_freed, Help::kRoom);
    case ChangeKind::kClaimChanged: return help(wakes.claim_changed, Help::kClaim);
    case ChangeKind::kStorageChanged: return help(wakes.storage_changed, Help::kStorage);
    default: return std::nullopt;
  }
}

cache::PodNews Heard(cache::PodNews news, const WakeRules& wakes) {
  if (!wakes.company_changed) news.questions.clear();
  if (!wakes.others_distance) news.terms.clear();
  if (!wakes.namespaces_changed) news.are_namespaces_changed = false;
  return news;
}

// What people should hear of, as the reason of an event.
std::string_view EventReasonOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kForeignOnDirect: return kForeignGpuPod;
    case ChangeKind::kAnnotationEdited: return kResultEdited;
    case ChangeKind::kReleaseTimedOut: return kReleaseTimedOut;
    case ChangeKind::kRenumbered: return kGpuRenumbered;
    default: return "";
  }
}

std::string Sentence(const model::PodRef& pod, const decide::Placement& placement) {
  std::string text = "assigned " + ToString(pod) + " to " + placement.node.text();
  if (placement.allocation) {
    text += " with GPU " + PrintGpuIds(placement.allocation->gpus.ids);
  }
  return text;
}

}  // namespace

Cycle::Cycle(CycleOptions options)
    : options_(std::move(options)),
      cache_({.scheduler = options_.scheduler, .release_timeout = options_.release_timeout}),
      pending_(options_.pending),
      commit_(
          {.scheduler = options_.scheduler, .leader = options_.leader, .rules = options_.rules}),
      fairness_(options_.reserve_after) {}

std::vector<model::Command> Cycle::RunOnce(std::span<const model::Event> events, TimePoint now) {
  Commands commands;
  notes_ = {};
  explained_ = 0;
  // 1. What has happened.
  TakeIn(events, now, commands);
  // 2. What time has brought.
  ActOn(cache_.Tick(now), now, commands);
  if (rejections_.Tick(now) && options_.wakes.rejection_over) {
    pending_.Wake(pending::Help::kNode);
  }
  if (is_deciding() && !is_draining_) Reserve(now);
  pending_.Tick(now);
  NotePodNews(now);
  // 3. What can be placed now is placed; 4. what has to be written for it, and for what was decided
  // before. An attempt that ends may make room for others.
  do {
    if (is_deciding() && !is_draining_) {
      FollowVolumes(now, commands);
      DecideAll(now, commands);
      FollowVolumes(now, commands);
    }
    Collect(now, commands);
  } while (is_deciding() && !is_draining_ && !is_busy() && pending_.Next());
  // 5. What people read of it.
  if (is_deciding()) SayUnsaid(now, commands);
  WriteClaims(now, commands);
  return commands;
}

std::optional<TimePoint> Cycle::NextWake() const {
  const auto waiting = commit::Earlier(pending_.NextWake(), rejections_.NextWake());
  const auto deciding = is_deciding() && !is_draining_ ? fairness_.NextWake() : std::nullopt;
  const auto claims = is_deciding() ? claim_writes_.NextWake() : std::nullopt;
  const auto telling = is_deciding() && !unsaid_.empty() ? std::optional(TimePoint{}) : claims;
  const auto needed = commit::Earlier(cache_.NextWake(), commit_.NextWake());
  const auto volumes = is_deciding() ? volume_steps_.NextWake() : std::nullopt;
  const auto placing = commit::Earlier(deciding, volumes);
  return commit::Earlier(commit::Earlier(needed, waiting), commit::Earlier(placing, telling));
}

std::string Cycle::WhyNotReady() const {
  if (!standing_.empty()) return standing_;
  if (!cache_.is_synced()) return "the view is not complete yet";
  return commit_.WhyNotReady();
}

void Cycle::TakeIn(std::span<const model::Event> events, TimePoint now, Commands& commands) {
  for (const model::Event& event : events) {
    const auto changes = cache_.Apply(event, now);
    commit_.Apply(event, now);
    if (const auto* standing = std::get_if<model::FenceStanding>(&event)) {
      standing_ = standing->why_not;
    }
    claim_writes_.Apply(event, cache_, now);
    volume_steps_.Apply(event);
    NoteDemand(event);
    ActOn(changes, now, commands);
  }
}

void Cycle::ActOn(const std::vector<Change>& changes, TimePoint now, Commands& commands) {
  for (const Change& change : changes) {
    if (change.kind == ChangeKind::kNodeLeft) topologies_.Forget(change.node);
    if (change.kind == ChangeKind::kPodRejected) NoteRejection(change, now);
    if (const auto help = HelpOf(change.kind, options_.wakes)) {
      pending_.Wake(*help, change.ns, change.claim);
    }
    if (change.kind == ChangeKind::kClaimChanged) {
      for (const PodUid& pod : claim_writes_.PodsOf(change.ns, change.claim)) NoteDemandOf(pod);
    }
    if (!change.pod.uid.empty()) PodChanged(change.pod.uid, now);
    if (!change.pod.uid.empty()) claim_writes_.PodChanged(change.pod.uid, cache_);
    const std::string_view reason = EventReasonOf(change.kind);
    if (!reason.empty() && commit_.is_ready()) {
      commands.push_back(RecordEvent{change.pod, EventType::kWarning, std::string(reason),
                                     change.message, change.node});
    }
  }
}

void Cycle::PodChanged(const PodUid& uid, TimePoint now) {
  if (cache_.IsReleasing(uid) ? releasing_.insert(uid).second : releasing_.erase(uid) > 0) {
    commit_.SetReleasing(releasing_);
  }
  const model::Pod* pod = cache_.FindPod(uid);
  if (pod == nullptr || pod->scheduler != options_.scheduler || !IsWaiting(*pod)) {
    pending_.Remove(uid);
    conditions_.Forget(uid);
    if (fairness_.Leaves(uid)) ReservationOver();
    return;
  }
  PutPending(*pod, now);
}

void Cycle::PutPending(const model::Pod& pod, TimePoint now) {
  std::string apart = rejections_.Concern(pod) ? pod.controller->uid.text() : "";
  if (keep().IsReservedFor(pod.ref.uid)) apart += " reserved";
  cache_.placed().ForEachTermAgainst(pod, [&apart](const cache::StandingTerm& standing) {
    apart += " against " + std::to_string(standing.id);
  });
  pending_.Put(pod, apart, now);
}

void Cycle::Reserve(TimePoint now) {
  const decide::PlaceContext context = Context();
  while (const auto uid = fairness_.Tick(Around(context), now)) {
    const bool has_ended = !keep().reservation();
    if (has_ended) ReservationOver();
    const model::Pod* pod = cache_.FindPod(*uid);
    if (pod != nullptr && pending_.Has(*uid)) PutPending(*pod, now);
    if (!has_ended) return;
  }
}

void Cycle::ReservationOver() {
  if (options_.wakes.reservation_over) pending_.Wake(pending::Help::kRoom);
}

void Cycle::NotePodNews(TimePoint now) {
  const cache::PodNews news = Heard(cache_.TakePodNews(), options_.wakes);
  const auto is_concerned = [&](const model::Pod& pod) {
    return news.are_namespaces_changed ||
           std::any_of(news.terms.begin(), news.terms.end(),
                       [&](const auto& term) { return cache_.placed().Matches(term, pod); });
  };
  if (news.are_namespaces_changed || !news.terms.empty()) {
    for (const PodUid& uid : pending_.All()) {
      if (is_concerned(*cache_.FindPod(uid))) PodChanged(uid, now);
    }
  }
  if (news.are_namespaces_changed) return pending_.Wake(pending::Help::kNode);
  if (news.questions.empty()) return;
  pending_.WakeIf([&](const PodUid& uid) {
    const auto questions = cache::QuestionsOf(*cache_.FindPod(uid));
    return std::any_of(questions.begin(), questions.end(), [&news](const auto& question) {
      return news.questions.contains(question.key());
    });
  });
}

// Pods of that controller no longer have the chances of others who ask for the same.
void Cycle::NoteRejection(const Change& change, TimePoint now) {
  const model::Pod& rejected = *cache_.FindPod(change.pod.uid);
  rejections_.Note(rejected, change.node, now);
  for (const auto& [uid, record] : cache_.pods()) {
    if (record.pod.controller == rejected.controller && pending_.Has(uid)) PodChanged(uid, now);
  }
}

void Cycle::DecideAll(TimePoint now, Commands& commands) {
  const decide::PlaceContext context = Context();
  const explain::Scene around = Around(context);
  // Only a pod that is placed can help another, so this ends.
  while (const auto uid = is_busy() ? std::nullopt : pending_.Next()) {
    const auto reason = TryToPlace(*cache_.FindPod(*uid), now);
    if (!reason) {
      NotePodNews(now);
      continue;
    }
    ++notes_.without_place;
    for (const PodUid& each : pending_.Sleep(*uid, *reason, now)) {
      fairness_.Sleeps(*cache_.FindPod(each), *reason, around);
      Say(each, *reason, now, commands);
    }
  }
  for (const PodUid& uid : pending_.TakeLateSleepers()) {
    const model::Reason* reason = pending_.ReasonOf(uid);
    if (reason == nullptr) continue;
    fairness_.Sleeps(*cache_.FindPod(uid), *reason, around);
    Say(uid, *reason, now, commands);
  }
}

void Cycle::Say(const PodUid& uid, const model::Reason& reason, TimePoint now, Commands& commands) {
  if (!conditions_.IsDue(uid, reason.token, now)) return;
  const model::Pod& pod = *cache_.FindPod(uid);
  const model::PodRef* first = pending_.FirstWith(uid);
  const bool is_first = first != nullptr && first->uid == uid;
  if (is_first && explained_ == kMostExplained) {
    unsaid_.push_back(uid);
    return;
  }
  if (is_first) ++explained_;
  for (auto& command : conditions_.Say(pod, Explained(pod, reason), now)) {
    commands.push_back(std::move(command));
  }
}

void Cycle::SayUnsaid(TimePoint now, Commands& commands) {
  for (const PodUid& uid : std::exchange(unsaid_, {})) {
    const model::Reason* reason = pending_.ReasonOf(uid);
    if (reason != nullptr) Say(uid, model::Reason(*reason), now, commands);
  }
}

model::Reason Cycle::Explained(const model::Pod& pod, const model::Reason& reason) {
  const model::PodRef* first = pending_.FirstWith(pod.ref.uid);
  if (first == nullptr) return reason;  // it has a place that it could not take
  if (*first != pod.ref) {
    return {reason.token,
            reason.message + "; " + ToString(*first) + " waits for the same before it"};
  }
  devices::TableWishes none;  // what is only tried needs no tables
  const decide::PlaceContext context = ContextWith(topologies_, choices_, none);
  const explain::Explanation explanation = explain::Explain(pod, Around(context));
  return explanation.placement ? reason : explain::ToldReason(explanation);
}

bool Cycle::is_busy() const { return in_flight_.size() >= kMostInFlight; }

std::optional<model::Reason> Cycle::TryToPlace(const model::Pod& pod, TimePoint now) {
  auto ask = decide::AskOf(pod, cache_, options_.ask);
  if (auto* reason = std::get_if<model::Reason>(&ask)) return std::move(*reason);
  order_.Follow(cache_.TakeChangedNodes(), cache_, topologies_);
  auto decision =
      decide::Decide(pod, std::get<decide::Ask>(ask), cache_, Context(),
                     {.order = &order_, .known = pending_.RecentReasonOf(pod.ref.uid, now)});
  if (auto* none = std::get_if<decide::NoPlace>(&decision)) return std::move(none->reason);
  const auto& placement = std::get<decide::Placement>(decision);
  placement.volumes.empty() ? Launch(pod, placement, now) : AwaitVolumes(pod, placement, now);
  return std::nullopt;
}

decide::PlaceContext Cycle::ContextWith(decide::TopologyMemo& topologies,
                                        decide::ChoiceMemo& choices,
                                        devices::TableWishes& wishes) const {
  return {.topologies = topologies,
          .choices = choices,
          .tables = tables_,
          .wishes = wishes,
          .weights = demand_.weights(),
          .rejections = rejections_,
          .keep = keep(),
          .storage = cache_.storage()};
}

void Cycle::AwaitVolumes(const model::Pod& pod, const decide::Placement& placement, TimePoint now) {
  pending_.Launch(pod.ref.uid);
  cache_.Assume(pod.ref.uid, placement.node, placement.allocation);
  cache_.AssumeVolumes(pod.ref.uid, placement.node, placement.volumes);
  volume_steps_.Start(pod.ref, placement.node, placement.volumes, now);
}

void Cycle::FollowVolumes(TimePoint now, Commands& commands) {
  auto turn = volume_steps_.Tick(
      cache_, [this] { return NextAttempt(); }, now);
  for (auto& command : turn.commands) commands.push_back(std::move(command));
  for (const PodUid& pod : turn.ended) ActOn(cache_.TakeBack(pod), now, commands);
  for (const auto& failure : turn.failed) VolumesFailed(failure, now, commands);
  for (const PodUid& pod : turn.bound) VolumesBound(pod, now, commands);
}

// Decided anew before anybody else can take its place, with the version of the pod as it is now. If
// it goes elsewhere, others may have waited for what it had.
void Cycle::VolumesBound(const PodUid& pod, TimePoint now, Commands& commands) {
  const cache::Footprint had = cache::FootprintOf(cache_.pods().at(pod));
  const auto freed = cache_.TakeBack(pod);
  const auto reason = TryToPlace(*cache_.FindPod(pod), now);
  if (cache::FootprintOf(cache_.pods().at(pod)) != had) {
    ActOn(freed, now, commands);
    NotePodNews(now);
  }
  if (!reason) return;
  Say(pod, *reason, now, commands);
  pending_.Retry(pod, now);
}

void Cycle::VolumesFailed(const VolumeSteps::Failure& failure, TimePoint now, Commands& commands) {
  ActOn(cache_.TakeBack(failure.pod), now, commands);
  if (!failure.is_passing) {
    Say(failure.pod, {model::ReasonToken::kVolumeMissing, failure.why}, now, commands);
  }
  if (pending_.Has(failure.pod)) pending_.Retry(failure.pod, now);
}

void Cycle::Launch(const model::Pod& pod, const decide::Placement& placement, TimePoint now) {
  commit::Plan plan{
      .pod = pod.ref, .noted = pod.resource_version, .attempt = NextAttempt(), .allocation = {}};
  if (placement.allocation) {
    plan.allocation = *placement.allocation;
  } else {
    plan.allocation.pod = pod.ref.uid;
    plan.allocation.gpus.node = placement.node;
    plan.allocation.is_enforced = !model::HasGpuResource(pod.requests);
  }
  const PodUid uid = pod.ref.uid;
  in_flight_.insert_or_assign(
      uid,
      Launched{
          .placement = placement, .created = pod.created, .wait = pending_.WaitOf(uid), .at = now});
  ++notes_.placed;
  pending_.Launch(uid);
  if (fairness_.Leaves(uid)) ReservationOver();
  cache_.Assume(uid, placement.node, placement.allocation);
  commit_.Start(std::move(plan), now);
}

void Cycle::Collect(TimePoint now, Commands& commands) {
  commit::Output output = commit_.Tick(now);
  for (auto& command : output.commands) commands.push_back(std::move(command));
  for (const commit::Report& report : output.reports) {
    std::visit([&](const auto& what) { Report(what, now, commands); }, report);
  }
}

void Cycle::Report(const commit::Finished& finished, TimePoint now, Commands& commands) {
  const PodUid& uid = finished.pod.uid;
  auto launched = in_flight_.extract(uid);
  if (finished.is_bound() && !launched.empty()) {
    commands.push_back(RecordEvent{finished.pod, EventType::kNormal, std::string(kScheduled),
                                   Sentence(finished.pod, launched.mapped().placement)});
  }
  if (!launched.empty()) {
    notes_.ended.push_back({finished.pod, std::move(launched.mapped()), finished.not_bound});
  }
  if (finished.is_bound()) return conditions_.Forget(uid);
  ActOn(cache_.TakeBack(uid), now, commands);
  PodChanged(uid, now);
  if (pending_.Has(uid)) pending_.Retry(uid, now);
}

// Nobody here has decided it, so it has no place among those who were launched.
void Cycle::Report(const commit::Resumed& resumed, TimePoint /*now*/, Commands& /*commands*/) {
  const PodUid& uid = resumed.pod.uid;
  const model::Pod* pod = cache_.FindPod(uid);
  if (pod == nullptr || pod->is_bound()) return;
  if (pending_.Has(uid)) pending_.Launch(uid);
  cache_.Assume(uid, resumed.allocation.gpus.node, resumed.allocation);
}

void Cycle::Report(const commit::NotTouched& untouched, TimePoint /*now*/, Commands& commands) {
  commands.push_back(RecordEvent{
      untouched.pod, EventType::kWarning, std::string(kNotTouched),
      "a condition could not be written on this pod for a minute, so nobody knows whether an "
      "earlier Binding still comes; " +
          untouched.consequence});
}

void Cycle::Report(const commit::DoubleAllocation& doubled, TimePoint /*now*/, Commands& commands) {
  for (const model::PodRef& pod : doubled.pods) {
    commands.push_back(RecordEvent{pod, EventType::kWarning, std::string(kDoubleAllocation),
                                   "the GPU of " + doubled.lock.text() +
                                       " is held by several pods that may not share it; somebody "
                                       "has bound one of them past this scheduler"});
  }
}

void Cycle::WriteClaims(TimePoint now, Commands& commands) {
  if (!is_deciding()) return;
  for (auto& command : claim_writes_.Due(cache_, now)) commands.push_back(std::move(command));
}

void Cycle::NoteDemand(const model::Event& event) {
  if (const auto* seen = std::get_if<model::PodSeen>(&event)) NoteDemandOf(seen->pod.ref.uid);
  if (const auto* gone = std::get_if<model::PodGone>(&event)) NoteDemandOf(gone->pod.uid);
  if (const auto* answer = std::get_if<model::PodLookedUp>(&event)) NoteDemandOf(answer->pod.uid);
}

void Cycle::NoteDemandOf(const PodUid& pod) {
  const auto record = cache_.pods().find(pod);
  const bool counts = record != cache_.pods().end() && !record->second.pod.is_terminal();
  demand_.Set(pod, counts ? SizeOf(record->second) : 0);
}

std::int64_t Cycle::SizeOf(const cache::PodRecord& record) const {
  const model::Pod& pod = record.pod;
  if (record.kept) return static_cast<std::int64_t>(record.kept->gpus.ids.size());
  if (pod.is_bound() || pod.scheduler != options_.scheduler) return model::WholeGpus(pod.requests);
  const auto ask = decide::AskOf(pod, cache_, options_.ask);
  const auto* known = std::get_if<decide::Ask>(&ask);
  return known == nullptr ? model::WholeGpus(pod.requests) : decide::SizeOf(*known);
}

AttemptId Cycle::NextAttempt() {
  return AttemptId(options_.leader + "-" + std::to_string(++attempts_));
}

}  // namespace gs::cycle
