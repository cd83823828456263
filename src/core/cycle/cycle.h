// Cycle: the scheduler's heart. Events in, commands out; no socket, no clock, no thread. The same
// events at the same times give the same commands, byte for byte.
//
//   events → cache → pending → decide → assume → volumes → commit → commands
//
// A follower runs it too, so that its view is warm when it takes over; it commands nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/commit/commit.h"
#include "core/cycle/claim_writes.h"
#include "core/cycle/conditions.h"
#include "core/cycle/demand.h"
#include "core/cycle/fairness.h"
#include "core/cycle/run_notes.h"
#include "core/cycle/stays.h"
#include "core/cycle/volume_steps.h"
#include "core/cycle/wake_rules.h"
#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/decide/devices/table.h"
#include "core/decide/devices/table_wishes.h"
#include "core/decide/node_gpu_state.h"
#include "core/decide/node_order.h"
#include "core/decide/rejections.h"
#include "core/explain/scene.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/pending/pending.h"

namespace gs::cycle {

struct CycleOptions {
  SchedulerName scheduler;
  std::string leader;  // names this process and no other, not even the one that ran here before
  decide::AskOptions ask = {};
  pending::PendingOptions pending = {};
  Duration release_timeout = std::chrono::minutes(2);
  // How long a pod waits before a node is reserved for it; 0: for ever.
  Duration reserve_after = std::chrono::minutes(5);
  commit::Rules rules = {};  // for tests
  WakeRules wakes = {};      // likewise
};

class Cycle {
 public:
  explicit Cycle(CycleOptions options);

  [[nodiscard]] std::vector<model::Command> RunOnce(std::span<const model::Event> events,
                                                    TimePoint now);
  // When to run again although nothing has happened.
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // Tables to be built elsewhere, each told once; with them decisions are faster and the same.
  [[nodiscard]] std::vector<devices::TableWish> TakeTableWishes() { return wishes_.Take(); }
  void AddTable(const devices::TableWish& wish, devices::Table table) {
    tables_.Add(*wish.topology, wish.key, std::move(table));
  }

  // Takes no new pods from now on, and is drained once nothing is in flight.
  void Drain() { is_draining_ = true; }
  [[nodiscard]] bool is_drained() const {
    return is_draining_ && in_flight_.empty() && commit_.is_idle();
  }

  [[nodiscard]] bool is_synced() const { return cache_.is_synced(); }
  [[nodiscard]] bool is_deciding() const { return cache_.is_synced() && commit_.is_ready(); }
  // What keeps this process from being of use, as leader or follower; empty: nothing does.
  [[nodiscard]] std::string WhyNotReady() const;
  [[nodiscard]] const cache::Cache& cache() const { return cache_; }
  [[nodiscard]] const pending::Pending& pending() const { return pending_; }
  [[nodiscard]] const SchedulerName& scheduler() const { return options_.scheduler; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }
  // What is kept for pods that wait.
  [[nodiscard]] const decide::Keep& keep() const { return fairness_.keep(); }
  // Who was waited for in vain.
  [[nodiscard]] const Stays& stays() const { return fairness_.stays(); }
  // Calls `read` with all that a decision rests on (an explain::Scene); nothing it tries there
  // changes anything here.
  template <class Read>
  [[nodiscard]] auto Look(Read read) const {
    decide::TopologyMemo topologies = topologies_;
    decide::ChoiceMemo choices;
    devices::TableWishes wishes;
    const decide::PlaceContext context = ContextWith(topologies, choices, wishes);
    return read(Around(context));
  }
  // Of the last run.
  [[nodiscard]] const RunNotes& notes() const { return notes_; }

 private:
  using Commands = std::vector<model::Command>;

