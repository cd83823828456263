#include "core/cycle/fairness.h"

#include <utility>
#include <variant>

#include "core/decide/named_node.h"
#include "core/decide/reserve.h"
#include "core/decide/without_pods.h"
#include "core/model/names.h"

namespace gs::cycle {
namespace {

using model::ReasonToken;

// What somebody else's end can mend.
bool PassesWithTime(ReasonToken token) {
  switch (token) {
    case ReasonToken::kTopologyUnmet:
    case ReasonToken::kHandoverConflict:
    case ReasonToken::kTooFewResources:
    case ReasonToken::kTooFewGpus:
    case ReasonToken::kGpuHeld:
    case ReasonToken::kGpuReserved:
    case ReasonToken::kGpuReleasing: return true;
    default: return false;
  }
}

// A pod for which no node will do costs a walk over all of them.
constexpr int kMostSearches = 8;

}  // namespace

std::optional<PodUid> Fairness::Tick(const explain::Scene& around, TimePoint now) {
  if (keep_.reservation()) {
    if (StillHelps(around, now) && !IsInVain(around, now)) return std::nullopt;
    const PodUid pod = keep_.reservation()->pod.uid;
    EndReservation();
    return pod;
  }
  if (!look_at_ || *look_at_ > now) return std::nullopt;
  auto found = Find(around, now);
  if (!found) return std::nullopt;
  const PodUid pod = found->pod.uid;
  keep_.Reserve(*std::move(found));
  Await(around, now);
  return pod;
}

// From now on, for one of those who are there now.
void Fairness::Await(const explain::Scene& around, TimePoint now) {
  const cache::NodeView& view = *around.cache.FindNode(keep_.reservation()->node);
  const std::set<PodUid> staying = stays_.At(now);
  awaited_.clear();
  for (model::PodRef& holder : decide::GpuPodsOn(view, around.cache)) {
    if (!staying.contains(holder.uid)) awaited_.insert(std::move(holder));
  }
  keep_.KeepUntil(now + stays_.KeepFor(awaited_));
}

bool Fairness::IsInVain(const explain::Scene& around, TimePoint now) {
  const cache::NodeView& view = *around.cache.FindNode(keep_.reservation()->node);
  const auto holders = decide::GpuPodsOn(view, around.cache);
  const std::set<model::PodRef> there(holders.begin(), holders.end());
  const bool has_one_ended =
      std::erase_if(awaited_, [&there](const auto& pod) { return !there.contains(pod); }) > 0;
  if (awaited_.empty()) {
    Await(around, now);  // those who came since, with a better right
  } else if (has_one_ended) {
    keep_.KeepUntil(now + stays_.KeepFor(awaited_));
  }
  if (awaited_.empty() || now < keep_.reservation()->until) return false;
  stays_.Note(awaited_, now);
  return true;
}

std::optional<decide::Reservation> Fairness::Find(const explain::Scene& around, TimePoint now) {
  look_at_.reset();
  stays_.Tidy(around.cache);
  const std::set<PodUid> staying = stays_.At(now);
  int searches = 0;
  for (const pending::Sleeper& sleeper : around.pending.Sleepers()) {
    const TimePoint due = sleeper.since + patience_;
    if (due > now) {
      LookAt(due);
      continue;
    }
    if (!PassesWithTime(sleeper.token) || searches == kMostSearches) continue;
    const model::Pod& pod = *around.cache.FindPod(sleeper.pod);
    const auto ask = decide::AskOf(pod, around.cache, around.ask);
    const auto* known = std::get_if<decide::Ask>(&ask);
    if (known == nullptr || decide::SizeOf(*known) == 0) continue;
    ++searches;
    auto reservation = decide::FindReservation(pod, *known, around.cache, around.context, staying);
    if (!reservation) continue;
    reservation->since = now;
    return reservation;
  }
  if (const auto next = stays_.NextEnd(now)) LookAt(*next);
  return std::nullopt;
}

bool Fairness::StillHelps(const explain::Scene& around, TimePoint now) const {
  const decide::Reservation& reservation = *keep_.reservation();
  const model::Pod* pod = around.cache.FindPod(reservation.pod.uid);
  const cache::NodeView* view = around.cache.FindNode(reservation.node);
  if (pod == nullptr || view == nullptr || !around.pending.Has(reservation.pod.uid)) return false;
  if (pod->priority != reservation.priority) return false;
  const auto ask = decide::AskOf(*pod, around.cache, around.ask);
  const auto* known = std::get_if<decide::Ask>(&ask);
  if (known == nullptr) return false;
  const auto* named = std::get_if<decide::NamedGpus>(&known->gpus);
  if ((named == nullptr ? std::vector<GpuId>() : named->ids) != reservation.ids) return false;
  return decide::FitsOnceFreed(*view, *pod, *known, around.cache, around.context, stays_.At(now));
}

void Fairness::Sleeps(const model::Pod& pod, const model::Reason& reason,
                      const explain::Scene& around) {
  if (patience_ != Duration::zero()) {
    LookAt(around.pending.WaitOf(pod.ref.uid).since + patience_);
  }
  keep_.StopSparing(pod.ref.uid);
  const bool names_gpus = model::FindAnnotation(pod, model::names::kMap) != nullptr;
  if (!names_gpus || !PassesWithTime(reason.token)) return;
  const auto ask = decide::AskOf(pod, around.cache, around.ask);
  const auto* named = std::get_if<decide::NamedGpus>(&std::get<decide::Ask>(ask).gpus);
  if (named == nullptr) return;
  const auto node = decide::NamedNode(named->node, around.cache);
  const auto* name = std::get_if<NodeName>(&node);
  if (name == nullptr) return;
  // Only for somebody who would have a place.
  if (decide::FitsOnceFreed(*around.cache.FindNode(*name), pod, std::get<decide::Ask>(ask),
                            around.cache, around.context)) {
    keep_.Spare(pod, *name, named->ids);
  }
}

bool Fairness::Leaves(const PodUid& pod) {
  keep_.StopSparing(pod);
  if (!keep_.IsReservedFor(pod)) return false;
  EndReservation();
  return true;
}

// Somebody else may have waited too long in the meantime.
void Fairness::EndReservation() {
  keep_.EndReservation();
  look_at_ = TimePoint{};
}

void Fairness::LookAt(TimePoint due) {
  if (!look_at_ || due < *look_at_) look_at_ = due;
}

}  // namespace gs::cycle
