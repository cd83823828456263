// Commit: carries out what was decided so that one GPU is never given to two pods, whatever is
// killed, paused, delayed or deleted. Pure: events in, commands and reports out, time as an
// argument.
//
// THE INVARIANT. An allocation exists exactly while a bound, live pod carries it; a Binding, and
// nothing else, makes one. At every moment, for every GPU, at most one Binding that would give it
// away exclusively is able to succeed, and none while a bound, live pod has it.
//
// Why it holds; docs/commit.md has the whole argument, tests/model the model that was explored. Say
// a Binding is *able to succeed* from when it is sent until the pod has another resourceVersion
// than the one in it, or is bound, or is gone. There is one fence for the cluster, a Lease in which
// each release says which pods it is committing, with which GPUs; every write to it holds only for
// the version that was read (CAS).
//
//  1. One leader alone. It plans a GPU only if, in its view, no bound pod has it and no flight of
//     its own wants it; Start() looks again. A flight ends only when its Binding has succeeded or
//     is no longer able to:
//       RVPRE    the Binding carries the version that was noted when it was decided, never a newer
//                one. So any later change to the pod disables it for ever, also on its way.
//       TOUCH    a Binding without a plain answer is not looked up, because it may arrive after the
//                look. The pod is changed instead; the answer shows whether the Binding came first.
//  2. A new leader, however long the old one sleeps:
//       LISTED   no Binding for GPUs is sent before the fence names pod and GPUs. So what a
//                predecessor has sent and is able to succeed is named when we take over.
//       RESUME   these stay named, and have their GPUs, until their pods are touched.
//  3. What was bound and is no longer named is seen, by whomever it was bound:
//       SETTLED  an entry is taken off only once its pod was seen bound, and the version of that
//                sight stays in the fence; or once it can never be bound.
//       FRESH    nothing is decided by a new leader, and nothing is put on the list, unless its
//                view has come to all these versions; what came into it since is looked at again.
//  4. What others are binding: nothing is put on the list that clashes with what another release
//     names in the version that is replaced (SEEOTHERS, in adapters/kube/fence).
//  5. A fence that was deleted is made anew as unsettled, and nothing is listed until every unbound
//     pod of any scheduler but Kubernetes' own was touched (TOUCHALL, TOUCHLATE). What a release
//     that has died lists is touched before it is taken off (DEADTOUCH).
//
// Each of these names is a switch in Rules or in the fence's; the simulation beside this file finds
// a double allocation with any one of the switches off. GPU Leases are a view (LeaseWrites).
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
//     Resumed:                         cache.Assume(it), although nobody here has decided it
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
#include "core/commit/lease_writes.h"
#include "core/commit/observed.h"
#include "core/commit/plan.h"
#include "core/commit/pod_touch.h"
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

  // Leading, and sure that no predecessor can do anything that is not known.
  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] bool is_leading() const { return takeover_.has_value() && !is_lost_; }
  // What a leader that is not ready waits for, for people; empty: it is, or does not lead.
  [[nodiscard]] std::string WhyNotReady() const;
  [[nodiscard]] bool IsInFlight(const PodUid& pod) const { return flights_.contains(pod); }
  // Nothing is in flight, and nothing has to be listed.
  [[nodiscard]] bool is_idle() const { return flights_.empty() && list_.is_empty(); }
  [[nodiscard]] const Observed& observed() const { return observed_; }

 private:
  // One handler per event; whatever else there is falls through to the last.
  void On(const model::LeadershipWon& won, Turn& turn);
  void On(const model::LeadershipLost& lost, Turn& turn);
  void On(const model::InFlightListed& listed, Turn& turn);
  void On(const model::FenceSeen& seen, Turn& turn);
  void On(const model::LeaseAnswered& answer, Turn& turn);
  void On(const model::BindAnswered& answer, Turn& turn);
  void On(const model::TouchAnswered& answer, Turn& turn);
  void On(const model::RevisionAnswered& answer, Turn& turn);
  void On(const model::PodLookedUp& answer, Turn& turn);
  void On(const model::ViewReached& reached, Turn& turn);
  void On(const model::PodSeen& seen, Turn& turn);
  void LoseUnseen(Turn& turn);
  [[nodiscard]] const model::PodRef* NamesakeOf(const model::PodRef& pod) const;
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
  // The flights that plan to take the GPU of this Lease, in the order of their pods.
  [[nodiscard]] const std::set<PodUid>& PlannersOf(const LeaseName& gpu) const;
  [[nodiscard]] std::string WhyTaken(const Plan& plan) const;
  Flight& AddFlight(Plan plan);
  void Resume(const model::InFlightPod& inherited, Turn& turn);
  // Somebody else has bound this pod: what is not sent yet and clashes with it is given up.
  void GiveUpClashing(const model::Pod& bound, Turn& turn);
  void PodIsGone(const PodUid& pod, Turn& turn);
  // Touches what silent releases list.
  void FollowSilent(Turn& turn);
  void OrphanIsResolved(const PodUid& pod);
  void TickOrphans(Turn& turn);
  void Mark(const Observed::Affected& leases);
  void EndIfOver(const PodUid& pod);
  void End(const Flight& flight);
  void SettleIfTakenOver(Turn& turn);
  void Board(Turn& turn);
  // Not before it is known which are there.
  [[nodiscard]] bool MayWriteLeases() const;
  void SendList(Turn& turn);

  // What a silent release lists, being touched. Another entry for the same pod is another orphan.
  struct Orphan {
    model::InFlightPod entry;
    AttemptId attempt;
    PodTouch touch;
  };

  const Settings settings_;
  FenceMessages messages_;
  Observed observed_;
  std::optional<Takeover> takeover_;  // since we lead
  bool is_lost_ = false;

  // Takeover is done, and the fence says so if it has to.
  bool is_settled_ = false;
  std::optional<std::uint64_t> settling_;  // the revision that says so

  std::map<PodUid, Flight> flights_;
  std::unordered_map<LeaseName, std::set<PodUid>> planners_;  // flights by the GPUs of their plans
  std::optional<TimePoint> flight_wake_;                      // no flight has to be woken before
  std::deque<PodUid> queue_;  // flights without a place on the list yet, in order
  InFlightList list_;
  model::FenceSeen others_;                   // as last seen
  std::map<PodUid, Orphan> orphans_;          // by pod
  std::map<PodUid, ResourceVersion> unseen_;  // found bound at this version, and not in view so far
  LeaseWrites lease_writes_;

  Output output_;
};

}  // namespace gs::commit
