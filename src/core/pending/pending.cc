#include "core/pending/pending.h"

#include <algorithm>
#include <utility>

namespace gs::pending {
namespace {

using model::ReasonToken;

// What is wrong with the pod itself is not mended by anything else.
bool IsItsOwnFault(ReasonToken token) {
  return token == ReasonToken::kMapInvalid || token == ReasonToken::kUnsupported;
}

bool CanHelp(Help help, const AskClass& ask, const model::Reason& reason, const Namespace& ns,
             const ClaimName& claim) {
  if (help == Help::kClaim) return ask.claim == claim && ask.ns == ns && !claim.empty();
  return !IsItsOwnFault(reason.token) && reason.token != ReasonToken::kClaimMissing &&
         reason.token != ReasonToken::kCountMismatch;
}

}  // namespace

void Pending::MakeReady(Entry& entry) {
  if (entry.until) sleeping_.erase({*std::exchange(entry.until, std::nullopt), entry.rank.ref.uid});
  entry.reason.reset();
  ready_.insert(entry.rank);
}

void Pending::SleepUntil(Entry& entry, TimePoint until) {
  ready_.erase(entry.rank);
  if (entry.until) sleeping_.erase({*entry.until, entry.rank.ref.uid});
  entry.until = until;
  sleeping_.insert({until, entry.rank.ref.uid});
}

void Pending::Put(const model::Pod& pod) {
  Entry& entry = entries_[pod.ref.uid];
  ready_.erase(entry.rank);
  entry.rank = {-std::int64_t{pod.priority}, pod.created, pod.ref};
  entry.ask = pending::ClassOf(pod);
  MakeReady(entry);
}

void Pending::Remove(const PodUid& pod) {
  const auto found = entries_.find(pod);
  if (found == entries_.end()) return;
  ready_.erase(found->second.rank);
  if (found->second.until) sleeping_.erase({*found->second.until, pod});
  entries_.erase(found);
}

void Pending::Wake(Help help, const Namespace& ns, const ClaimName& claim) {
  for (auto& [uid, entry] : entries_) {
    if (entry.reason && CanHelp(help, entry.ask, *entry.reason, ns, claim)) MakeReady(entry);
  }
}

void Pending::Tick(TimePoint now) {
  while (!sleeping_.empty() && sleeping_.begin()->first <= now) {
    MakeReady(entries_.at(PodUid(sleeping_.begin()->second)));
  }
}

std::optional<TimePoint> Pending::NextWake() const {
  if (sleeping_.empty()) return std::nullopt;
  return sleeping_.begin()->first;
}

std::vector<PodUid> Pending::Ready() const {
  std::vector<PodUid> pods;
  pods.reserve(ready_.size());
  for (const Rank& rank : ready_) pods.push_back(rank.ref.uid);
  return pods;
}

const AskClass& Pending::ClassOf(const PodUid& pod) const { return entries_.at(pod).ask; }

void Pending::Sleep(const PodUid& pod, const model::Reason& reason, TimePoint now) {
  Entry& entry = entries_.at(pod);
  SleepUntil(entry, now + options_.backstop);
  entry.reason = reason;
}

void Pending::Retry(const PodUid& pod, TimePoint now) {
  Entry& entry = entries_.at(pod);
  constexpr int kMostDoublings = 20;
  const Duration wait = options_.first_backoff * (1 << std::min(entry.failures++, kMostDoublings));
  SleepUntil(entry, now + std::min(wait, options_.longest_backoff));
  entry.reason.reset();
}

const model::Reason* Pending::ReasonOf(const PodUid& pod) const {
  const auto found = entries_.find(pod);
  return found == entries_.end() || !found->second.reason ? nullptr : &*found->second.reason;
}

}  // namespace gs::pending
