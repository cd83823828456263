// What a leader does: FenceSteps from the moment it has won.
#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "adapters/kube/fence/fence_steps.h"
#include "adapters/kube/fence/fence_words.h"
#include "base/resource_version.h"

namespace gs::kube {

using model::WriteOutcome;

namespace {

// While others commit, their news are awaited by whoever waits for their GPUs.
constexpr Duration kLookAgain = std::chrono::milliseconds(100);
constexpr int kSilentLeases = 2;

}  // namespace

void FenceSteps::Win(Duration now) {
  const ReleaseRecord& record = fence_.records.at(key_);
  phase_ = Phase::kLeader;
  mark_ = fence_.unsettled;
  look_at_ = now + kLookAgain;
  not_before_ = Duration(0);
  requests_say_.clear();
  TellStanding();
  TellOthers(now);
  events_.push_back(model::LeadershipWon{.transitions = record.transitions,
                                         .is_list_known = !mark_ && !record.is_list_lost,
                                         .unresolved = record.unresolved,
                                         .inherited = record.in_flight,
                                         .settled = record.settled});
  Renewed();
}

void FenceSteps::AdvanceLeader(FenceTime now, FenceStep& step) {
  TellOthers(now.since_boot);
  if (is_resigning_ && !must_read_) return StepDown(now, step);
  const bool do_others_list = !others_.others.empty();
  const Duration look_at = do_others_list ? look_at_ : Duration::max();
  std::optional<Listing> list = DueList(now.since_boot);
  const Duration write_at = list ? not_before_ : renew_at_;
  const Duration due = must_read_ ? not_before_ : std::min(look_at, write_at);
  if (now.since_boot < std::max(due, not_before_)) {
    step.wake_at = std::min(std::max(due, not_before_), NextSilence(now.since_boot));
    return;
  }
  if (must_read_ || now.since_boot < write_at) return Send(now, ReadFence{}, step);
  SendList(now, Renewal(now, list ? *std::move(list) : ListNow(now.since_boot)), step);
}

// Whoever comes next may lead the moment the record is free, so we stop before we say so.
void FenceSteps::StepDown(FenceTime now, FenceStep& step) {
  if (!HasNothingInFlight()) {
    return Lose("resigned; the pods in flight are left to the next leader");
  }
  leave_by_ = leads_until_;
  SendList(now, Farewell(now), step);
  Lose("resigned", Phase::kLeaving);
}

// Other releases write too, so the first attempt may have met a conflict.
void FenceSteps::AdvanceLeaving(FenceTime now, FenceStep& step) {
  if (now.since_boot >= leave_by_) {
    phase_ = Phase::kOver;
    return;
  }
  if (must_read_) return Send(now, ReadFence{}, step);
  SendList(now, Farewell(now), step);
}

void FenceSteps::AnswerLeader(Duration now, const FenceAnswer& answer) {
  if (answer.outcome == WriteOutcome::kNotFound) return Lose("the fence was deleted");
  if (answer.outcome == WriteOutcome::kConflict) return ReadAfterConflict(now);
  const bool is_done = answer.outcome == WriteOutcome::kDone && answer.fence;
  const bool is_read = std::holds_alternative<ReadFence>(*outstanding_);
  if (is_done && is_read) return LeaderReads(now, *answer.fence);
  if (is_done && IsLastWrite(*answer.fence)) {
    fence_ = *answer.fence;
    ages_.Wrote(fence_, now);
    TellOthers(now);
    return Renewed();
  }
  // Turned away means not written; anything else has to be looked up.
  const bool is_certain =
      answer.outcome == WriteOutcome::kNotExecuted || answer.outcome == WriteOutcome::kRefused;
  if (!is_certain) must_read_ = true;
  TryAgain(now, answer);
}

void FenceSteps::AnswerLeaving(Duration now, const FenceAnswer& answer) {
  const bool was_read = std::exchange(must_read_, false);
  if (was_read && answer.fence && IsOurs(*answer.fence)) {
    fence_ = *answer.fence;
    ages_.See(fence_, now);
    return;
  }
  const bool is_overtaken = !was_read && answer.outcome == WriteOutcome::kConflict;
  if (is_overtaken) {
    must_read_ = true;
  } else {
    phase_ = Phase::kOver;
  }
}

void FenceSteps::LeaderReads(Duration now, const FenceLease& fence) {
  if (fence.metadata.uid != fence_.metadata.uid) {
    return Lose("the fence was deleted and made anew");
  }
  if (!IsOurs(fence)) return Lose(WhyLost(fence, self_.scheduler));
  // Only whoever takes over deals with it.
  if (fence.unsettled && fence.unsettled != mark_) {
    return Lose("the fence lost what a release had in flight; all has to be checked anew");
  }
  fence_ = fence;
  must_read_ = false;
  ages_.See(fence_, now);
  look_at_ = now + kLookAgain;
  fence_says_ = WhyNot(fence_, self_);
  TellStanding();
  TellOthers(now);
  if (fence.metadata.resource_version == conflicted_) BackOff(now, {});
  if (IsLastWrite(fence)) Renewed();
}

Listing FenceSteps::ListNow(Duration now) const {
  if (!wanted_) return {.fence = fence_};
  return ListOn(fence_, Order(now));
}

Listing FenceSteps::Renewal(FenceTime now, Listing listing) const {
  HoldBy(now, listing.fence);
  return listing;
}

Listing FenceSteps::Farewell(FenceTime now) const {
  Listing listing = Renewal(now, ListNow(now.since_boot));
  ReleaseRecord& record = listing.fence.records.at(key_);
  record.holder = {};
  record.holder_pod = {};
  return listing;
}

ListingOrder FenceSteps::Order(Duration now) const {
  ListingOrder order{.scheduler = self_.scheduler,
                     .list = *wanted_,
                     .is_settled = is_settling_,
                     .mark = mark_,
                     .rules = rules_};
  if (IsListCurrent()) order.refused_before = {refused_.begin(), refused_.end()};
  for (const auto& [key, record] : fence_.records) {
    if (key == key_ || now < SilentAt(key, record)) continue;
    order.silent.insert(key);
    if (now >= ages_.SinceOf(key) + options_.forget_after) order.dead.insert(key);
  }
  return order;
}

void FenceSteps::SendList(FenceTime now, Listing listing, FenceStep& step) {
  Send(now, PutFence{std::move(listing.fence)}, step);
  last_write_.revision = listed_;
  last_write_.refused = refused_;
  if (!wanted_ || listing.is_held_back) return;
  last_write_.revision = wanted_->revision;
  last_write_.refused = std::move(listing.refused);
}

bool FenceSteps::IsListCurrent() const { return !wanted_ || wanted_->revision == listed_; }

// A list that waits for something is not written over and over, and one that says what the fence
// says already, with a newer view, is not written at all.
std::optional<Listing> FenceSteps::DueList(Duration now) {
  if (IsListCurrent() || must_read_) return std::nullopt;
  Listing listing = ListNow(now);
  if (listing.has_changes) return listing;
  if (listing.is_held_back) return std::nullopt;
  if (!listing.refused.empty()) return listing;
  Listed(wanted_->revision, {});
  return std::nullopt;
}

bool FenceSteps::HasNothingInFlight() const {
  return wanted_ ? wanted_->in_flight.empty() : fence_.records.at(key_).in_flight.empty();
}

Duration FenceSteps::SilentAt(const std::string& key, const ReleaseRecord& record) const {
  const Duration lease = record.duration.count() > 0 ? record.duration : options_.lease;
  return ages_.SinceOf(key) + kSilentLeases * lease;
}

Duration FenceSteps::NextSilence(Duration now) const {
  Duration next = Duration::max();
  for (const auto& [key, record] : fence_.records) {
    if (key == key_ || record.in_flight.empty()) continue;
    const Duration silent_at = SilentAt(key, record);
    if (silent_at > now) next = std::min(next, silent_at);
  }
  return next;
}

void FenceSteps::Renewed() {
  leads_until_ = last_write_.sent + options_.renew_deadline;
  renew_at_ = last_write_.sent + options_.retry;
  must_read_ = false;
  failures_ = 0;
  Listed(last_write_.revision, last_write_.refused);
}

void FenceSteps::Listed(std::optional<std::uint64_t> revision, std::vector<PodUid> refused) {
  // Of a write that is met again, after a later list was found there.
  if (!revision || (listed_ && *revision <= *listed_)) return;
  listed_ = revision;
  refused_ = std::move(refused);
  events_.push_back(model::InFlightListed{.revision = *listed_, .refused = refused_});
}

void FenceSteps::TellOthers(Duration now) {
  model::FenceSeen seen;
  for (const auto& [key, record] : fence_.records) {
    if (key == key_) continue;
    seen.settled = LaterVersion(seen.settled, record.settled);
    const bool is_silent = now >= SilentAt(key, record);
    for (const auto& entry : record.in_flight) {
      seen.others.push_back(
          {.in_flight = entry, .is_silent = is_silent, .scheduler = record.scheduler});
    }
  }
  if (seen == others_) return;
  others_ = seen;
  events_.push_back(std::move(seen));
}

void FenceSteps::SetInFlight(model::ListInFlight list) {
  if (phase_ != Phase::kLeader) return;
  is_settling_ = is_settling_ || list.is_settling;
  if (!wanted_ || list.revision > wanted_->revision) wanted_ = std::move(list);
}

bool FenceSteps::LoseIfLate(Duration now) {
  if (phase_ != Phase::kLeader || now < leads_until_) return false;
  std::string reason = "the fence was not renewed within " + PrintDuration(options_.renew_deadline);
  if (failures_ > 0) reason += ": " + trouble_;
  Lose(std::move(reason));
  return true;
}

}  // namespace gs::kube
