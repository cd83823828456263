#include "core/commit/commit.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "core/commit/sharing.h"

namespace gs::commit {

using model::WriteOutcome;

Commit::Commit(Settings settings)
    : settings_(std::move(settings)),
      messages_(settings_.leader),
      observed_(settings_.scheduler),
      lease_rule_(settings_.scheduler, settings_.leader) {}

void Commit::Start(Plan plan, TimePoint now) {
  GS_CHECK(is_ready() && !IsInFlight(plan.pod.uid));
  GS_CHECK(plan.locks.size() == plan.allocation.gpus.ids.size());
  if (std::string reason = WhyTaken(plan); !reason.empty()) {
    output_.reports.emplace_back(
        Finished{.pod = plan.pod,
                 .attempt = plan.attempt,
                 .not_bound = NotBound{Step::kQueued, WriteOutcome::kConflict, std::move(reason)}});
    return;
  }
  const PodUid pod = plan.pod.uid;
  for (const model::GpuLease& lock : plan.locks) planners_[lock.name].insert(pod);
  Flight& flight = flights_.emplace(pod, Flight(std::move(plan), settings_.rules)).first->second;
  if (flight.needs_listing()) return queue_.push_back(pod);
  Turn turn = TurnAt(now);
  flight.Launch(turn);
  Follow(flight);
}

// The decision has looked at this too; here it is the last look before something is written.
std::string Commit::WhyTaken(const Plan& plan) const {
  const Right right = RightOf(plan.allocation);
  for (const LeaseName& lock : LocksOf(plan.allocation)) {
    for (const KnownPod* pod : observed_.HoldersOf(lock)) {
      const bool is_same = pod->ref.uid == plan.pod.uid;
      if (is_same || MayShare(right, RightOf(*pod->allocation))) continue;
      return lock.text() + " is held by " + ToString(pod->ref);
    }
    for (const PodUid& uid : PlannersOf(lock)) {
      const Flight& flight = flights_.at(uid);
      if (flight.is_over() || MayShare(right, RightOf(flight.plan().allocation))) continue;
      return lock.text() + " is being given to " + ToString(flight.plan().pod);
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
  if (is_ready()) {
    lease_rule_.Evaluate([this](const LeaseName& lock) { return InFlightOf(lock); }, turn,
                         output_.reports);
  }
  if (is_ready() || !settings_.rules.list_kept) Board(turn);
  return std::exchange(output_, {});
}

void Commit::TickFlights(Turn& turn) {
  flight_wake_.reset();
  std::vector<PodUid> over;
  for (auto& [uid, flight] : flights_) {
    flight.Tick(turn);
    Follow(flight);
    if (flight.is_over()) over.push_back(uid);
  }
  for (const PodUid& uid : over) EndIfOver(uid, turn.now);
}

std::optional<TimePoint> Commit::NextWake() const {
  if (is_lost_ || !takeover_) return std::nullopt;
  std::optional<TimePoint> wake = takeover_->NextWake(observed_);
  if (is_ready()) wake = Earlier(wake, lease_rule_.NextWake());
  return Earlier(wake, flight_wake_);
}

void Commit::SetReleasing(std::set<PodUid> pods) {
  lease_rule_.SetReleasing(std::move(pods), observed_);
}

bool Commit::is_ready() const { return !is_lost_ && takeover_ && takeover_->is_done(); }

void Commit::On(const model::LeadershipWon& won, Turn& turn) {
  GS_CHECK(!takeover_);
  messages_.Won(won.transitions);
  takeover_.emplace(won, settings_.scheduler, AttemptId(settings_.leader + "/takeover"),
                    settings_.rules);
  takeover_->Begin(turn);
  if (takeover_->has_inherited()) list_.DropInherited();  // given out when the takeover is done
}

// Not a word more, and nothing is cleaned: the successor may be at work already.
void Commit::On(const model::LeadershipLost&, Turn&) {
  is_lost_ = true;
  output_ = {};
}

void Commit::On(const model::InFlightListed& listed, Turn& turn) {
  for (auto& [uid, flight] : flights_) {
    if (flight.step() != Step::kListing) continue;
    flight.Listed(listed.revision, turn);
    Follow(flight);
  }
}

void Commit::On(const model::LeaseAnswered& answer, Turn& turn) {
  lease_rule_.Answered(answer, turn.now);
  for (const PodUid& uid : PlannersOf(answer.lease)) {
    Flight& flight = flights_.at(uid);
    if (flight.plan().attempt != answer.attempt) continue;
    flight.Answered(answer, turn);
    Follow(flight);
    return EndIfOver(PodUid(uid), turn.now);
  }
}

void Commit::On(const model::BindAnswered& answer, Turn& turn) { FlightAnswered(answer, turn); }

void Commit::On(const model::TouchAnswered& answer, Turn& turn) {
  if (takeover_) takeover_->Answered(answer, turn);
  FlightAnswered(answer, turn);
}

template <class Answer>
void Commit::FlightAnswered(const Answer& answer, Turn& turn) {
  Flight* flight = FindFlight(answer.pod);
  if (flight == nullptr) return;
  flight->Answered(answer, turn);
  Follow(*flight);
  EndIfOver(answer.pod, turn.now);
}

void Commit::On(const model::RevisionAnswered& answer, Turn& turn) {
  if (takeover_) takeover_->Answered(answer, turn);
}

void Commit::On(const model::PodLookedUp& answer, Turn& turn) {
  if (answer.outcome == WriteOutcome::kNotFound) PodIsGone(answer.pod.uid, turn);
  lease_rule_.Answered(answer, observed_, turn.now);
}

void Commit::On(const model::ViewReached& reached, Turn& turn) {
  observed_.SeeReached(reached.kind, reached.resource_version);
  if (takeover_) takeover_->ViewChanged(turn);
}

void Commit::On(const model::PodSeen& seen, Turn& turn) {
  const PodUid& uid = seen.pod.ref.uid;
  Mark(observed_.SeePod(seen.pod));
  if (takeover_) takeover_->PodChanged(uid, turn);
  if (Flight* flight = FindFlight(uid)) flight->PodChanged(observed_);
  EndIfOver(uid, turn.now);
}

void Commit::On(const model::PodGone& gone, Turn& turn) { PodIsGone(gone.pod.uid, turn); }

void Commit::PodIsGone(const PodUid& pod, Turn& turn) {
  Mark(observed_.PodIsGone(pod));
  if (takeover_) takeover_->PodIsGone(pod, turn);
  if (Flight* flight = FindFlight(pod)) flight->PodIsGone();
  EndIfOver(pod, turn.now);
}

void Commit::On(const model::LeaseSeen& seen, Turn& turn) {
  observed_.SeeLease(seen.lease);
  MarkAllOfHolders(seen.lease.name);
  LeaseChanged(seen.lease.name, turn);
}

void Commit::On(const model::LeaseGone& gone, Turn& turn) {
  MarkAllOfHolders(gone.name);
  if (observed_.LeaseIsGone(gone.name, gone.uid)) LeaseChanged(gone.name, turn);
}

// What one Lease of a pod says can make another one right or wrong.
void Commit::MarkAllOfHolders(const LeaseName& lock) {
  const model::GpuLease* lease = observed_.FindLease(lock);
  if (lease == nullptr) return;
  for (const auto& holder : lease->holders) {
    const KnownPod* pod = observed_.FindPod(holder.pod.uid);
    if (pod == nullptr || !pod->allocation || !observed_.IsContradicted(*pod)) continue;
    Mark(observed_.LeasesNaming(holder.pod.uid));
    for (const LeaseName& each : LocksOf(*pod->allocation)) lease_rule_.Mark(each);
  }
}

void Commit::LeaseChanged(const LeaseName& lock, Turn& turn) {
  lease_rule_.LeaseChanged(lock);
  for (const PodUid& uid : std::set<PodUid>(PlannersOf(lock))) {
    Flight& flight = flights_.at(uid);
    flight.LeaseChanged(lock, turn);
    Follow(flight);
    EndIfOver(uid, turn.now);
  }
}

void Commit::Mark(const Observed::Affected& locks) {
  for (const LeaseName& lock : locks) lease_rule_.Mark(lock);
}

InFlightLock Commit::InFlightOf(const LeaseName& lock) const {
  InFlightLock in_flight;
  for (const PodUid& uid : PlannersOf(lock)) {
    const Flight& flight = flights_.at(uid);
    if (flight.is_over()) continue;
    in_flight.pods.insert(uid);
    in_flight.is_writing = in_flight.is_writing || flight.IsWriting(lock);
  }
  return in_flight;
}

void Commit::EndIfOver(const PodUid& pod, TimePoint now) {
  const auto found = flights_.find(pod);
  if (found == flights_.end() || !found->second.is_over()) return;
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  for (const model::GpuLease& lock : flight.plan().locks) {
    const auto planners = planners_.find(lock.name);
    if (planners == planners_.end()) continue;
    planners->second.erase(pod);
    if (planners->second.empty()) planners_.erase(planners);
  }
  End(flight, now);
}

void Commit::End(const Flight& flight, TimePoint now) {
  const Plan& plan = flight.plan();
  list_.Remove(plan.pod.uid);
  Finished finished = flight.finished();
  if (finished.is_bound()) Mark(observed_.PodIsBound(plan.pod, plan.allocation));
  for (const model::GpuLease& lock : plan.locks) {
    const model::GpuLease* seen = observed_.FindLease(lock.name);
    const bool is_seen = seen != nullptr && FindHolder(*seen, plan.pod.uid) != nullptr;
    if (finished.is_bound() && !is_seen) {
      lease_rule_.Expect(lock.name, now);
    } else {
      lease_rule_.Mark(lock.name);
    }
  }
  output_.reports.emplace_back(std::move(finished));
}

// Fills the free places on the list.
void Commit::Board(Turn& turn) {
  while (!queue_.empty() && list_.has_room()) {
    if (Flight* flight = FindFlight(queue_.front()); flight && flight->step() == Step::kQueued) {
      flight->AwaitListing(list_.Add(flight->plan().pod));
    }
    queue_.pop_front();
  }
  if (auto change = list_.TakeChange()) turn.commands.emplace_back(*std::move(change));
}

Turn Commit::TurnAt(TimePoint now) {
  return {.now = now, .observed = observed_, .messages = messages_, .commands = output_.commands};
}

const std::set<PodUid>& Commit::PlannersOf(const LeaseName& lock) const {
  static const std::set<PodUid> kNobody;
  const auto planners = planners_.find(lock);
  return planners == planners_.end() ? kNobody : planners->second;
}

Flight* Commit::FindFlight(const PodUid& pod) {
  const auto flight = flights_.find(pod);
  return flight == flights_.end() ? nullptr : &flight->second;
}

}  // namespace gs::commit
