#include "adapters/kube/election/election_steps.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;

constexpr Duration kMaxTimeout = std::chrono::seconds(5);
constexpr int kMaxHalvings = 4;  // the first new try comes after a sixteenth of the retry period

// What a holder changes with every write. The resourceVersion is left out on purpose: it also moves
// when somebody else edits a label, and that must not keep a dead leader in office.
auto RecordOf(const ElectionLease& lease) {
  return std::tie(lease.uid, lease.holder, lease.renewed, lease.transitions, lease.write);
}

std::chrono::seconds WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration);
}

TimePoint Micros(TimePoint time) {
  return std::chrono::time_point_cast<std::chrono::microseconds>(time);
}

std::string HolderText(const ElectionLease& lease) {
  if (!lease.is_held()) return "nobody";
  return lease.holder_pod.empty() ? lease.holder.pod.text() : lease.holder_pod.text();
}

}  // namespace

Result<void> CheckElectionOptions(const ElectionOptions& options) {
  const auto refuse = [](const std::string& what) {
    return Error(ErrorKind::kInvalid, what)
        .Advise("usual are a lease of 15s, a renew deadline of 10s and a retry period of 2s")
        .Within("leader election");
  };
  if (options.retry <= Duration(0)) return refuse("the retry period must be longer than 0");
  if (options.renew_deadline <= options.retry + options.retry / 5) {
    return refuse("the renew deadline (" + PrintDuration(options.renew_deadline) +
                  ") must be longer than 1.2 times the retry period (" +
                  PrintDuration(options.retry) + ")");
  }
  if (options.lease <= options.renew_deadline) {
    return refuse("the lease (" + PrintDuration(options.lease) +
                  ") must be longer than the renew deadline (" +
                  PrintDuration(options.renew_deadline) + ")");
  }
  return {};
}

ElectionSteps::ElectionSteps(ElectionSelf self, ElectionOptions options)
    : self_(std::move(self)), options_(options), name_(ElectionLeaseName(self_.scheduler)) {
  GS_CHECK(CheckElectionOptions(options_).ok());
  GS_CHECK(!self_.identity.pod.empty() && !self_.identity.process.empty());
}

ElectionStep ElectionSteps::Advance(ElectionTime now) {
  ElectionStep step;
  const bool is_lost = LoseIfLate(now.since_boot);
  if (!is_lost && !outstanding_ && phase_ != Phase::kOver) {
    if (phase_ == Phase::kCandidate) AdvanceCandidate(now, step);
    if (phase_ == Phase::kLeader) AdvanceLeader(now, step);
  }
  if (phase_ == Phase::kLeader) step.wake_at = std::min(step.wake_at, leads_until_);
  step.events = std::exchange(events_, {});
  return step;
}

void ElectionSteps::AdvanceCandidate(ElectionTime now, ElectionStep& step) {
  if (is_resigning_) {
    phase_ = Phase::kOver;
    return;
  }
  if (now.since_boot < not_before_) {
    step.wake_at = not_before_;
    return;
  }
  switch (std::exchange(next_, Next::kRead)) {
    case Next::kRead: return Send(now, ReadElection{}, step);
    case Next::kWrite: return Send(now, PutElection{TakenOver(now)}, step);
    case Next::kCreate: return Send(now, CreateElection{MadeAnew(now)}, step);
  }
}

void ElectionSteps::AdvanceLeader(ElectionTime now, ElectionStep& step) {
  if (is_resigning_ && !must_read_) return StepDown(now, step);
  const bool has_work = must_read_ || !IsListCurrent();
  const Duration due = std::max(not_before_, has_work ? not_before_ : renew_at_);
  if (now.since_boot < due) {
    step.wake_at = due;
    return;
  }
  if (must_read_) return Send(now, ReadElection{}, step);
  Send(now, PutElection{Renewal(now)}, step);
}

// Whoever comes next may lead the moment the Lease is free, so we stop before we say so.
void ElectionSteps::StepDown(ElectionTime now, ElectionStep& step) {
  if (!HasNothingInFlight())
    return Lose("resigned; the pods in flight are left to the next leader");
  ElectionLease free = Renewal(now);
  free.holder = {};
  free.holder_pod = {};
  free.in_flight = std::vector<model::PodRef>();
  Send(now, PutElection{std::move(free)}, step);
  Lose("resigned");
}