  void TakeIn(std::span<const model::Event> events, TimePoint now, Commands& commands);
  void ActOn(const std::vector<cache::Change>& changes, TimePoint now, Commands& commands);
  void PodChanged(const PodUid& pod, TimePoint now);
  // Puts it among those who wait, apart from those who ask for the same but have other chances.
  void PutPending(const model::Pod& pod, TimePoint now);
  void Reserve(TimePoint now);
  // A node is no longer kept for somebody who waited.
  void ReservationOver();
  void NoteRejection(const cache::Change& change, TimePoint now);
  // Pods have come or gone of which others say that they must be near, away or spread.
  void NotePodNews(TimePoint now);
  void DecideAll(TimePoint now, Commands& commands);
  void Say(const PodUid& pod, const model::Reason& reason, TimePoint now, Commands& commands);
  void SayUnsaid(TimePoint now, Commands& commands);
  // The reason with what would help the pod.
  [[nodiscard]] model::Reason Explained(const model::Pod& pod, const model::Reason& reason);
  // So many pods are on their way that the writes for them are the bottleneck: to decide more would
  // only let the decisions grow old.
  [[nodiscard]] bool is_busy() const;
  // Nothing if it is on its way; else why not.
  [[nodiscard]] std::optional<model::Reason> TryToPlace(const model::Pod& pod, TimePoint now);
  void Launch(const model::Pod& pod, const decide::Placement& placement, TimePoint now);
  // Before it is launched the pod must have its volumes.
  void AwaitVolumes(const model::Pod& pod, const decide::Placement& placement, TimePoint now);
  void FollowVolumes(TimePoint now, Commands& commands);
  void VolumesBound(const PodUid& pod, TimePoint now, Commands& commands);
  void VolumesFailed(const VolumeSteps::Failure& failure, TimePoint now, Commands& commands);
  void Collect(TimePoint now, Commands& commands);
  void Report(const commit::Finished& finished, TimePoint now, Commands& commands);
  void Report(const commit::Resumed& resumed, TimePoint now, Commands& commands);
  void Report(const commit::NotTouched& untouched, TimePoint now, Commands& commands);
  void Report(const commit::DoubleAllocation& doubled, TimePoint now, Commands& commands);
  void WriteClaims(TimePoint now, Commands& commands);
  // After an event about pods: what they hold or ask for may be something else.
  void NoteDemand(const model::Event& event);
  void NoteDemandOf(const PodUid& pod);
  [[nodiscard]] decide::PlaceContext ContextWith(decide::TopologyMemo& topologies,
                                                 decide::ChoiceMemo& choices,
                                                 devices::TableWishes& wishes) const;
  [[nodiscard]] decide::PlaceContext Context() {
    return ContextWith(topologies_, choices_, wishes_);
  }
  [[nodiscard]] explain::Scene Around(const decide::PlaceContext& context) const {
    return {.cache = cache_, .pending = pending_, .context = context, .ask = options_.ask};
  }
  // How many GPUs the pod holds, or else asks for.
  [[nodiscard]] std::int64_t SizeOf(const cache::PodRecord& record) const;
  [[nodiscard]] AttemptId NextAttempt();

  const CycleOptions options_;
  cache::Cache cache_;
  pending::Pending pending_;
  commit::Commit commit_;
  Conditions conditions_;
  ClaimWrites claim_writes_;
  VolumeSteps volume_steps_;

  decide::Rejections rejections_;
  Fairness fairness_;
  decide::TopologyMemo topologies_;
  decide::ChoiceMemo choices_;
  decide::NodeOrder order_;
  devices::TableCache tables_;
  devices::TableWishes wishes_;
  Demand demand_;

  std::string standing_;  // why the fence lets us neither lead nor follow; empty: it does
  RunNotes notes_;
  std::map<PodUid, Launched> in_flight_;
  std::set<PodUid> releasing_;
  int explained_ = 0;           // in this run
  std::vector<PodUid> unsaid_;  // who wait to be told why they wait
  std::uint64_t attempts_ = 0;
  bool is_draining_ = false;
};

}  // namespace gs::cycle
