// Server: an API server as far as the commit protocol can tell: objects with versions and
// preconditions, and a history that watches read. It does what it is asked at the moment it is
// asked; being late, lost or repeated is the World's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/fence/earlier_election.h"
#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/fence_request.h"
#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::kube::simulation {

// What a pod wants is in its name, so that there is nothing to keep elsewhere.
struct Wish {
  std::size_t count = 1;
  model::AllocationMode mode = model::AllocationMode::kExclusive;
  bool is_enforced = true;  // false: a device plugin counts, and knows nothing of ids

  [[nodiscard]] bool is_part() const { return count == 0; }
};
// What a pod that wants a part of a GPU requests.
inline constexpr std::string_view kGpuPart = "nvidia.com/gpu.shared";
// By the first letter: x one GPU, p a pair, s a share of one; c and d one and two that are counted;
// q a part of one, which has no id.
[[nodiscard]] Wish WishOf(const model::Pod& pod);

// "n0", "n1", ...
[[nodiscard]] NodeName NodeNamed(int index);

// What it was given, if it is bound and live and anything was.
[[nodiscard]] std::optional<model::Allocation> HeldBy(const model::Pod& pod);

// A change to one object, as a watch tells it.
struct Change {
  std::uint64_t revision = 0;
  model::Event event;
};

using Leases = std::map<LeaseName, model::GpuLease>;

// What a pod has running on its node; it may outlive the pod.
struct Workload {
  model::PodRef pod;
  model::Allocation held;
  std::optional<std::uint64_t> ended{};  // at this revision
};

class Server {
 public:
  model::WriteOutcome Bind(const model::BindPod& bind);
  model::TouchAnswered Touch(const model::TouchPod& touch);
  model::WriteOutcome Create(const Namespace& ns, const model::CreateLease& create);
  model::WriteOutcome Update(const Namespace& ns, const model::UpdateLease& update);
  model::WriteOutcome Delete(const Namespace& ns, const model::DeleteLease& remove);
  [[nodiscard]] model::WriteOutcome LookUp(const model::PodRef& pod) const;
  FenceAnswer Ask(const FenceSelf& self, const FenceRequest& request);

  // What users, controllers and kubelets do.
  void CreatePod(const std::string& name, const SchedulerName& scheduler);
  void DeletePod(const std::string& name);  // first it is only asked to go
  void ForceDeletePod(const std::string& name);
  void FinishPod(const std::string& name);
  // Its kubelet has started it, and says so. Only if its agent has shown it: what nobody has ever
  // shown cannot be known to a scheduler that starts after it is gone.
  void RunPod(const std::string& name);
  void FailPod(const std::string& name);  // somebody else than its kubelet says that it has ended
  // Nothing of the pod runs any longer, whatever its object says.
  void EndWorkload(const PodUid& pod);
  // By the agent of a node.
  void Report(model::MachineSeen report);
  void PokePod(const std::string& name);  // somebody writes something into its status
  void RefuseTouches(const std::string& name);
  void AllowTouches() { untouchable_.clear(); }
  void DeleteLeaseByHand(const Namespace& ns, const LeaseName& name);
  void EditLease(const Namespace& ns, const LeaseName& name, int how);
  void DeleteFence();
  void RemoveRecord(const std::string& key);
  void SpoilRecord(const std::string& key);
  // The version before has elected its leaders here.
  void LeaveEarlierElection(const Namespace& ns, const SchedulerName& scheduler,
                            const std::vector<model::PodRef>& list);

  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] ResourceVersion version() const;
  [[nodiscard]] const std::map<std::string, model::Pod>& pods() const { return pods_; }
  [[nodiscard]] bool IsUntouchable(const PodUid& pod) const { return untouchable_.contains(pod); }
  [[nodiscard]] const Leases& leases(const Namespace& ns) const;
  [[nodiscard]] const std::optional<FenceLease>& fence() const { return fence_; }
  [[nodiscard]] const std::map<PodUid, Workload>& workloads() const { return workloads_; }
  // That run although their pods are gone, or said to have ended.
  [[nodiscard]] std::vector<PodUid> LeftBehind() const;
  [[nodiscard]] const std::map<NodeName, model::MachineSeen>& reports() const { return reports_; }
  [[nodiscard]] const std::vector<Change>& pod_history() const { return pod_history_; }
  [[nodiscard]] const std::vector<Change>& report_history() const { return report_history_; }
  [[nodiscard]] const std::vector<Change>& lease_history(const Namespace& ns) const;
  // Of the last change that was more than a renewal.
  [[nodiscard]] std::uint64_t last_news() const { return last_news_; }

 private:
  using EarlierKey = std::pair<Namespace, LeaseName>;

  FenceAnswer Create(FenceLease fence);
  FenceAnswer Put(FenceLease fence);
  FenceAnswer Ask(const EarlierKey& key, const EarlierRequest& request);
  [[nodiscard]] std::uint64_t NextRevision() { return last_news_ = ++revision_; }
  [[nodiscard]] model::Pod* Find(const model::PodRef& ref);
  // By the agent of its node, on all that it has.
  [[nodiscard]] bool IsShown(const model::Allocation& held, const std::string& pod) const;
  void Store(model::Pod& pod);
  void Store(const Namespace& ns, model::GpuLease lease);
  void Store(FenceLease fence);
  void Remove(const Namespace& ns, const model::GpuLease& lease);

  std::uint64_t revision_ = 1;
  std::uint64_t last_news_ = 1;
  std::uint64_t uids_ = 0;
  std::map<std::string, model::Pod> pods_;
  std::map<std::string, std::string> messages_;  // of each pod's fence condition
  std::set<PodUid> untouchable_;
  std::map<Namespace, Leases> leases_;
  std::optional<FenceLease> fence_;
  std::map<EarlierKey, EarlierElection> earlier_;
  std::map<PodUid, Workload> workloads_;
  std::map<NodeName, model::MachineSeen> reports_;
  std::vector<Change> pod_history_;
  std::vector<Change> report_history_;
  std::map<Namespace, std::vector<Change>> lease_history_;
};

}  // namespace gs::kube::simulation
