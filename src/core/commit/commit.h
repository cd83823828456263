// Commit: carries out what was decided so that one GPU is never given to two pods, whatever is
// killed, paused, delayed or deleted. Pure: events in, commands and reports out, time as an
// argument.
//
// THE INVARIANT. An allocation exists exactly while a bound, live pod carries it; a Binding, and
// nothing else, makes one. At every moment, for every GPU, at most one Binding that would give it
// away exclusively is able to succeed, and none while a bound, live pod has it.
//
// Why it holds. Say a Binding is *able to succeed* from when it is sent until the pod has another
// resourceVersion than the one in it, or is bound, or is gone.
//
//  1. One leader alone. It plans a GPU only if, in its view, no bound pod has it and no flight of
//     its own wants it; Start() looks again. A flight ends only when its Binding has succeeded,
//     which Observed then counts as bound without waiting for the view, or is no longer able to:
//       RVPRE   the Binding carries the version that was noted when it was decided, never a newer
//               one. So any later change to the pod disables it for ever, also in a request that
//               is still on its way.
//       TOUCH   a Binding without a plain answer is not looked up, because it may arrive after the
//               look. The pod is changed instead, with a message that was never there. The answer
//               shows whether the Binding came first; if it did not, RVPRE has disabled it.
//  2. A new leader, however long the old one sleeps and however late its requests arrive:
//       LISTED  nothing is written for a pod with GPUs before the election Lease names it. The
//               write that names it holds only for the Lease's version before, so it fails once
//               somebody has taken over, which is a write to the same object. So each Binding of a
//               predecessor belongs to a pod that was named when we took over, or was resolved
//               before; a pod is taken off the list only when its flight has ended.
//       TOUCHALL  if the list cannot be read, because somebody deleted the election Lease, every
//               unbound pod of our scheduler counts as named.
//               The named pods are touched before anything is decided: by RVPRE no Binding of a
//               predecessor is able to succeed afterwards. A crash in between is no harm: the list
//               is not written until all of it is resolved (LISTKEPT). A view that is incomplete at
//               the takeover may still bring pods that were there, and these count too (TOUCHLATE).
//       FRESH   what the predecessors did bind is seen: nothing is decided until the view has come
//               to the version of the last touch (TOUCHSEEN), and of a moment after the takeover.
//     From then on 1 holds for the new leader, and the old one can add nothing.
//  3. Two schedulers with different names share GPUs by locks alone:
//       LEASERULE  the Lease of a GPU is taken before the Binding is sent, and is removed only when
//               the pod is neither bound with this GPU nor in flight, by facts that cannot change
//               back, and only in the version that was looked at. Nobody removes another
//               scheduler's Lease unless its pod is gone or has ended.
//     Among the processes of one scheduler the Leases are not needed for the invariant, so a user
//     may delete them at any time. With two schedulers, one that is deleted in mid-commit is a
//     risk: by hand, or by a leader that was paused on its way to the API server and has lost.
//
// Each of these names is a switch in Rules or a rule in LeaseRule; the simulation beside this file
// finds a double allocation with any one of the switches off.
//
// The caller, once per batch of events:
//
//   for (event : events) cache.Apply(event), commit.Apply(event, now);
//   if (commit.is_ready())
//     for (plan : decisions) cache.Assume(plan), commit.Start(plan, now);
//   output = commit.Tick(now);
//   send(output.commands);             // each is answered by one event, in any order, ever so late
//   for (report : output.reports)
//     Finished and bound:              the assumption stays until the pod is seen bound, or gone
//     Finished and not bound:          cache.Forget(plan); decide again, with the version in view
//     DoubleAllocation:                an event on the pods, and a metric
//   sleep until commit.NextWake() or the next event
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/fence_messages.h"
#include "core/commit/flight.h"
#include "core/commit/in_flight_list.h"
#include "core/commit/lease_rule.h"
#include "core/commit/observed.h"
#include "core/commit/plan.h"
#include "core/commit/report.h"
#include "core/commit/rules.h"
#include "core/commit/takeover.h"
#include "core/commit/turn.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::commit {

