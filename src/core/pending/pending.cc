#include "core/pending/pending.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gs::pending {
namespace {

using model::ReasonToken;

// How long it is before everybody hears again why they sleep, although nothing is new.
constexpr Duration kTellAgain = std::chrono::minutes(5);
// How long a reason is as good as new while nothing but room comes and goes.
constexpr Duration kReasonLasts = std::chrono::seconds(10);

// What is wrong with the pod itself is not mended by anything else.
bool IsItsOwnFault(ReasonToken token) {
  return token == ReasonToken::kMapInvalid || token == ReasonToken::kUnsupported;
}

bool CanHelp(Help help, const AskClass& ask, const model::Reason& reason, const Namespace& ns,
             const ClaimName& claim) {
  if (help == Help::kClaim) return ask.claim == claim && ask.ns == ns && !claim.empty();
  if (help == Help::kStorage) return ask.uses_volumes;
  return !IsItsOwnFault(reason.token) && reason.token != ReasonToken::kClaimMissing &&
         reason.token != ReasonToken::kVolumeMissing && reason.token != ReasonToken::kCountMismatch;
}

}  // namespace

void Pending::Restand(Class& group) {
  if (group.head) awake_.erase(*group.head);
  group.head.reset();
  if (group.reason || group.members.empty()) return;
  group.head = *group.members.begin();
  awake_.emplace(*group.head, &group);
}

void Pending::WakeUp(Class& group, bool is_for_room) {
  if (!is_for_room) group.recent.reset();
  asleep_.erase({group.until, group.ask.key});
  group.reason.reset();
  Restand(group);
}

void Pending::Join(Entry& entry) {
  Class& group = classes_[entry.ask.key];
  entry.tries_before = group.tries;
  group.ask = entry.ask;
  group.members.insert(entry.rank);
  (group.reason ? late_sleepers_ : group.newcomers).push_back(entry.rank.ref.uid);
  Restand(group);
}

void Pending::Leave(Entry& entry) {
  if (std::exchange(entry.is_launched, false)) return;
  if (entry.until) {
    backing_off_.erase({*std::exchange(entry.until, std::nullopt), entry.rank.ref.uid});
    return;
  }
  const auto found = classes_.find(entry.ask.key);
  Class& group = found->second;
  entry.tries += group.tries - entry.tries_before;
  group.members.erase(entry.rank);
  Restand(group);
  if (!group.members.empty()) return;
  if (group.reason) asleep_.erase({group.until, group.ask.key});
  classes_.erase(found);
}

void Pending::Put(const model::Pod& pod, const std::string& apart, TimePoint came) {
  Entry now{.rank = RankOf(pod),
            .ask = pending::ClassOf(pod),
            .since = came,
            .failures = 0,
            .is_launched = false,
            .until = {}};
  now.ask.key += apart;
  const auto [found, is_new] = entries_.try_emplace(pod.ref.uid, now);
  Entry& entry = found->second;
  if (!is_new) {
    if (entry.rank == now.rank && entry.ask == now.ask) return;
    // What it changes into does not undo that an attempt has failed: pods that change each other
    // by failing would be tried without end.
    now.is_launched = entry.is_launched;
    now.until = entry.until;
    now.failures = entry.failures;
    if (entry.is_in_class()) Leave(entry);
    now.since = entry.since;
    now.tries = entry.tries;
    entry = std::move(now);
    if (!entry.is_in_class()) return;
  }
  Join(entry);
}

void Pending::Remove(const PodUid& pod) {
  const auto found = entries_.find(pod);
  if (found == entries_.end()) return;
  Leave(found->second);
  entries_.erase(found);
}

void Pending::Wake(Help help, const Namespace& ns, const ClaimName& claim) {
  std::vector<Class*> helped;
  for (const auto& [until, key] : asleep_) {
    Class& group = classes_.at(key);
    if (CanHelp(help, group.ask, *group.reason, ns, claim)) helped.push_back(&group);
  }
  for (Class* group : helped) WakeUp(*group, help == Help::kRoom);
}

void Pending::WakeIf(const std::function<bool(const PodUid&)>& helps) {
  std::vector<Class*> helped;
  for (const auto& [until, key] : asleep_) {
    Class& group = classes_.at(key);
    if (helps(group.members.begin()->ref.uid)) helped.push_back(&group);
  }
  for (Class* group : helped) WakeUp(*group, false);
}

void Pending::Tick(TimePoint now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    WakeUp(classes_.at(asleep_.begin()->second), false);
  }
  while (!backing_off_.empty() && backing_off_.begin()->first <= now) {
    Entry& entry = entries_.at(backing_off_.begin()->second);
    Leave(entry);
    Join(entry);
  }
}

std::optional<TimePoint> Pending::NextWake() const {
  std::optional<TimePoint> first;
  if (!asleep_.empty()) first = asleep_.begin()->first;
  if (!backing_off_.empty() && (!first || backing_off_.begin()->first < *first)) {
    first = backing_off_.begin()->first;
  }
  return first;
}

std::optional<PodUid> Pending::Next() const {
  if (awake_.empty()) return std::nullopt;
  return awake_.begin()->first.ref.uid;
}

std::vector<PodUid> Pending::Ready() const {
  std::set<Rank> ranks;
  for (const auto& [head, group] : awake_)
    ranks.insert(group->members.begin(), group->members.end());
  std::vector<PodUid> pods;
  pods.reserve(ranks.size());
  for (const Rank& rank : ranks) pods.push_back(rank.ref.uid);
  return pods;
}