void ElectionSteps::Answer(ElectionTime now, const ElectionAnswer& answer) {
  GS_CHECK(outstanding_.has_value());
  const Duration since_boot = now.since_boot;
  if (phase_ == Phase::kCandidate) {
    AnswerCandidate(since_boot, answer);
  } else if (!LoseIfLate(since_boot) && phase_ == Phase::kLeader) {
    AnswerLeader(since_boot, answer);
  }
  outstanding_.reset();
}

// Whatever a write answers, the Lease itself says what became of it; only the usual case takes the
// short way.
void ElectionSteps::AnswerCandidate(Duration now, const ElectionAnswer& answer) {
  const bool is_read = std::holds_alternative<ReadElection>(*outstanding_);
  if (is_read && answer.outcome == WriteOutcome::kNotFound) return ObserveAbsence();
  if (answer.outcome != WriteOutcome::kDone || !answer.lease) return TryAgain(now, answer);
  Observe(now, *answer.lease);
  const bool is_in_time = now < last_write_.sent + options_.renew_deadline;
  if (is_in_time && !last_write_.is_create && IsLastWrite(*answer.lease)) Win(*answer.lease);
}

void ElectionSteps::AnswerLeader(Duration now, const ElectionAnswer& answer) {
  if (answer.outcome == WriteOutcome::kNotFound) return Lose("the election Lease was deleted");
  const bool is_read = std::holds_alternative<ReadElection>(*outstanding_);
  const bool is_done = answer.outcome == WriteOutcome::kDone && answer.lease;
  if (is_done && is_read) return LeaderReads(*answer.lease);
  if (is_done && IsLastWrite(*answer.lease)) return Renewed(*answer.lease);
  // Turned away means not written; anything else has to be looked up.
  const bool is_certain =
      answer.outcome == WriteOutcome::kNotExecuted || answer.outcome == WriteOutcome::kRefused;
  if (!is_certain) must_read_ = true;
  TryAgain(now, answer);
}

void ElectionSteps::LeaderReads(const ElectionLease& lease) {
  if (lease.uid != lease_.uid) return Lose("the election Lease was deleted and made anew");
  if (!IsOurs(lease)) return Lose("the election Lease is held by " + HolderText(lease));
  must_read_ = false;
  if (IsLastWrite(lease)) return Renewed(lease);
  lease_ = lease;
}

void ElectionSteps::Observe(Duration now, const ElectionLease& lease) {
  if (observed_ && observed_->lease.uid != lease.uid) has_vanished_ = true;
  if (!observed_ || RecordOf(observed_->lease) != RecordOf(lease)) observed_ = {lease, now};
  observed_->lease = lease;
  const bool is_free = now >= FreeAt();
  next_ = is_free ? Next::kWrite : Next::kRead;
  not_before_ = is_free ? now : std::min(now + options_.retry, FreeAt());
  if (!is_free) failures_ = 0;
}

// The leader of a Lease that vanished may not have noticed yet.
void ElectionSteps::ObserveAbsence() {
  has_vanished_ = true;
  observed_.reset();
  next_ = Next::kCreate;
}

Duration ElectionSteps::FreeAt() const {
  if (!observed_->lease.is_held() && !has_vanished_) return observed_->since;
  // The holder may have been started with a longer one than ours.
  return observed_->since + std::max<Duration>(options_.lease, observed_->lease.duration);
}

ElectionLease ElectionSteps::TakenOver(ElectionTime now) const {
  ElectionLease lease = observed_->lease;
  const bool is_last = lease.transitions == std::numeric_limits<std::int32_t>::max();
  lease.transitions = is_last ? 1 : lease.transitions + 1;
  lease.acquired = Micros(now.wall);
  HoldBy(now, lease);
  return lease;
}

// Without a list, and held: so nobody takes the list for empty.
ElectionLease ElectionSteps::MadeAnew(ElectionTime now) const {
  ElectionLease lease;
  lease.ns = self_.lock_namespace;
  lease.name = name_;
  lease.transitions = 1;
  lease.acquired = Micros(now.wall);
  lease.in_flight = UnreadableList{};
  HoldBy(now, lease);
  return lease;
}