struct Settings {
  SchedulerName scheduler;
  std::string leader;  // names this process and no other, not even the one that ran here before
  Rules rules = {};    // for tests
};

struct Output {
  std::vector<model::Command> commands;  // to be sent in this order
  std::vector<Report> reports;
};

class Commit {
 public:
  explicit Commit(Settings settings);

  // Requires: is_ready(), and the pod is not in flight.
  void Start(Plan plan, TimePoint now);
  // Every event about pods, Leases, leadership and answers, in order; others do nothing.
  void Apply(const model::Event& event, TimePoint now);
  // After all events of a batch, and when NextWake has come.
  [[nodiscard]] Output Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // The pods that are gone and whose GPUs are not free yet, all of them.
  void SetReleasing(std::set<PodUid> pods);

  // Leading, and sure that no predecessor can do anything any more.
  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] bool IsInFlight(const PodUid& pod) const { return flights_.contains(pod); }
  [[nodiscard]] const Observed& observed() const { return observed_; }

 private:
  // One handler per event; whatever else there is falls through to the last.
  void On(const model::LeadershipWon& won, Turn& turn);
  void On(const model::LeadershipLost& lost, Turn& turn);
  void On(const model::InFlightListed& listed, Turn& turn);
  void On(const model::LeaseAnswered& answer, Turn& turn);
  void On(const model::BindAnswered& answer, Turn& turn);
  void On(const model::TouchAnswered& answer, Turn& turn);
  void On(const model::RevisionAnswered& answer, Turn& turn);
  void On(const model::PodLookedUp& answer, Turn& turn);
  void On(const model::ViewReached& reached, Turn& turn);
  void On(const model::PodSeen& seen, Turn& turn);
  void On(const model::PodGone& gone, Turn& turn);
  void On(const model::LeaseSeen& seen, Turn& turn);
  void On(const model::LeaseGone& gone, Turn& turn);
  template <class Other>
  void On(const Other&, Turn&) {}
  template <class Answer>
  void FlightAnswered(const Answer& answer, Turn& turn);

  [[nodiscard]] Turn TurnAt(TimePoint now);
  [[nodiscard]] Flight* FindFlight(const PodUid& pod);
  // After whatever may have given the flight something to wait for.
  void Follow(const Flight& flight) { flight_wake_ = Earlier(flight_wake_, flight.NextWake()); }
  void TickFlights(Turn& turn);
  // The flights that plan to take the lock, in the order of their pods.
  [[nodiscard]] const std::set<PodUid>& PlannersOf(const LeaseName& lock) const;
  [[nodiscard]] std::string WhyTaken(const Plan& plan) const;
  [[nodiscard]] InFlightLock InFlightOf(const LeaseName& lock) const;
  void LeaseChanged(const LeaseName& lock, Turn& turn);
  void PodIsGone(const PodUid& pod, Turn& turn);
  void MarkAllOfHolders(const LeaseName& lock);
  void Mark(const Observed::Affected& locks);
  void EndIfOver(const PodUid& pod, TimePoint now);
  void End(const Flight& flight, TimePoint now);
  void Board(Turn& turn);

  const Settings settings_;
  FenceMessages messages_;
  Observed observed_;
  std::optional<Takeover> takeover_;  // since we lead
  bool is_lost_ = false;

  std::map<PodUid, Flight> flights_;
  std::unordered_map<LeaseName, std::set<PodUid>> planners_;  // flights by the locks of their plans
  std::optional<TimePoint> flight_wake_;                      // no flight has to be woken before
  std::deque<PodUid> queue_;  // flights without a place on the list yet, in order
  InFlightList list_;
  LeaseRule lease_rule_;

  Output output_;
};

}  // namespace gs::commit
