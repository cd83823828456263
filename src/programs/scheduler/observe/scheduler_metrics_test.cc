#include "programs/scheduler/observe/scheduler_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "core/cycle/event_reasons.h"

namespace gs::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

const TimePoint kNow{std::chrono::hours(1)};

std::string LineWith(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return line;
  }
  return "no line starts with " + start;
}

class Metrics : public testing::Test {
 protected:
  std::string Line(const std::string& start) const { return LineWith(metrics_.Print(), start); }

  SchedulerMetrics metrics_{"1.2.3", SchedulerName("gpu-scheduler")};
};

cycle::Ended Bound() {
  return {.pod = {},
          .launched = {.placement = {},
                       .created = kNow - seconds(9),
                       .wait = {.since = kNow - seconds(3), .tries = 1},
                       .at = kNow - milliseconds(20)},
          .not_bound = {}};
}

TEST_F(Metrics, AttemptsAreCountedByTheirResult) {
  cycle::Ended failed = Bound();
  failed.not_bound = {commit::Step::kBinding, model::WriteOutcome::kConflict, ""};
  metrics_.CycleRan({.placed = 1, .without_place = 2, .ended = {Bound(), failed}}, {}, kNow,
                    milliseconds(6));
  const std::string attempts =
      "scheduler_schedule_attempts_total{profile=\"gpu-scheduler\",result=";
  EXPECT_EQ(Line(attempts + "\"scheduled\""), attempts + "\"scheduled\"} 1");
  EXPECT_EQ(Line(attempts + "\"unschedulable\""), attempts + "\"unschedulable\"} 2");
  EXPECT_EQ(Line(attempts + "\"error\""), attempts + "\"error\"} 1");
  const std::string failures =
      "gpu_scheduler_failed_commits_total{outcome=\"conflict\",step=\"binding\"}";
  EXPECT_EQ(Line(failures), failures + " 1");
  EXPECT_EQ(Line("scheduler_pod_scheduling_sli_duration_seconds_sum{attempts=\"2\"}"),
            "scheduler_pod_scheduling_sli_duration_seconds_sum{attempts=\"2\"} 3");
  EXPECT_EQ(Line("gpu_scheduler_pod_creation_to_bound_seconds_sum"),
            "gpu_scheduler_pod_creation_to_bound_seconds_sum 9");
  EXPECT_EQ(Line("scheduler_scheduling_algorithm_duration_seconds_count"),
            "scheduler_scheduling_algorithm_duration_seconds_count 3");
}

TEST_F(Metrics, WhatStandsIsShownUntilItChanges) {
  Census census;
  census.pending = {
      .ready = 1,
      .backing_off = 2,
      .launched = 3,
      .asleep = {{model::ReasonToken::kTooFewGpus, 4}, {model::ReasonToken::kGpuHeld, 5}}};
  census.gpus[NodeName("n1")] = {{explain::GpuState::kFree, 6}, {explain::GpuState::kHeld, 2}};
  census.gpus[NodeName("n2")] = {{explain::GpuState::kFree, 1}, {explain::GpuState::kHeld, 0}};
  census.is_leading = true;
  metrics_.Show(census);
  EXPECT_EQ(Line("scheduler_pending_pods{queue=\"unschedulable\"}"),
            "scheduler_pending_pods{queue=\"unschedulable\"} 9");
  EXPECT_EQ(Line("gpu_scheduler_waiting_pods{reason=\"GpuHeld\"}"),
            "gpu_scheduler_waiting_pods{reason=\"GpuHeld\"} 5");
  EXPECT_EQ(Line("gpu_scheduler_gpus{state=\"free\"}"), "gpu_scheduler_gpus{state=\"free\"} 7");
  EXPECT_EQ(Line("gpu_scheduler_node_gpus{node=\"n1\",state=\"held\"}"),
            "gpu_scheduler_node_gpus{node=\"n1\",state=\"held\"} 2");
  EXPECT_EQ(Line("gpu_scheduler_leader "), "gpu_scheduler_leader 1");
  census.gpus.erase(NodeName("n1"));
  census.pending.asleep.clear();
  metrics_.Show(census);
  EXPECT_THAT(metrics_.Print(), Not(HasSubstr("node=\"n1\"")));
  EXPECT_EQ(Line("gpu_scheduler_waiting_pods{reason=\"GpuHeld\"}"),
            "gpu_scheduler_waiting_pods{reason=\"GpuHeld\"} 0");
}