ElectionLease ElectionSteps::Renewal(ElectionTime now) const {
  ElectionLease lease = lease_;
  if (wanted_) lease.in_flight = wanted_->pods;
  HoldBy(now, lease);
  return lease;
}

void ElectionSteps::HoldBy(ElectionTime now, ElectionLease& lease) const {
  lease.holder = self_.identity;
  lease.holder_pod = self_.pod;
  lease.scheduler = self_.scheduler;
  lease.lock_namespace = self_.lock_namespace;
  lease.duration = WholeSeconds(options_.lease);
  lease.renewed = Micros(now.wall);
  lease.write = writes_ + 1;
}

void ElectionSteps::Send(ElectionTime now, ElectionRequest request, ElectionStep& step) {
  Duration timeout = options_.renew_deadline;
  if (phase_ == Phase::kLeader) timeout = leads_until_ - now.since_boot;
  step.timeout = std::min(timeout, kMaxTimeout);
  if (!std::holds_alternative<ReadElection>(request)) {
    last_write_ = {.number = ++writes_,
                   .sent = now.since_boot,
                   .is_create = std::holds_alternative<CreateElection>(request),
                   .revision = {}};
    if (wanted_) last_write_.revision = wanted_->revision;
  }
  outstanding_ = request;
  step.request = std::move(request);
}

// Soon at first, since most troubles are short; never later than after the retry period, since a
// leader that waits longer has lost.
void ElectionSteps::TryAgain(Duration now, const ElectionAnswer& answer) {
  Duration wait = options_.retry / (1 << std::max(0, kMaxHalvings - failures_));
  if (answer.retry_after) wait = std::max(wait, *answer.retry_after);
  not_before_ = now + std::min(wait, options_.retry);
  ++failures_;
  trouble_ = answer.reason;
}

bool ElectionSteps::IsOurs(const ElectionLease& lease) const {
  return lease.holder == self_.identity;
}

bool ElectionSteps::IsLastWrite(const ElectionLease& lease) const {
  return IsOurs(lease) && lease.write == last_write_.number;
}

bool ElectionSteps::IsListCurrent() const { return !wanted_ || wanted_->revision == listed_; }

bool ElectionSteps::HasNothingInFlight() const {
  if (wanted_) return wanted_->pods.empty();
  const auto* pods = std::get_if<std::vector<model::PodRef>>(&lease_.in_flight);
  return pods != nullptr && pods->empty();
}

void ElectionSteps::Win(const ElectionLease& lease) {
  phase_ = Phase::kLeader;
  const auto* pods = std::get_if<std::vector<model::PodRef>>(&lease.in_flight);
  events_.push_back(
      model::LeadershipWon{.transitions = lease.transitions,
                           .takeover = lease.resource_version,
                           .is_list_known = pods != nullptr,
                           .unresolved = pods ? *pods : std::vector<model::PodRef>()});
  not_before_ = Duration(0);
  Renewed(lease);
}

void ElectionSteps::Renewed(const ElectionLease& lease) {
  lease_ = lease;
  leads_until_ = last_write_.sent + options_.renew_deadline;
  renew_at_ = last_write_.sent + options_.retry;
  must_read_ = false;
  failures_ = 0;
  if (last_write_.revision == listed_) return;
  listed_ = last_write_.revision;
  events_.push_back(model::InFlightListed{*listed_});
}

void ElectionSteps::SetInFlight(model::ListInFlight list) {
  if (phase_ != Phase::kLeader) return;
  if (!wanted_ || list.revision > wanted_->revision) wanted_ = std::move(list);
}

void ElectionSteps::Lose(std::string reason) {
  phase_ = Phase::kOver;
  leads_until_ = Duration(0);
  events_.push_back(model::LeadershipLost{std::move(reason)});
}

bool ElectionSteps::LoseIfLate(Duration now) {
  if (phase_ != Phase::kLeader || now < leads_until_) return false;
  std::string reason =
      "the election Lease was not renewed within " + PrintDuration(options_.renew_deadline);
  if (failures_ > 0) reason += ": " + trouble_;
  Lose(std::move(reason));
  return true;
}

}  // namespace gs::kube
