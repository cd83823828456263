#include "tests/scenarios/cluster/fence.h"

#include <algorithm>

#include "base/resource_version.h"

namespace gs::scenarios {

using model::InFlightPod;

namespace {

void Raise(ResourceVersion& settled, const ResourceVersion& version) {
  if (!version.empty() && !IsAtLeast(settled, version)) settled = version;
}

bool Has(const std::vector<InFlightPod>& list, const InFlightPod& pod) {
  return std::find(list.begin(), list.end(), pod) != list.end();
}

}  // namespace

model::LeadershipWon Fence::TakeOver(const std::string& leader) {
  leader_ = leader;
  revision_ = 0;
  return {.transitions = ++transitions_,
          .is_list_known = !is_unsettled_,
          .unresolved = unresolved_,
          .inherited = ours_,
          .settled = settled_};
}

std::optional<model::Event> Fence::List(const model::ListInFlight& list,
                                        const std::string& sender) {
  // Whoever has lost the record writes over a version that is no longer there.
  if (sender != leader_) return std::nullopt;
  // Of several lists the newest is written.
  if (list.revision < revision_) return std::nullopt;
  revision_ = list.revision;
  if (list.is_settling) {
    is_unsettled_ = false;
    unresolved_.clear();
  }
  Raise(settled_, list.settled);
  const bool is_fresh = others_.settled.empty() || IsAtLeast(list.view, others_.settled);
  model::InFlightListed listed{.revision = list.revision};
  bool is_held_back = false;
  std::vector<InFlightPod> stored;
  for (const InFlightPod& pod : list.in_flight) {
    if (Has(ours_, pod)) {
      stored.push_back(pod);
    } else if (is_unsettled_ || (!ignores_others_ && ClashesWithOthers(pod))) {
      listed.refused.push_back(pod.pod.uid);
    } else if (is_fresh) {
      stored.push_back(pod);
    } else {
      is_held_back = true;
    }
  }
  ours_ = std::move(stored);
  Drop(list.dropped);
  if (is_held_back) return std::nullopt;
  return listed;
}

void Fence::Drop(const std::vector<InFlightPod>& dropped) {
  std::erase_if(others_.others, [&dropped](const model::FenceSeen::Other& other) {
    return other.is_silent && Has(dropped, other.in_flight);
  });
}

void Fence::Delete() {
  leader_.clear();
  transitions_ = 0;
  ours_.clear();
  settled_ = {};
  others_ = {};
  is_unsettled_ = true;
}

void Fence::LeaveUnresolved(std::vector<model::PodRef> pods) {
  unresolved_ = std::move(pods);
  ours_.clear();
  settled_ = {};
}

bool Fence::ClashesWithOthers(const InFlightPod& pod) const {
  return std::any_of(
      others_.others.begin(), others_.others.end(),
      [&pod](const model::FenceSeen::Other& other) { return Clash(pod, other.in_flight); });
}

bool Fence::ListForOther(const InFlightPod& pod, const SchedulerName& scheduler) {
  const bool clashes = std::any_of(ours_.begin(), ours_.end(),
                                   [&pod](const InFlightPod& ours) { return Clash(pod, ours); });
  if (is_unsettled_ || clashes) return false;
  others_.others.push_back({.in_flight = pod, .scheduler = scheduler});
  return true;
}

void Fence::TakeOffOther(const PodUid& pod, const ResourceVersion& bound_at) {
  const auto taken = std::erase_if(others_.others, [&pod](const model::FenceSeen::Other& other) {
    return other.in_flight.pod.uid == pod;
  });
  if (taken > 0) Raise(others_.settled, bound_at);
}

void Fence::SetSilent(bool is_silent) {
  for (auto& other : others_.others) other.is_silent = is_silent;
}

}  // namespace gs::scenarios
