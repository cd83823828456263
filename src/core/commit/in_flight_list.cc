#include "core/commit/in_flight_list.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/resource_version.h"

namespace gs::commit {

using model::InFlightPod;

void InFlightList::Inherit(const InFlightPod& pod) {
  pods_.insert_or_assign(pod.pod.uid, Entry{.pod = pod, .seen_bound = {}});
}

std::uint64_t InFlightList::Add(const InFlightPod& pod) {
  GS_CHECK(has_room());
  newest_ = revision_ + 1;
  pods_.insert_or_assign(pod.pod.uid, Entry{.pod = pod, .seen_bound = {}});
  has_changed_ = true;
  return newest_;
}

void InFlightList::Listed(std::uint64_t revision) {
  if (revision > listed_) listed_ = revision;
}

void InFlightList::SeenBound(const PodUid& pod, const ResourceVersion& version) {
  const auto entry = pods_.find(pod);
  if (version.empty() || entry == pods_.end() || !entry->second.seen_bound.empty()) return;
  entry->second.seen_bound = version;
  TakeOffIfSeen(pod);
}

void InFlightList::Succeeded(const PodUid& pod) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  if (!waits_for_sight_) return Remove(pod);
  entry->second.has_succeeded = true;
  TakeOffIfSeen(pod);
}

void InFlightList::TakeOffIfSeen(const PodUid& pod) {
  const Entry& entry = pods_.at(pod);
  if (entry.has_succeeded && !entry.seen_bound.empty()) Remove(pod);
}

void InFlightList::Remove(const PodUid& pod) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  Settle(entry->second.seen_bound);
  pods_.erase(entry);
  has_changed_ = true;
}

void InFlightList::Settle(const ResourceVersion& version) {
  if (waits_for_sight_) settled_ = LaterVersion(settled_, version);
}

void InFlightList::Drop(const InFlightPod& entry) {
  if (IsDropped(entry)) return;
  dropped_.push_back(entry);
  has_changed_ = true;
}

bool InFlightList::IsDropped(const InFlightPod& entry) const {
  return std::find(dropped_.begin(), dropped_.end(), entry) != dropped_.end();
}

void InFlightList::KeepDropped(const std::vector<InFlightPod>& silent) {
  std::erase_if(dropped_, [&](const InFlightPod& entry) {
    return std::find(silent.begin(), silent.end(), entry) == silent.end();
  });
}

std::uint64_t InFlightList::SettleFence() {
  is_settling_ = has_changed_ = true;
  return revision_ + 1;
}

std::optional<model::ListInFlight> InFlightList::TakeChange(const ResourceVersion& view) {
  const bool is_waiting = listed_ < newest_;
  if (is_waiting && view != view_) has_changed_ = true;
  if (!std::exchange(has_changed_, false)) return std::nullopt;
  view_ = view;
  model::ListInFlight list{.revision = ++revision_,
                           .view = view,
                           .settled = settled_,
                           .dropped = dropped_,
                           .is_settling = is_settling_};
  for (const auto& [uid, entry] : pods_) list.in_flight.push_back(entry.pod);
  return list;
}

}  // namespace gs::commit
