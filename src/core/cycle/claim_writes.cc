#include "core/cycle/claim_writes.h"

#include <algorithm>
#include <compare>
#include <variant>

#include "base/resource_version.h"

namespace gs::cycle {

using model::WriteOutcome;

namespace {

// Apart from the time of a condition that somebody has removed.
bool SaysTheSame(const model::ClaimStatus& a, const model::ClaimStatus& b) {
  return a.allocations == b.allocations && a.message == b.message;
}

}  // namespace

void ClaimWrites::Apply(const model::Event& event, const cache::Cache& cache, TimePoint now) {
  std::visit([&](const auto& each) { On(each, cache, now); }, event);
}

void ClaimWrites::On(const model::PodSeen& seen, const cache::Cache& cache, TimePoint /*now*/) {
  PodChanged(seen.pod.ref.uid, cache);
}

void ClaimWrites::On(const model::PodGone& gone, const cache::Cache& cache, TimePoint /*now*/) {
  PodChanged(gone.pod.uid, cache);
}

void ClaimWrites::On(const model::PodLookedUp& answer, const cache::Cache& cache,
                     TimePoint /*now*/) {
  PodChanged(answer.pod.uid, cache);
}

void ClaimWrites::On(const model::LeaseSeen& seen, const cache::Cache& cache, TimePoint /*now*/) {
  for (const model::LeaseHolder& holder : seen.lease.holders) PodChanged(holder.pod.uid, cache);
}

void ClaimWrites::On(const model::ClaimSeen& seen, const cache::Cache& /*cache*/, TimePoint now) {
  const ClaimKey key(seen.claim.ns, seen.claim.name);
  Entry& entry = entries_[key];
  // A watch may tell the state before our last write after its answer.
  if (std::is_lt(CompareVersions(seen.claim.resource_version, entry.known_at))) return;
  if (entry.is_known_ours && seen.claim.status != entry.known) {
    Delay(entry, BackoffAfter(++entry.overwritten), now);
    entry.is_known_ours = false;
  }
  entry.known = seen.claim.status;
  entry.known_at = seen.claim.resource_version;
  Mark(key);
}

void ClaimWrites::On(const model::ClaimGone& gone, const cache::Cache& /*cache*/,
                     TimePoint /*now*/) {
  const auto entry = entries_.find(ClaimKey(gone.ns, gone.name));
  if (entry == entries_.end()) return;
  if (entry->second.due) due_.erase({*entry->second.due, entry->first});
  entries_.erase(entry);
}

void ClaimWrites::On(const model::ClaimStatusAnswered& answer, const cache::Cache& /*cache*/,
                     TimePoint now) {
  const ClaimKey key(answer.ns, answer.name);
  const auto found = entries_.find(key);
  // Of a claim that is gone, or of its namesake's predecessor.
  if (found == entries_.end() || !found->second.is_under_way) return;
  Entry& entry = found->second;
  entry.is_under_way = false;
  if (answer.outcome == WriteOutcome::kDone) {
    entry.failures = 0;
    // What was seen of it meanwhile may be newer.
    if (!std::is_lt(CompareVersions(answer.resource_version, entry.known_at))) {
      entry.known = entry.sent;
      entry.is_known_ours = true;
      if (!answer.resource_version.empty()) entry.known_at = answer.resource_version;
    }
    return Schedule(key, entry);
  }
  ++entry.failures;
  // It is no longer there, or never will be accepted: until somebody changes something.
  const bool is_hopeless =
      answer.outcome == WriteOutcome::kNotFound || answer.outcome == WriteOutcome::kRefused;
  Delay(entry, is_hopeless ? options_.longest_backoff : BackoffAfter(entry.failures), now);
  Mark(key);
}

void ClaimWrites::PodChanged(const PodUid& pod, const cache::Cache& cache) {
  const auto record = cache.pods().find(pod);
  MoveTo(pod, record == cache.pods().end() ? std::nullopt : ClaimOf(record->second));
}

void ClaimWrites::MoveTo(const PodUid& pod, const std::optional<ClaimKey>& claim) {
  const auto known = claim_of_.find(pod);
  if (known != claim_of_.end() && known->second != claim) {
    const auto old = pods_.find(known->second);
    old->second.erase(pod);
    if (old->second.empty()) pods_.erase(old);
    Mark(known->second);
    claim_of_.erase(known);
  }
  if (!claim) return;
  if (claim_of_.try_emplace(pod, *claim).second) pods_[*claim].insert(pod);
  Mark(*claim);
}

void ClaimWrites::Mark(const ClaimKey& claim) {
  const auto entry = entries_.find(claim);
  if (entry == entries_.end()) return;
  entry->second.is_marked = true;
  Schedule(claim, entry->second);
}

void ClaimWrites::Schedule(const ClaimKey& claim, Entry& entry) {
  const bool is_waiting = entry.is_marked && !entry.is_under_way;
  const auto due = is_waiting ? std::optional(entry.not_before) : std::nullopt;
  if (due == entry.due) return;
  if (entry.due) due_.erase({*entry.due, claim});
  if (due) due_.emplace(*due, claim);
  entry.due = due;
}

void ClaimWrites::Delay(Entry& entry, Duration delay, TimePoint now) {
  entry.not_before = std::max(entry.not_before, now + delay);
}

Duration ClaimWrites::BackoffAfter(int times) const {
  return std::min<Duration>(options_.per_claim * (1 << std::min(times, 10)),
                            options_.longest_backoff);
}

std::optional<model::Command> ClaimWrites::Write(const ClaimKey& claim, Entry& entry,
                                                 const cache::Cache& cache, TimePoint now) {
  model::ClaimStatus wanted =
      ClaimStatusOf(PodsOf(claim.first, claim.second), cache, entry.known, now);
  entry.is_marked = false;
  if (wanted == entry.known) return std::nullopt;
  if (!SaysTheSame(wanted, entry.sent)) entry.overwritten = 0;
  entry.sent = wanted;
  entry.is_under_way = true;
  entry.not_before = now + options_.per_claim;
  return model::WriteClaimStatus{claim.first, claim.second, std::move(wanted)};
}

const std::set<PodUid>& ClaimWrites::PodsOf(const Namespace& ns, const ClaimName& claim) const {
  static const std::set<PodUid> kNobody;
  const auto pods = pods_.find(ClaimKey(ns, claim));
  return pods == pods_.end() ? kNobody : pods->second;
}

std::vector<model::Command> ClaimWrites::Due(const cache::Cache& cache, TimePoint now) {
  std::vector<model::Command> commands;
  while (!due_.empty() && due_.begin()->first <= now && RoomFrom() <= now) {
    const ClaimKey claim = due_.begin()->second;
    Entry& entry = entries_.at(claim);
    auto command = Write(claim, entry, cache, now);
    Schedule(claim, entry);
    if (!command) continue;
    commands.push_back(*std::move(command));
    paid_until_ = std::max(paid_until_, now) + options_.between_writes;
  }
  return commands;
}

std::optional<TimePoint> ClaimWrites::NextWake() const {
  if (due_.empty()) return std::nullopt;
  return std::max(due_.begin()->first, RoomFrom());
}

}  // namespace gs::cycle
