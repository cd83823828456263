#include "programs/scheduler/observe/scheduler_metrics.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "core/cycle/event_reasons.h"
#include "core/explain/gpu_report.h"
#include "core/model/reason.h"

namespace gs::scheduler {
namespace {

using metrics::Exponential;
using model::Kind;
using model::WriteOutcome;

constexpr std::array kOutcomes{WriteOutcome::kDone,     WriteOutcome::kAlreadyExists,
                               WriteOutcome::kConflict, WriteOutcome::kNotFound,
                               WriteOutcome::kRefused,  WriteOutcome::kNotExecuted,
                               WriteOutcome::kUnknown};

double Seconds(Duration duration) {
  return std::chrono::duration<double>(std::max(duration, Duration(0))).count();
}

// kube-scheduler's way to keep the label's values few.
std::string AttemptsLabel(int attempts) {
  constexpr int kMost = 15;
  return attempts >= kMost ? "15+" : std::to_string(attempts);
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(std::string_view version, const SchedulerName& scheduler)
    : profile_(scheduler.text()),
      attempts_(registry_.AddCounters({"scheduler_schedule_attempts_total",
                                       "Attempts to schedule pods, by the result.",
                                       {"result", "profile"}})),
      attempt_seconds_(
          registry_.AddHistograms({"scheduler_scheduling_attempt_duration_seconds",
                                   "From the decision to its result, binding included.",
                                   {"result", "profile"}},
                                  Exponential(0.001, 2, 15))),
      algorithm_seconds_(
          registry_.AddHistograms({"scheduler_scheduling_algorithm_duration_seconds",
                                   "Time of one decision: that of a run by the pods tried in it."},
                                  Exponential(0.001, 2, 15))),
      sli_seconds_(registry_.AddHistograms(
          {"scheduler_pod_scheduling_sli_duration_seconds",
           "From when a pod was first seen to wait until it was bound, by the attempts it took.",
           {"attempts"}},
          Exponential(0.01, 2, 20))),
      tries_(registry_.AddHistograms(
          {"scheduler_pod_scheduling_attempts", "Attempts until a pod was bound."},
          Exponential(1, 2, 5))),
      pending_(registry_.AddGauges(
          {"scheduler_pending_pods", "Pods that wait, by the queue they are in.", {"queue"}})),
      cache_size_(registry_.AddGauges(
          {"scheduler_cache_size", "Nodes and pods in view, and pods in flight.", {"type"}})),
      waiting_(registry_.AddGauges({"gpu_scheduler_waiting_pods",
                                    "Pods that were tried and have no place, by the reason.",
                                    {"reason"}})),
      gpus_(registry_.AddGauges({"gpu_scheduler_gpus", "GPUs by their state.", {"state"}})),
      node_gpus_(registry_.AddGauges(
          {"gpu_scheduler_node_gpus", "GPUs of each node by their state.", {"node", "state"}})),
      placeable_(registry_.AddGauges(
          {"gpu_scheduler_placeable_sets",
           "Sets of GPUs that could be given out now, by size and where they may lie.",
           {"size", "topology"}})),
      writes_(registry_.AddCounters({"gpu_scheduler_writes_total",
                                     "Writes to the API server, by what and how they ended.",
                                     {"kind", "outcome"}})),
      write_seconds_(registry_.AddHistograms(
          {"gpu_scheduler_write_duration_seconds", "Time until a write was answered.", {"kind"}},
          Exponential(0.001, 2, 14))),
      failed_commits_(
          registry_.AddCounters({"gpu_scheduler_failed_commits_total",
                                 "Attempts that did not bind their pod, by where they ended.",
                                 {"step", "outcome"}})),
      in_flight_(registry_.AddGauges(
          {"gpu_scheduler_commits_in_flight", "Pods that have a place and are being bound."})),
      lists_(registry_.AddCounters(
          {"gpu_scheduler_lists_total", "Complete lists that were begun, by kind.", {"kind"}})),
      watches_(registry_.AddCounters(
          {"gpu_scheduler_watches_total", "Watches that were begun, by kind.", {"kind"}})),
      watch_problems_(registry_.AddCounters({"gpu_scheduler_watch_problems_total",
                                             "Lists and watches that failed, by kind.",
                                             {"kind"}})),
      leader_(registry_.AddGauges({"gpu_scheduler_leader", "1 while this process decides."})),
      transitions_(registry_.AddGauges({"gpu_scheduler_leader_transitions",
                                        "Changes of the leader when this process won, or 0."})),
      synced_(registry_.AddGauges({"gpu_scheduler_synced", "1 once every view is complete."})),
      warnings_(registry_.AddCounters({"gpu_scheduler_pod_warnings_total",
                                       "Warnings about pods of what should not be, by the reason.",
                                       {"reason"}})),
      events_(registry_.AddCounters({"gpu_scheduler_pod_events_total",
                                     "Kubernetes events about pods, by what became of them.",
                                     {"outcome"}})),
      cycle_seconds_(registry_.AddHistograms(
          {"gpu_scheduler_cycle_duration_seconds", "Time of one run of the cycle."},
          Exponential(0.0001, 2, 16))),
      creation_to_bound_seconds_(registry_.AddHistograms(
          {"gpu_scheduler_pod_creation_to_bound_seconds",
           "From the creation of a pod, known to the second, until it was bound."},
          Exponential(0.01, 2, 20))),
      build_(registry_.AddGauges(
          {"gpu_scheduler_build_info", "Always 1; the label says which version.", {"version"}})) {
  ShowZeros(version);
}

// What is not there yet is 0 and not absent, so that rates are right from the first event on.
void SchedulerMetrics::ShowZeros(std::string_view version) {
  for (const auto result : {"scheduled", "unschedulable", "error"}) {
    attempts_.Add({result, profile_}, 0);
    attempt_seconds_.Show({result, profile_});
  }
  algorithm_seconds_.Show({});
  sli_seconds_.Show({"1"});
  tries_.Show({});
  cycle_seconds_.Show({});
  creation_to_bound_seconds_.Show({});
  for (const std::string_view kind : kWriteKinds) {
    for (const WriteOutcome outcome : kOutcomes) writes_.Add({kind, ToString(outcome)}, 0);
    write_seconds_.Show({kind});
  }
  for (const auto step : {commit::Step::kQueued, commit::Step::kListing, commit::Step::kBinding,
                          commit::Step::kTouching}) {
    for (const WriteOutcome outcome : kOutcomes) {
      failed_commits_.Add({ToString(step), ToString(outcome)}, 0);
    }
  }
  for (const Kind kind : model::kAllKinds) {
    for (const auto* family : {&lists_, &watches_, &watch_problems_}) {
      family->Add({ToString(kind)}, 0);
    }
  }
  for (const std::string_view reason : cycle::kWarningReasons) warnings_.Add({reason}, 0);
  transitions_.Set({}, 0);
  build_.Set({version}, 1);
  Show(Census{});
  Show(kube::EventCounts{});
}

void SchedulerMetrics::CycleRan(const cycle::RunNotes& notes,
                                const std::vector<model::Command>& commands, TimePoint now,
                                Duration took) {
  cycle_seconds_.Observe({}, Seconds(took));
  const std::size_t tried = notes.placed + notes.without_place;
  if (tried > 0) {
    const double each = Seconds(took) / static_cast<double>(tried);
    for (std::size_t i = 0; i < tried; ++i) algorithm_seconds_.Observe({}, each);
    for (std::size_t i = 0; i < notes.without_place; ++i) {
      attempt_seconds_.Observe({"unschedulable", profile_}, each);
    }
    attempts_.Add({"unschedulable", profile_}, static_cast<double>(notes.without_place));
  }
  for (const cycle::Ended& ended : notes.ended) AttemptEnded(ended, now);
  for (const model::Command& command : commands) {
    const auto* event = std::get_if<model::RecordEvent>(&command);
    if (event == nullptr) continue;
    const auto& known = cycle::kWarningReasons;
    if (std::find(known.begin(), known.end(), event->reason) != known.end()) {
      warnings_.Add({event->reason});
    }
  }
}

void SchedulerMetrics::AttemptEnded(const cycle::Ended& ended, TimePoint now) {
  const std::string_view result = ended.not_bound ? "error" : "scheduled";
  attempts_.Add({result, profile_});
  attempt_seconds_.Observe({result, profile_}, Seconds(now - ended.launched.at));
  if (ended.not_bound) {
    failed_commits_.Add({ToString(ended.not_bound->step), ToString(ended.not_bound->outcome)});
    return;
  }
  const int attempts = ended.launched.wait.tries + 1;
  tries_.Observe({}, attempts);
  sli_seconds_.Observe({AttemptsLabel(attempts)}, Seconds(now - ended.launched.wait.since));
  creation_to_bound_seconds_.Observe({}, Seconds(now - ended.launched.created));
}

void SchedulerMetrics::WriteEnded(const WriteEnd& end) {
  writes_.Add({end.kind, ToString(end.outcome)});
  write_seconds_.Observe({end.kind}, Seconds(end.took));
}

void SchedulerMetrics::ListBegan(Kind kind) { lists_.Add({ToString(kind)}); }
void SchedulerMetrics::WatchBegan(Kind kind) { watches_.Add({ToString(kind)}); }
void SchedulerMetrics::WatchFailed(Kind kind) { watch_problems_.Add({ToString(kind)}); }
void SchedulerMetrics::LeadershipWon(std::int64_t transitions) {
  transitions_.Set({}, static_cast<double>(transitions));
}

void SchedulerMetrics::Show(const Census& census) {
  std::map<std::vector<std::string>, double> waiting;
  for (const auto token : model::AllReasonTokens()) waiting[{std::string(ToString(token))}] = 0;
  double asleep = 0;
  for (const auto& [token, count] : census.pending.asleep) {
    waiting[{std::string(ToString(token))}] = static_cast<double>(count);
    asleep += static_cast<double>(count);
  }
  waiting_.Replace(waiting);
  pending_.Set({"active"}, static_cast<double>(census.pending.ready));
  pending_.Set({"backoff"}, static_cast<double>(census.pending.backing_off));
  pending_.Set({"unschedulable"}, asleep);
  pending_.Set({"gated"}, static_cast<double>(census.gated));
  cache_size_.Set({"nodes"}, static_cast<double>(census.nodes));
  cache_size_.Set({"pods"}, static_cast<double>(census.pods));
  cache_size_.Set({"assumed_pods"}, static_cast<double>(census.in_flight));
  in_flight_.Set({}, static_cast<double>(census.in_flight));
  leader_.Set({}, census.is_leading ? 1 : 0);
  synced_.Set({}, census.is_synced ? 1 : 0);

  std::map<std::vector<std::string>, double> total;
  std::map<std::vector<std::string>, double> by_node;
  for (const std::string_view state : explain::kGpuStates) total[{std::string(state)}] = 0;
  for (const auto& [node, counts] : census.gpus) {
    for (const auto& [state, count] : counts) {
      const std::string name(explain::ToString(state));
      total[{name}] += static_cast<double>(count);
      by_node[{node.text(), name}] = static_cast<double>(count);
    }
  }
  gpus_.Replace(total);
  node_gpus_.Replace(by_node);
  Show(census.placeable);
}

void SchedulerMetrics::Show(const score::SetCounts& placeable) {
  for (std::size_t i = 0; i < score::kSetSizes.size(); ++i) {
    const std::string size = std::to_string(score::kSetSizes[i]);
    placeable_.Set({size, "any"}, static_cast<double>(placeable.anywhere[i]));
    placeable_.Set({size, "island"}, static_cast<double>(placeable.in_islands[i]));
  }
}

void SchedulerMetrics::Show(const kube::EventCounts& counts) {
  const runtime::MutexLock lock(mutex_);
  const kube::EventCounts before = std::exchange(shown_, counts);
  const auto grow = [this](std::string_view outcome, std::uint64_t now, std::uint64_t then) {
    events_.Add({outcome}, now > then ? static_cast<double>(now - then) : 0);
  };
  grow("written", counts.written, before.written);
  grow("limited", counts.limited, before.limited);
  grow("overflow", counts.overflow, before.overflow);
  grow("failed", counts.failed, before.failed);
}

}  // namespace gs::scheduler
