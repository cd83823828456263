#include "adapters/kube/fence/fence_steps.h"

#include <algorithm>
#include <utility>

#include "adapters/kube/fence/fence_words.h"
#include "adapters/kube/fence/lease_json.h"
#include "base/check.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;

constexpr Duration kMaxTimeout = std::chrono::seconds(5);
constexpr int kMaxHalvings = 4;  // the first new try comes after a sixteenth of the retry period

std::chrono::seconds WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration);
}

std::vector<OwnerReference> OwnersOf(const FenceSelf& self) {
  if (!self.owner) return {};
  return {*self.owner};
}

// One of the same name with another UID was deleted.
//
// Only who takes over does so. The UID was looked up when the process started; where the
// ClusterRole has been made again since, Kubernetes takes the reference out, or deletes the fence
// if there is no other owner, and to write it again with every renewal would be a quarrel without
// end. Whoever takes over after a start has the right one.
void AddOwners(const FenceSelf& self, LeaseMetadata& metadata) {
  for (const OwnerReference& ours : OwnersOf(self)) {
    std::erase_if(metadata.owners, [&ours](const OwnerReference& other) {
      return other.kind == ours.kind && other.name == ours.name && other.uid != ours.uid;
    });
    const bool is_there = std::ranges::any_of(
        metadata.owners, [&ours](const OwnerReference& other) { return other.uid == ours.uid; });
    if (!is_there) metadata.owners.push_back(ours);
  }
}

LeaseMetadata FreshEarlier(const FenceSelf& self) {
  return {.ns = self.release_namespace,
          .name = EarlierElectionName(self.scheduler),
          .owners = OwnersOf(self)};
}

}  // namespace

