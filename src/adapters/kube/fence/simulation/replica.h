// Replica: one scheduler process: Cache, Commit and FenceSteps as they are shipped, and the
// simplest decision that can be made around them. It is the caller that commit.h sketches, and the
// owner of the fence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "adapters/kube/fence/fence_request.h"
#include "adapters/kube/fence/fence_rules.h"
#include "adapters/kube/fence/fence_steps.h"
#include "adapters/kube/fence/simulation/request.h"
#include "adapters/kube/fence/simulation/server.h"
#include "adapters/kube/fence/simulation/view_stream.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/commit/commit.h"
#include "core/commit/rules.h"
#include "core/model/allocation.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::kube::simulation {

struct AllRules {
  commit::Rules commit{};
  FenceRules fence{};
  bool releasing = true;  // a pod that went while it ran keeps its GPUs until its agent has looked
  bool residue = true;    // what an agent sees of a pod that is gone keeps its GPUs
  bool shown = true;      // so does a pod that it has shown, and that has gone unseen
};

struct ReplicaSettings {
  std::string name;  // of this process, used once
  SchedulerName scheduler;
  Namespace ns;  // of the release
  int nodes = 1;
  int gpus = 1;              // of each node
  int sharers = 2;           // pods that may share a GPU
  bool minds_others = true;  // what others list counts as taken
  bool has_late_news = false;
  bool has_agents = false;
  AllRules rules;
};

class Replica {
 public:
  explicit Replica(ReplicaSettings settings);

  // What a process does when it wakes up: decide, and say what to send. Times are its own.
  [[nodiscard]] std::vector<Sent> Run(Duration now);
  void Apply(const model::Event& event, Duration now);
  void Answer(const FenceAnswer& answer, Duration now);
  void Resign() { steps_.Resign(); }
  [[nodiscard]] std::optional<Duration> NextWake() const;
  [[nodiscard]] std::optional<Duration> NextFenceWake() const { return fence_wake_; }

  [[nodiscard]] ViewStream& stream(model::Kind kind) {
    if (kind == model::Kind::kMachine) return reports_;
    return kind == model::Kind::kPod ? pods_ : leases_;
  }
  // What the fence has said and the rest of the process does not know yet.
  [[nodiscard]] std::deque<model::Event>& news() { return news_; }

  // It will never do anything again: it would exit.
  [[nodiscard]] bool is_over() const { return steps_.is_over() && news_.empty(); }
  [[nodiscard]] bool is_leading() const { return commit_.is_leading(); }
  [[nodiscard]] bool is_ready() const { return commit_.is_ready(); }
  // By its own clock.
  [[nodiscard]] bool MayWriteAt(Duration now) const { return now < steps_.leads_until(); }
  [[nodiscard]] const std::string& name() const { return settings_.name; }
  [[nodiscard]] const FenceSelf& self() const { return self_; }

 private:
  void Decide(Duration now);
  [[nodiscard]] std::vector<PodUid> Undecided() const;
  [[nodiscard]] bool MayBeDecided(const cache::PodRecord& record) const;
  [[nodiscard]] std::optional<commit::Plan> PlanFor(const model::Pod& pod);
  [[nodiscard]] std::optional<std::vector<GpuId>> ChooseOn(const cache::NodeView& view,
                                                           const model::Pod& pod) const;
  [[nodiscard]] bool HasRoom(const cache::NodeView& view, GpuId gpu, const Wish& wish) const;
  void Take(const commit::Report& report, Duration now);
  void See(const model::Event& event, Duration now);
  [[nodiscard]] model::Event AsBelieved(model::Event event) const;
  void AdvanceFence(Duration now, std::vector<Sent>& sent);

  const ReplicaSettings settings_;
  const FenceSelf self_;
  commit::Commit commit_;
  FenceSteps steps_;
  ViewStream pods_;
  ViewStream leases_;
  ViewStream reports_;

  cache::Cache cache_;
  bool are_reports_complete_;
  std::set<PodUid> releasing_;
  std::map<PodUid, Duration> not_before_;
  int attempts_ = 0;

  std::deque<model::Event> news_;
  std::optional<Duration> fence_wake_;
};

}  // namespace gs::kube::simulation
