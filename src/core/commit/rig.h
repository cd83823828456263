// Rig: a Commit with a clock of its own, for tests. Every event is followed by a tick, and what
// comes out is kept until it is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/commit.h"
#include "core/model/allocation.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/fence.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::commit {

inline const SchedulerName kOurs{"gpu-scheduler"};
inline const NodeName kNode{"node-a"};

[[nodiscard]] inline model::Pod PodNamed(const std::string& name, const std::string& version) {
  model::Pod pod;
  pod.ref = {Namespace("default"), PodName(name), PodUid("uid-" + name)};
  pod.resource_version = ResourceVersion(version);
  pod.scheduler = kOurs;
  return pod;
}

[[nodiscard]] inline model::Allocation AllocationOf(
    const model::Pod& pod, const std::vector<std::int32_t>& gpus,
    model::AllocationMode mode = model::AllocationMode::kExclusive) {
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.gpus.node = kNode;
  for (const std::int32_t gpu : gpus) allocation.gpus.ids.emplace_back(gpu);
  allocation.mode = mode;
  return allocation;
}

// The pod as it is after the Binding.
[[nodiscard]] inline model::Pod Bound(model::Pod pod, const model::Allocation& allocation,
                                      const std::string& version) {
  pod.node = allocation.gpus.node;
  for (const auto& [name, text] : model::ResultAnnotations(allocation)) {
    pod.annotations.Set(name, text);
  }
  pod.resource_version = ResourceVersion(version);
  return pod;
}

// A Lease that nobody has stored yet.
[[nodiscard]] inline model::GpuLease LeaseFor(const model::Pod& pod,
                                              const model::Allocation& allocation, GpuId gpu,
                                              const std::string& attempt) {
  return {.name = model::LeaseNameOf(kNode, gpu),
          .uid = {},
          .resource_version = {},
          .node = kNode,
          .gpu = gpu,
          .scheduler = kOurs,
          .mode = allocation.mode,
          .controller = {},
          .holders = {{pod.ref, allocation.gpus.ids, AttemptId(attempt)}}};
}

[[nodiscard]] inline model::GpuLease Stored(model::GpuLease lease, const std::string& version) {
  lease.uid = LeaseUid("uid-" + lease.name.text());
  lease.resource_version = ResourceVersion(version);
  return lease;
}

[[nodiscard]] inline Plan PlanOf(const model::Pod& pod, const model::Allocation& allocation,
                                 const std::string& attempt) {
  return {.pod = pod.ref,
          .noted = pod.resource_version,
          .attempt = AttemptId(attempt),
          .allocation = allocation};
}

// As the fence names the pod.
[[nodiscard]] inline model::InFlightPod EntryOf(const model::Pod& pod,
                                                const model::Allocation& allocation) {
  return model::InFlightOf(pod.ref, pod.resource_version, allocation);
}

class Rig {
 public:
  explicit Rig(Rules rules = {})
      : commit_(std::make_unique<Commit>(
            Settings{.scheduler = kOurs, .leader = "me", .rules = rules})) {}

  void Apply(const model::Event& event) {
    commit_->Apply(event, now_);
    Tick();
  }
  void Start(Plan plan) {
    commit_->Start(std::move(plan), now_);
    Tick();
  }
  void Pass(Duration duration) {
    now_ += duration;
    Tick();
  }
  // To where something is due. False: nothing ever is.
  bool PassToWake() {
    const std::optional<TimePoint> wake = commit_->NextWake();
    if (wake) Pass(std::max(Duration(0), *wake - now_));
    return wake.has_value();
  }

  // Leads with an empty list, and has seen everything up to version 100.
  void Lead() {
    Apply(model::LeadershipWon{.transitions = 3, .settled = ResourceVersion("100")});
    ReachPods("100");
    Apply(model::ViewReached{model::Kind::kLease, ResourceVersion("100")});
    (void)TakeCommands();
  }
  void ReachPods(const std::string& version) {
    Apply(model::ViewReached{model::Kind::kPod, ResourceVersion(version)});
  }

  [[nodiscard]] std::vector<model::Command> TakeCommands() { return std::exchange(commands_, {}); }
  // The only command since the last time, if it is one of these.
  template <class Wanted>
  [[nodiscard]] std::optional<Wanted> TakeOnly() {
    const std::vector<model::Command> commands = TakeCommands();
    if (commands.size() != 1 || !std::holds_alternative<Wanted>(commands[0])) return std::nullopt;
    return std::get<Wanted>(commands[0]);
  }
  // All commands of one kind since the last time; the others are forgotten.
  template <class Wanted>
  [[nodiscard]] std::vector<Wanted> TakeAll() {
    std::vector<Wanted> wanted;
    for (const model::Command& command : TakeCommands()) {
      if (const auto* found = std::get_if<Wanted>(&command)) wanted.push_back(*found);
    }
    return wanted;
  }
  [[nodiscard]] std::vector<Report> TakeReports() { return std::exchange(reports_, {}); }
  // The only report since the last time, if it is one of these.
  template <class Wanted>
  [[nodiscard]] std::optional<Wanted> TakeOnlyReport() {
    const std::vector<Report> reports = TakeReports();
    if (reports.size() != 1 || !std::holds_alternative<Wanted>(reports[0])) return std::nullopt;
    return std::get<Wanted>(reports[0]);
  }
  [[nodiscard]] Commit& commit() { return *commit_; }

 private:
  void Tick() {
    Output output = commit_->Tick(now_);
    for (auto& command : output.commands) commands_.push_back(std::move(command));
    for (auto& report : output.reports) reports_.push_back(std::move(report));
  }

  std::unique_ptr<Commit> commit_;
  TimePoint now_;
  std::vector<model::Command> commands_;
  std::vector<Report> reports_;
};

}  // namespace gs::commit