Result<void> CheckFenceOptions(const FenceOptions& options) {
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

FenceSteps::FenceSteps(FenceSelf self, FenceOptions options, FenceRules rules)
    : self_(std::move(self)),
      options_(options),
      rules_(rules),
      key_(RecordKey(self_.scheduler)),
      earlier_(FreshEarlier(self_), options_.lease, options_.retry) {
  GS_CHECK(CheckFenceOptions(options_).ok());
  GS_CHECK(!self_.identity.pod.empty() && !self_.identity.process.empty());
}

FenceStep FenceSteps::Advance(FenceTime now) {
  FenceStep step;
  const bool is_lost = LoseIfLate(now.since_boot);
  if (!is_lost && !outstanding_) {
    switch (phase_) {
      case Phase::kCandidate: AdvanceCandidate(now, step); break;
      case Phase::kLeader: AdvanceLeader(now, step); break;
      case Phase::kLeaving: AdvanceLeaving(now, step); break;
      case Phase::kOver: break;
    }
  }
  if (phase_ == Phase::kLeader) step.wake_at = std::min(step.wake_at, leads_until_);
  step.events = std::exchange(events_, {});
  return step;
}

void FenceSteps::AdvanceCandidate(FenceTime now, FenceStep& step) {
  if (is_resigning_) {
    phase_ = Phase::kOver;
    return;
  }
  if (now.since_boot < not_before_) {
    step.wake_at = not_before_;
    return;
  }
  switch (std::exchange(next_, Next::kRead)) {
    case Next::kRead: return Send(now, ReadFence{}, step);
    case Next::kTake: return Send(now, PutFence{TakenOver(now)}, step);
    case Next::kCreate: return Send(now, CreateFence{MadeAnew(now)}, step);
    case Next::kEarlier: return Send(now, earlier_.Next(now.wall), step);
  }
}

void FenceSteps::Answer(FenceTime now, const FenceAnswer& answer) {
  GS_CHECK(outstanding_.has_value());
  const Duration since_boot = now.since_boot;
  if (phase_ == Phase::kCandidate) {
    AnswerCandidate(since_boot, answer);
  } else if (phase_ == Phase::kLeaving) {
    AnswerLeaving(since_boot, answer);
  } else if (!LoseIfLate(since_boot) && phase_ == Phase::kLeader) {
    AnswerLeader(since_boot, answer);
  }
  outstanding_.reset();
}

// Whatever a write answers, the fence itself says what became of it; only the usual case takes the
// short way.
void FenceSteps::AnswerCandidate(Duration now, const FenceAnswer& answer) {
  if (std::holds_alternative<EarlierRequest>(*outstanding_)) return AnswerEarlier(now, answer);
  const bool is_create = std::holds_alternative<CreateFence>(*outstanding_);
  if (answer.outcome == WriteOutcome::kNotFound && !is_create) return ObserveAbsence();
  const bool is_overtaken =
      answer.outcome == WriteOutcome::kConflict || answer.outcome == WriteOutcome::kAlreadyExists;
  if (is_overtaken) return ReadAfterConflict(now);
  if (answer.outcome != WriteOutcome::kDone || !answer.fence) return TryAgain(now, answer);
  Observe(now, *answer.fence);
  const bool is_in_time = now < last_write_.sent + options_.renew_deadline;
  if (is_in_time && IsLastWrite(fence_)) Win(now);
}

void FenceSteps::AnswerEarlier(Duration now, const FenceAnswer& answer) {
  next_ = Next::kEarlier;
  if (!earlier_.Answer(now, answer.outcome, answer.earlier)) return TryAgain(now, answer);
  if (earlier_.is_done()) next_ = Next::kRead;
  not_before_ = earlier_.not_before();
  if (not_before_ > now) Calm();
}

void FenceSteps::Observe(Duration now, const FenceLease& fence) {
  fence_ = fence;
  ages_.See(fence_, now);
  fence_says_ = WhyNot(fence_, self_);
  const bool is_known = fence_.records.contains(key_) || fence_.unreadable.contains(key_);
  const Duration free_at = FreeAt(now);
  const bool is_free = now >= free_at;
  if (is_free) {
    next_ = is_known || earlier_.is_done() ? Next::kTake : Next::kEarlier;
  } else {
    Calm();
  }
  not_before_ = is_free ? now : std::min(now + options_.retry, free_at);
  if (is_free && fence.metadata.resource_version == conflicted_) BackOff(now, {});
  TellStanding();
}

void FenceSteps::ObserveAbsence() {
  fence_ = {};
  fence_says_.clear();
  next_ = earlier_.is_done() ? Next::kCreate : Next::kEarlier;
  TellStanding();
}

Duration FenceSteps::FreeAt(Duration now) const {
  if (fence_.unreadable.contains(key_)) return ages_.SinceOf(key_) + options_.lease;
  const auto found = fence_.records.find(key_);
  if (found == fence_.records.end()) return now;
  const ReleaseRecord& record = found->second;
  if (record.scheduler != self_.scheduler) return Duration::max();
  if (!record.is_held()) return now;
  // The holder may have been started with a longer one than ours.
  return ages_.SinceOf(key_) + std::max<Duration>(options_.lease, record.duration);
}

FenceLease FenceSteps::TakenOver(FenceTime now) const {
  FenceLease fence = fence_;
  // What it listed is not known, to nobody.
  const bool is_lost = fence.unreadable.erase(key_) > 0;
  if (is_lost && !fence.unsettled) fence.unsettled = NewMark();
  ReleaseRecord& record = fence.records.try_emplace(key_, FirstRecord()).first->second;
  ++record.transitions;
  record.acquired = Micros(now.wall);
  HoldBy(now, fence);
  AddOwners(self_, fence.metadata);
  return fence;
}

FenceLease FenceSteps::MadeAnew(FenceTime now) const {
  FenceLease fence{
      .metadata = {.ns = self_.fence_namespace, .name = LeaseName(std::string(kFenceName))}};
  if (rules_.unsettled) fence.unsettled = NewMark();
  ReleaseRecord& record = fence.records[key_];
  record = FirstRecord();
  record.transitions = 1;
  record.acquired = Micros(now.wall);
  HoldBy(now, fence);
  AddOwners(self_, fence.metadata);
  return fence;
}

ReleaseRecord FenceSteps::FirstRecord() const {
  ReleaseRecord record;
  record.is_list_lost = !earlier_.list().has_value();
  if (earlier_.list()) record.unresolved = *earlier_.list();
  return record;
}

void FenceSteps::HoldBy(FenceTime now, FenceLease& fence) const {
  ReleaseRecord& record = fence.records.at(key_);
  record.scheduler = self_.scheduler;
  record.ns = self_.release_namespace;
  record.holder = self_.identity;
  record.holder_pod = self_.pod;
  record.duration = WholeSeconds(options_.lease);
  record.renewed = Micros(now.wall);
  record.write = writes_ + 1;
}

std::string FenceSteps::NewMark() const {
  return self_.identity.process + "-" + std::to_string(writes_ + 1);
}

void FenceSteps::Send(FenceTime now, FenceRequest request, FenceStep& step) {
  Duration timeout = options_.renew_deadline;
  if (phase_ == Phase::kLeader) timeout = leads_until_ - now.since_boot;
  if (phase_ == Phase::kLeaving) timeout = leave_by_ - now.since_boot;
  step.timeout = std::min(timeout, kMaxTimeout);
  const bool is_write =
      std::holds_alternative<CreateFence>(request) || std::holds_alternative<PutFence>(request);
  if (is_write) last_write_ = {.number = ++writes_, .sent = now.since_boot};
  if (auto* put = std::get_if<PutFence>(&request); put != nullptr && !rules_.cas) {
    put->fence.metadata.uid = {};
    put->fence.metadata.resource_version = {};
  }
  outstanding_ = request;
  step.request = std::move(request);
}

void FenceSteps::TryAgain(Duration now, const FenceAnswer& answer) {
  BackOff(now, answer.retry_after);
  trouble_ = answer.reason;
  if (phase_ != Phase::kCandidate) return;
  const bool is_passing =
      answer.outcome == WriteOutcome::kNotExecuted || answer.outcome == WriteOutcome::kUnknown;
  if (is_passing && failures_ <= kMaxHalvings) return;
  requests_say_ = WhyFailed(*outstanding_, answer, self_);
  TellStanding();
}

// Soon at first, since most troubles are short; never later than after the retry period, since a
// leader that waits longer has lost.
void FenceSteps::BackOff(Duration now, std::optional<Duration> at_least) {
  Duration wait = options_.retry / (1 << std::max(0, kMaxHalvings - failures_));
  if (at_least) wait = std::max(wait, *at_least);
  not_before_ = now + std::min(wait, options_.retry);
  ++failures_;
}

// There is nothing to do but to wait, so nothing stands in our way.
void FenceSteps::Calm() {
  failures_ = 0;
  requests_say_.clear();
  TellStanding();
}

// Somebody else has written, as other releases do all the time: at once again, from what is there
// now.
void FenceSteps::ReadAfterConflict(Duration now) {
  conflicted_ = fence_.metadata.resource_version;
  must_read_ = phase_ == Phase::kLeader;
  next_ = Next::kRead;
  not_before_ = now;
}

bool FenceSteps::IsOurs(const FenceLease& fence) const {
  const ReleaseRecord* record = FindRecord(fence, self_.scheduler);
  return record != nullptr && record->holder == self_.identity;
}

bool FenceSteps::IsLastWrite(const FenceLease& fence) const {
  return IsOurs(fence) && fence.records.at(key_).write == last_write_.number;
}

void FenceSteps::TellStanding() {
  const std::string& why_not = requests_say_.empty() ? fence_says_ : requests_say_;
  if (standing_ == why_not) return;
  standing_ = why_not;
  events_.push_back(model::FenceStanding{.why_not = why_not});
}

void FenceSteps::Lose(std::string reason, Phase then) {
  phase_ = then;
  leads_until_ = Duration(0);
  events_.push_back(model::LeadershipLost{std::move(reason)});
}

}  // namespace gs::kube