std::vector<PodUid> Pending::All() const {
  std::vector<PodUid> pods;
  pods.reserve(entries_.size());
  for (const auto& [uid, entry] : entries_) pods.push_back(uid);
  return pods;
}

std::vector<PodUid> Pending::Sleep(const PodUid& pod, const model::Reason& reason, TimePoint now) {
  Class& group = classes_.at(entries_.at(pod).ask.key);
  group.reason = reason;
  ++group.tries;
  if (group.recent != reason || now - group.recent_at >= kReasonLasts) {
    group.recent = reason;
    group.recent_at = now;
  }
  group.until = now + options_.backstop;
  asleep_.insert({group.until, group.ask.key});
  Restand(group);
  return ToTell(group, now);
}

std::vector<PodUid> Pending::ToTell(Class& group, TimePoint now) {
  std::vector<PodUid> pods;
  const std::vector<PodUid> newcomers = std::exchange(group.newcomers, {});
  if (group.told != group.reason->token || now - group.told_at >= kTellAgain) {
    group.told = group.reason->token;
    group.told_at = now;
    for (const Rank& rank : group.members) pods.push_back(rank.ref.uid);
    return pods;
  }
  pods.push_back(group.members.begin()->ref.uid);
  for (const PodUid& pod : newcomers) {
    const auto entry = entries_.find(pod);
    if (pod == pods.front() || entry == entries_.end()) continue;
    if (group.members.contains(entry->second.rank)) pods.push_back(pod);
  }
  return pods;
}

void Pending::Launch(const PodUid& pod) {
  Entry& entry = entries_.at(pod);
  Leave(entry);
  entry.is_launched = true;
}

void Pending::Retry(const PodUid& pod, TimePoint now) {
  Entry& entry = entries_.at(pod);
  Leave(entry);
  constexpr int kMostDoublings = 20;
  const Duration wait = options_.first_backoff * (1 << std::min(entry.failures++, kMostDoublings));
  entry.until = now + std::min(wait, options_.longest_backoff);
  backing_off_.insert({*entry.until, pod});
}

std::vector<Earlier> Pending::Before(const model::Pod& pod, std::size_t most) const {
  const Rank rank = RankOf(pod);
  std::vector<std::pair<Rank, std::size_t>> found;
  std::size_t number = 0;
  for (const auto& [key, group] : classes_) {
    ++number;
    std::size_t taken = 0;
    for (const Rank& member : group.members) {
      if (!(member < rank) || taken++ == most) break;
      found.emplace_back(member, number);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Earlier> earlier;
  for (const auto& [member, group] : found) {
    if (earlier.size() == most) break;
    earlier.push_back({member.ref.uid, group});
  }
  return earlier;
}

std::vector<Sleeper> Pending::Sleepers() const {
  std::vector<Sleeper> sleepers;
  sleepers.reserve(asleep_.size());
  for (const auto& [until, key] : asleep_) {
    const Class& group = classes_.at(key);
    const Rank& first = *group.members.begin();
    sleepers.push_back({.pod = first.ref.uid,
                        .priority = static_cast<std::int32_t>(-first.minus_priority),
                        .since = entries_.at(first.ref.uid).since,
                        .token = group.reason->token});
  }
  std::sort(sleepers.begin(), sleepers.end(), [](const Sleeper& a, const Sleeper& b) {
    return std::tuple(-std::int64_t{a.priority}, a.since, a.pod) <
           std::tuple(-std::int64_t{b.priority}, b.since, b.pod);
  });
  return sleepers;
}

const model::Reason* Pending::ReasonOf(const PodUid& pod) const {
  const auto found = entries_.find(pod);
  if (found == entries_.end() || !found->second.is_in_class()) {
    return nullptr;
  }
  const Class& group = classes_.at(found->second.ask.key);
  return group.reason ? &*group.reason : nullptr;
}

const model::Reason* Pending::RecentReasonOf(const PodUid& pod, TimePoint now) const {
  const Entry& entry = entries_.at(pod);
  if (!entry.is_in_class()) return nullptr;
  const Class& group = classes_.at(entry.ask.key);
  const bool is_recent = group.recent && now - group.recent_at < kReasonLasts;
  return is_recent ? &*group.recent : nullptr;
}

const model::PodRef* Pending::FirstWith(const PodUid& pod) const {
  if (ReasonOf(pod) == nullptr) return nullptr;
  return &classes_.at(entries_.at(pod).ask.key).members.begin()->ref;
}

Wait Pending::WaitOf(const PodUid& pod) const {
  const Entry& entry = entries_.at(pod);
  Wait wait{.since = entry.since, .tries = entry.failures + entry.tries};
  if (!entry.is_in_class()) return wait;
  wait.tries += classes_.at(entry.ask.key).tries - entry.tries_before;
  return wait;
}

PendingCounts Pending::Count() const {
  PendingCounts counts;
  counts.backing_off = backing_off_.size();
  counts.launched = entries_.size() - backing_off_.size();
  for (const auto& [key, group] : classes_) {
    (group.reason ? counts.asleep[group.reason->token] : counts.ready) += group.members.size();
    counts.launched -= group.members.size();
  }
  return counts;
}

}  // namespace gs::pending