TEST_F(Metrics, WritesWatchesWarningsAndEventsAreCounted) {
  metrics_.WriteEnded({.kind = "bind", .outcome = model::WriteOutcome::kConflict});
  metrics_.ListBegan(model::Kind::kPod);
  metrics_.WatchBegan(model::Kind::kPod);
  metrics_.WatchFailed(model::Kind::kLease);
  metrics_.LeadershipWon(7);
  metrics_.CycleRan(
      {},
      {model::RecordEvent{{}, model::EventType::kWarning, std::string(cycle::kForeignGpuPod), ""}},
      kNow, Duration(0));
  metrics_.Show(kube::EventCounts{.written = 5});
  metrics_.Show(kube::EventCounts{.written = 6});
  for (const std::string line : {"gpu_scheduler_writes_total{kind=\"bind\",outcome=\"conflict\"} 1",
                                 "gpu_scheduler_lists_total{kind=\"pods\"} 1",
                                 "gpu_scheduler_watches_total{kind=\"pods\"} 1",
                                 "gpu_scheduler_watch_problems_total{kind=\"leases\"} 1",
                                 "gpu_scheduler_leader_transitions 7",
                                 "gpu_scheduler_pod_warnings_total{reason=\"ForeignGpuPod\"} 1",
                                 "gpu_scheduler_pod_warnings_total{reason=\"DoubleAllocation\"} 0",
                                 "gpu_scheduler_pod_events_total{outcome=\"written\"} 6",
                                 "gpu_scheduler_build_info{version=\"1.2.3\"} 1"}) {
    EXPECT_THAT(metrics_.Print(), HasSubstr(line + "\n"));
  }
}

// "name type label,label" of every metric, the labels in order of their names.
std::set<std::string> Printed(const std::string& text) {
  std::set<std::string> found;
  std::istringstream lines(text);
  const std::regex type_line("# TYPE (\\S+) (\\S+)");
  const std::regex label("(\\w+)=\"");
  for (std::string line; std::getline(lines, line);) {
    std::smatch type;
    if (!std::regex_match(line, type, type_line)) continue;
    std::string sample;
    std::getline(lines, sample);
    std::string labels;
    for (std::sregex_iterator each(sample.begin(), sample.end(), label), end; each != end; ++each) {
      const std::string name = (*each)[1];
      if (name != "le") labels += (labels.empty() ? "" : ",") + name;
    }
    found.insert(type[1].str() + " " + type[2].str() + " " + labels);
  }
  return found;
}

// The same of the table: | `name` | type | `label`, `label` | … |
std::set<std::string> Documented() {
  std::set<std::string> found;
  std::ifstream page(std::string(GS_SOURCE_DIR) + "/docs/metrics.md");
  const std::regex row("\\| `(\\w+)` \\| (\\w+) \\|([^|]*)\\|.*");
  const std::regex label("`(\\w+)`");
  for (std::string line; std::getline(page, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    std::set<std::string> labels;
    const std::string list = cells[3];
    for (std::sregex_iterator each(list.begin(), list.end(), label), end; each != end; ++each) {
      labels.insert((*each)[1]);
    }
    std::string joined;
    for (const std::string& name : labels) joined += (joined.empty() ? "" : ",") + name;
    found.insert(cells[1].str() + " " + cells[2].str() + " " + joined);
  }
  return found;
}

TEST_F(Metrics, TheDocumentationNamesExactlyTheseMetrics) {
  Census census;
  census.gpus[NodeName("n1")] = {{explain::GpuState::kFree, 1}};
  metrics_.Show(census);
  EXPECT_EQ(Printed(metrics_.Print()), Documented());
  EXPECT_THAT(Documented(), IsSupersetOf({"gpu_scheduler_leader gauge "}));
}

}  // namespace
}  // namespace gs::scheduler
