// Agent: the heart of the agent of one node. Events in, commands out: what was seen of the GPUs,
// of the kubelet and of the cluster becomes the node's report and events about the node.
//
// Pure and for one thread; time is an argument. It never says that a pod has let go of its GPUs
// before they were looked at after the pod was gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/agent/command.h"
#include "core/agent/event.h"
#include "core/agent/gpu_use.h"
#include "core/agent/report_writes.h"
#include "core/agent/tellings.h"
#include "core/health/judge.h"
#include "core/model/node_report.h"

namespace gs::agent {

struct AgentOptions {
  NodeName node;
  std::string reporter;  // this process, as no other
  WriteTimes times{};
  health::Rules health{};
  std::uint64_t seed = 0;
  // What runs on a GPU and belongs to no pod that we see counts as left behind after this long: the
  // view of pods may be late.
  Duration stranger_grace = std::chrono::seconds(30);
  // How long a report waits for the GPUs to be looked at after a pod is gone.
  Duration look_patience = std::chrono::seconds(5);
};

class Agent {
 public:
  explicit Agent(AgentOptions options);

  [[nodiscard]] std::vector<Command> RunOnce(std::span<const Event> events, TimePoint now);
  // When RunOnce has to be called although nothing happened.
  [[nodiscard]] std::optional<TimePoint> NextWake() const { return wake_; }

  // What is or should be in the cluster; nothing while there is nothing to tell.
  [[nodiscard]] const std::optional<model::NodeReport>& report() const { return report_; }
  // Pods of ours that were given other GPUs than planned.
  [[nodiscard]] std::size_t mismatches() const { return mismatches_; }
  [[nodiscard]] bool is_standing_back() const { return writes_.is_standing_back(); }
  [[nodiscard]] bool is_write_failing() const { return writes_.failures() > 0; }

 private:
  // A pod that vanished, or was declared ended, while it ran.
  struct Gone {
    model::PodRef ref;
    std::set<GpuId> gpus;        // that it used
    std::vector<GpuUuid> uuids;  // likewise
    std::uint64_t look = 0;      // only a look from this one on tells what is left
    TimePoint since;
    bool is_looked_at = false;

    [[nodiscard]] bool MayUse(const model::GpuDevice& device) const;
  };

  void Apply(const DevicesRead& read);
  void Apply(const DevicesUnreadable& unreadable);
  void Apply(const FaultSeen& seen);
  void Apply(const HeldRead& read);
  void Apply(const HeldUnreadable& unreadable);
  void Apply(const WriteAnswered& answer) { writes_.Answer(answer, now_); }
  void Apply(const model::PodSeen& seen);
  void Apply(const model::PodGone& gone);
  void Apply(const model::NodeSeen& seen) { node_ = seen.node.uid; }
  void Apply(const model::NodeGone& gone);
  void Apply(const model::MachineSeen& seen) { writes_.See(seen, now_); }
  void Apply(const model::MachineGone& gone) { writes_.SeeNone(gone); }
  void Apply(const model::ViewReached& view);

  // The pod is gone, or somebody else than its kubelet says that it has ended.
  void Leave(const LivePod& pod);
  void SetStale(std::string why);
  // What was read, with verdicts about health.
  void JudgeMachine();
  // What an agent before us has seen counts until we have seen something.
  void TakeStoredMachine();
  [[nodiscard]] std::set<GpuId> GpusUsedBy(const model::PodRef& pod) const;
  [[nodiscard]] bool IsLookedAt(const Gone& gone) const;
  void NoteLooks();
  // Those of which a look has found nothing.
  void ForgetGone(const GpuUse& use);
  [[nodiscard]] GpuUse FindUseNow();
  void AgeStrangers(const GpuUse& use);
  [[nodiscard]] model::NodeReport Compose(const GpuUse& use) const;
  void Write(std::vector<Command>& commands);
  void Tell(const GpuUse& use, std::vector<Command>& commands);
  // Until when a report must wait for a look.
  [[nodiscard]] std::optional<TimePoint> HeldUntil() const;
  void WakeAt(std::optional<TimePoint> time);

  const AgentOptions options_;
  ReportWrites writes_;
  Tellings tellings_;
  TimePoint now_{};

  NodeUid node_;  // empty: not there
  std::map<PodUid, LivePod> pods_;
  bool are_pods_complete_ = false;
  std::map<PodUid, Gone> gone_;
  std::set<PodUid> cut_off_;  // terminal and in view, though their containers were said to run
  std::uint64_t look_ = 0;    // the last that was commanded
  bool is_look_wanted_ = false;

  health::Judge judge_;
  std::optional<model::DeviceReport> read_;  // last
  bool is_judged_ = false;                   // machine_ is what read_ says
  std::optional<model::Machine> machine_;    // without users
  std::uint64_t devices_look_ = 0;
  bool is_kubelet_heard_ = false;  // it tells what it gave away
  std::vector<Held> held_;
  std::uint64_t held_look_ = 0;
  model::ReportNotes notes_;
  std::map<std::string, TimePoint> strangers_;  // since when

  std::optional<model::NodeReport> report_;
  std::size_t mismatches_ = 0;
  std::optional<TimePoint> wake_;
};

}  // namespace gs::agent
