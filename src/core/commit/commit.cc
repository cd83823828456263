#include "core/commit/commit.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/resource_version.h"
#include "core/commit/sharing.h"
#include "core/model/gpu_resource.h"

namespace gs::commit {

using model::Kind;
using model::WriteOutcome;

namespace {

// Newer than any: with the rule FRESH off.
const ResourceVersion kAnyVersion("99999999999999999999");

// What a bound pod has. Which GPUs a device plugin takes what it counts from, nobody knows.
std::optional<model::InFlightPod> HoldingOf(const model::Pod& pod) {
  const auto written = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  const bool has_ids = written.ok() && written->gpus.node == pod.node;
  const bool is_counted = model::HasGpuResource(pod.requests);
  if (!has_ids && !is_counted) return std::nullopt;
  model::Allocation held = has_ids ? *written : model::Allocation();
  held.gpus.node = pod.node;
  if (is_counted) held.is_enforced = false;
  return model::InFlightOf(pod.ref, pod.resource_version, held);
}

// What releases list that have not been heard of for long.
std::vector<model::InFlightPod> SilentEntries(const model::FenceSeen& fence) {
  std::vector<model::InFlightPod> entries;
  for (const auto& other : fence.others) {
    if (other.is_silent) entries.push_back(other.in_flight);
  }
  return entries;
}

}  // namespace

Commit::Commit(Settings settings)
    : settings_(std::move(settings)),
      messages_(settings_.leader),
      observed_(settings_.scheduler),
      list_(settings_.rules.settled),
      lease_writes_(settings_.scheduler, settings_.leader) {}

void Commit::Start(Plan plan, TimePoint now) {
  GS_CHECK(is_ready() && !IsInFlight(plan.pod.uid));
  if (std::string reason = WhyTaken(plan); !reason.empty()) {
    output_.reports.emplace_back(
        Finished{.pod = plan.pod,
                 .attempt = plan.attempt,
                 .not_bound = NotBound{Step::kQueued, WriteOutcome::kConflict, std::move(reason)}});
    return;
  }
  Flight& flight = AddFlight(std::move(plan));
  if (flight.needs_listing()) return queue_.push_back(flight.plan().pod.uid);
  Turn turn = TurnAt(now);
  flight.Launch(turn);
  Follow(flight);
}

Flight& Commit::AddFlight(Plan plan) {
  const PodUid pod = plan.pod.uid;
  for (const LeaseName& gpu : LeasesOf(plan.allocation)) planners_[gpu].insert(pod);
  return flights_.emplace(pod, Flight(std::move(plan), settings_.rules)).first->second;
}

// The decision has looked at this too; here it is the last look before something is written.
std::string Commit::WhyTaken(const Plan& plan) const {
  const Right right = RightOf(plan.allocation);
  for (const LeaseName& gpu : LeasesOf(plan.allocation)) {
    for (const KnownPod* pod : observed_.HoldersOf(gpu)) {
      const bool is_same = pod->ref.uid == plan.pod.uid;
      if (is_same || MayShare(right, RightOf(*pod->allocation))) continue;
      return gpu.text() + " is held by " + ToString(pod->ref);
    }
    for (const PodUid& uid : PlannersOf(gpu)) {
      const Flight& flight = flights_.at(uid);
      if (flight.is_over() || MayShare(right, RightOf(flight.plan().allocation))) continue;
      return gpu.text() + " is being given to " + ToString(flight.plan().pod);
    }
  }
  return {};
}

void Commit::Apply(const model::Event& event, TimePoint now) {
  if (is_lost_) return;
  Turn turn = TurnAt(now);
  std::visit([&](const auto& each) { On(each, turn); }, event);
}

Output Commit::Tick(TimePoint now) {
  if (is_lost_) return {};
  Turn turn = TurnAt(now);
  if (takeover_) takeover_->Tick(turn);
  if (flight_wake_ && *flight_wake_ <= now) TickFlights(turn);
  TickOrphans(turn);
  SettleIfTakenOver(turn);
  if (is_ready()) Board(turn);
  SendList(turn);
  // Behind everything else: they are for people.
  if (MayWriteLeases()) lease_writes_.Evaluate(turn, output_.reports);
  return std::exchange(output_, {});
}

void Commit::TickFlights(Turn& turn) {
  flight_wake_.reset();
  std::vector<PodUid> over;
  for (auto& [uid, flight] : flights_) {
    flight.Tick(turn);
    Follow(flight);
    if (flight.is_over()) over.push_back(uid);
    if (flight.TakeStuck(turn.now)) {
      output_.reports.emplace_back(NotTouched{
          flight.plan().pod, ToString(flight.plan().allocation.gpus) +
                                 " stays taken until the pod can be changed or is gone"});
    }
  }
  for (const PodUid& uid : over) EndIfOver(uid);
}

void Commit::TickOrphans(Turn& turn) {
  for (auto& [uid, orphan] : orphans_) orphan.touch.Tick(turn);
}

std::optional<TimePoint> Commit::NextWake() const {
  if (!is_leading()) return std::nullopt;
  std::optional<TimePoint> wake = takeover_->NextWake(observed_);
  if (MayWriteLeases()) wake = Earlier(wake, lease_writes_.NextWake());
  for (const auto& [uid, orphan] : orphans_) wake = Earlier(wake, orphan.touch.next_wake());
  return Earlier(wake, flight_wake_);
}

void Commit::SetReleasing(std::set<PodUid> pods) {
  lease_writes_.SetReleasing(std::move(pods), observed_);
}

bool Commit::MayWriteLeases() const {
  return is_ready() && !observed_.ReachedOf(Kind::kLease).empty();
}

bool Commit::is_ready() const { return is_leading() && is_settled_; }

std::string Commit::WhyNotReady() const {
  if (!is_leading() || is_settled_) return {};
  if (!takeover_->is_done()) return takeover_->WhyNot();
  return "the fence has to say that all before is settled, before anything is decided";
}

void Commit::On(const model::LeadershipWon& won, Turn& turn) {
  GS_CHECK(!takeover_);
  messages_.Won(won.transitions);
  takeover_.emplace(won, AttemptId(settings_.leader + "/takeover"), settings_.rules);
  takeover_->Require(won.settled, turn.now);
  takeover_->Require(others_.settled, turn.now);
  for (const model::InFlightPod& each : won.inherited) {
    takeover_->Require(each.noted, turn.now);
    if (settings_.rules.resume) Resume(each, turn);
  }
  takeover_->Begin(turn);
  FollowSilent(turn);
}

void Commit::Resume(const model::InFlightPod& inherited, Turn& turn) {
  list_.Inherit(inherited);
  const PodUid& pod = inherited.pod.uid;
  Flight& flight = AddFlight({.pod = inherited.pod,
                              .noted = inherited.noted,
                              .attempt = AttemptId(settings_.leader + "/resumed/" + pod.text()),
                              .allocation = AllocationOf(inherited)});
  flight.Resume(turn);
  flight.PodChanged(observed_);
  Follow(flight);
  EndIfOver(pod);
}

// Not a word more, and nothing is cleaned: the successor may be at work already.
void Commit::On(const model::LeadershipLost&, Turn&) {
  is_lost_ = true;
  output_ = {};
}

void Commit::On(const model::InFlightListed& listed, Turn& turn) {
  list_.Listed(listed.revision);
  if (settling_ && listed.revision >= *settling_) is_settled_ = true;
  std::vector<PodUid> over;
  for (auto& [uid, flight] : flights_) {
    if (flight.step() != Step::kListing) continue;
    flight.Listed(listed, turn);
    Follow(flight);
    if (flight.is_over()) over.push_back(uid);
  }
  for (const PodUid& uid : over) EndIfOver(uid);
}

void Commit::On(const model::FenceSeen& seen, Turn& turn) {
  others_ = seen;
  if (!takeover_) return;
  if (!takeover_->is_done()) takeover_->Require(seen.settled, turn.now);
  FollowSilent(turn);
}

void Commit::FollowSilent(Turn& turn) {
  const std::vector<model::InFlightPod> silent = SilentEntries(others_);
  list_.KeepDropped(silent);
  std::erase_if(orphans_, [&silent](const auto& orphan) {
    return std::find(silent.begin(), silent.end(), orphan.second.entry) == silent.end();
  });
  for (const model::InFlightPod& entry : silent) {
    if (orphans_.contains(entry.pod.uid) || list_.IsDropped(entry)) continue;
    if (!settings_.rules.dead_touch) {
      list_.Drop(entry);
      continue;
    }
    AttemptId attempt(settings_.leader + "/silent/" + entry.noted.text());
    PodTouch touch(entry.pod, attempt);
    touch.Send(turn);
    orphans_.emplace(entry.pod.uid, Orphan{entry, std::move(attempt), std::move(touch)});
  }
}

void Commit::OrphanIsResolved(const PodUid& pod) {
  const auto orphan = orphans_.find(pod);
  if (orphan == orphans_.end()) return;
  list_.Drop(orphan->second.entry);
  orphans_.erase(orphan);
}

void Commit::On(const model::LeaseAnswered& answer, Turn& turn) {
  lease_writes_.Answered(answer, turn.now);
}

void Commit::On(const model::BindAnswered& answer, Turn& turn) { FlightAnswered(answer, turn); }

void Commit::On(const model::TouchAnswered& answer, Turn& turn) {
  if (takeover_) takeover_->Answered(answer, turn);
  // What was found bound by a touch has to be seen before anything is decided without it.
  if (!is_ready() && takeover_ && answer.outcome == WriteOutcome::kDone) {
    takeover_->Require(answer.resource_version, turn.now);
  }
  const auto orphan = orphans_.find(answer.pod);
  if (orphan != orphans_.end() && answer.attempt == orphan->second.attempt &&
      orphan->second.touch.Settles(answer, turn.now)) {
    if (settings_.rules.dead_settled) list_.Settle(answer.resource_version);
    OrphanIsResolved(answer.pod);
  }
  FlightAnswered(answer, turn);
  LoseUnseen(turn);
}

template <class Answer>
void Commit::FlightAnswered(const Answer& answer, Turn& turn) {
  Flight* flight = FindFlight(answer.pod);
  if (flight == nullptr) return;
  flight->Answered(answer, turn);
  Follow(*flight);
  EndIfOver(answer.pod);
}

void Commit::On(const model::RevisionAnswered& answer, Turn& turn) {
  if (takeover_) takeover_->Answered(answer, turn);
}

void Commit::On(const model::PodLookedUp& answer, Turn& turn) {
  if (answer.outcome == WriteOutcome::kNotFound) PodIsGone(answer.pod.uid, turn);
  lease_writes_.Answered(answer, observed_, turn.now);
}

void Commit::On(const model::ViewReached& reached, Turn& turn) {
  observed_.SeeReached(reached.kind, reached.resource_version);
  if (takeover_) takeover_->ViewChanged(turn);
  LoseUnseen(turn);
}

// A touch has found them bound. A view that is newer shows them, unless they have gone since: of
// what was never in it, it does not tell that.
void Commit::LoseUnseen(Turn& turn) {
  std::vector<PodUid> gone;
  for (const auto& [pod, bound_at] : unseen_) {
    if (IsAtLeast(observed_.ReachedOf(Kind::kPod), bound_at)) gone.push_back(pod);
  }
  for (const PodUid& pod : gone) PodIsGone(pod, turn);
}

// A pod that is on its way and has this one's name, where UIDs mean nothing.
const model::PodRef* Commit::NamesakeOf(const model::PodRef& pod) const {
  if (settings_.rules.uid) return nullptr;
  for (const auto& [uid, flight] : flights_) {
    const model::PodRef& other = flight.plan().pod;
    if (other.uid != pod.uid && other.ns == pod.ns && other.name == pod.name) return &other;
  }
  return nullptr;
}

void Commit::On(const model::PodSeen& seen, Turn& turn) {
  const PodUid& uid = seen.pod.ref.uid;
  const KnownPod* known = observed_.FindPod(uid);
  const bool was_bound = known != nullptr && known->is_bound;
  Mark(observed_.SeePod(seen.pod));
  unseen_.erase(uid);
  if (seen.pod.is_bound()) list_.SeenBound(uid, seen.pod.resource_version);
  if (takeover_) takeover_->PodChanged(uid, turn);
  Flight* flight = FindFlight(uid);
  if (flight != nullptr) flight->PodChanged(observed_);
  const bool is_ours = flight != nullptr && flight->has_succeeded();
  EndIfOver(uid);
  if (!is_ours && !was_bound && seen.pod.is_bound()) GiveUpClashing(seen.pod, turn);
}

// What was decided by one release alone goes together; what another has bound since may not.
void Commit::GiveUpClashing(const model::Pod& bound, Turn& /*turn*/) {
  if (flights_.empty() || !settings_.rules.fresh || !settings_.rules.look_again) return;
  const auto theirs = HoldingOf(bound);
  if (!theirs) return;
  std::vector<PodUid> over;
  for (auto& [uid, flight] : flights_) {
    const Plan& plan = flight.plan();
    if (!flight.is_unsent() || !plan.takes_gpus()) continue;
    if (!Clash(model::InFlightOf(plan.pod, plan.noted, plan.allocation), *theirs)) continue;
    flight.GiveUp(ToString(bound.ref) + " has been bound to " + ToString(theirs->gpus) +
                  " meanwhile");
    over.push_back(uid);
  }
  for (const PodUid& uid : over) EndIfOver(uid);
}

void Commit::On(const model::PodGone& gone, Turn& turn) {
  if (const model::PodRef* namesake = NamesakeOf(gone.pod)) PodIsGone(PodUid(namesake->uid), turn);
  PodIsGone(gone.pod.uid, turn);
}

void Commit::PodIsGone(const PodUid& pod, Turn& turn) {
  Mark(observed_.PodIsGone(pod));
  unseen_.erase(pod);
  if (takeover_) takeover_->PodIsGone(pod, turn);
  OrphanIsResolved(pod);
  if (Flight* flight = FindFlight(pod)) flight->PodIsGone();
  EndIfOver(pod);
  list_.Remove(pod);
}

void Commit::On(const model::LeaseSeen& seen, Turn& /*turn*/) {
  observed_.SeeLease(seen.lease);
  lease_writes_.LeaseChanged(seen.lease.name);
}

void Commit::On(const model::LeaseGone& gone, Turn& /*turn*/) {
  if (observed_.LeaseIsGone(gone.name, gone.uid)) lease_writes_.LeaseChanged(gone.name);
}

void Commit::Mark(const Observed::Affected& leases) {
  for (const LeaseName& lease : leases) lease_writes_.Mark(lease);
}

void Commit::EndIfOver(const PodUid& pod) {
  const auto found = flights_.find(pod);
  if (found == flights_.end() || !found->second.is_over()) return;
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  for (const LeaseName& gpu : LeasesOf(flight.plan().allocation)) {
    const auto planners = planners_.find(gpu);
    if (planners == planners_.end()) continue;
    planners->second.erase(pod);
    if (planners->second.empty()) planners_.erase(planners);
  }
  End(flight);
}

void Commit::End(const Flight& flight) {
  const Plan& plan = flight.plan();
  Finished finished = flight.finished();
  const KnownPod* known = observed_.FindPod(plan.pod.uid);
  if (known != nullptr) list_.SeenBound(plan.pod.uid, known->seen_bound);
  list_.SeenBound(plan.pod.uid, flight.bound_at());
  const bool is_unseen = !observed_.HasSeen(plan.pod.uid) && !flight.bound_at().empty();
  if (finished.is_bound() && is_unseen) unseen_[plan.pod.uid] = flight.bound_at();
  if (finished.is_bound()) {
    Mark(observed_.PodIsBound(plan.pod, plan.allocation));
    list_.Succeeded(plan.pod.uid);
  } else {
    list_.Remove(plan.pod.uid);
  }
  output_.reports.emplace_back(std::move(finished));
}

void Commit::SettleIfTakenOver(Turn& /*turn*/) {
  if (!takeover_) return;
  for (model::PodRef& pod : takeover_->TakeGivenUp()) {
    output_.reports.emplace_back(
        NotTouched{std::move(pod),
                   "nothing waits for it any longer, although nobody can tell "
                   "whether an earlier leader was binding it"});
  }
  if (is_settled_ || settling_ || !takeover_->is_done()) return;
  for (const auto& [uid, flight] : flights_) {
    output_.reports.emplace_back(Resumed{flight.plan().pod, flight.plan().allocation});
  }
  if (takeover_->is_settling()) {
    if (settings_.rules.mark_settled) list_.Settle(observed_.NewestBound());
    settling_ = list_.SettleFence();
  } else {
    is_settled_ = true;
  }
}

// Fills the free places on the list.
void Commit::Board(Turn& /*turn*/) {
  while (!queue_.empty() && list_.has_room()) {
    if (Flight* flight = FindFlight(queue_.front()); flight && flight->step() == Step::kQueued) {
      const Plan& plan = flight->plan();
      flight->AwaitListing(list_.Add(model::InFlightOf(plan.pod, plan.noted, plan.allocation)));
    }
    queue_.pop_front();
  }
}

void Commit::SendList(Turn& turn) {
  if (!takeover_) return;
  auto change = list_.TakeChange(observed_.ReachedOf(Kind::kPod));
  if (!change) return;
  if (!settings_.rules.fresh) change->view = kAnyVersion;
  turn.commands.emplace_back(*std::move(change));
}

Turn Commit::TurnAt(TimePoint now) {
  return {.now = now, .observed = observed_, .messages = messages_, .commands = output_.commands};
}

const std::set<PodUid>& Commit::PlannersOf(const LeaseName& gpu) const {
  static const std::set<PodUid> kNobody;
  const auto planners = planners_.find(gpu);
  return planners == planners_.end() ? kNobody : planners->second;
}

Flight* Commit::FindFlight(const PodUid& pod) {
  const auto flight = flights_.find(pod);
  return flight == flights_.end() ? nullptr : &flight->second;
}

}  // namespace gs::commit
