// Cache: what has been seen of the cluster, with our own decisions that are not bound yet laid over
// it. Events in; questions out. It decides nothing.
//
// Rules that keep it right:
//   - An allocation exists while a bound pod that is not terminal carries it. The first value seen
//     on a bound pod is kept for the pod's life; what somebody edits later is reported, not
//     believed.
//   - Result annotations count only on pods of a known schedulerName, or with a lock of their UID.
//   - Only facts free a GPU: this UID seen terminal, seen deleted, or looked up and gone.
//   - A pod that vanished while a container of it ran, on a node whose agent reports, keeps its
//     GPUs (Releasing) until the agent reports, later than that, nothing of it; or until a
//     time-out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/node_view.h"
#include "core/cache/placed_pods.h"
#include "core/cache/pod_record.h"
#include "core/cache/pod_records.h"
#include "core/cache/storage.h"
#include "core/model/allocation.h"
#include "core/model/claim.h"
#include "core/model/event.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::cache {

struct CacheOptions {
  SchedulerName scheduler;  // ours
  Duration release_timeout = std::chrono::minutes(2);
};

// Something that can help a waiting pod, or that people should hear of.
enum class ChangeKind : std::uint8_t {
  kNodeChanged,       // `node` is new, or offers something else than before
  kNodeLeft,          // `node` is deleted
  kRoomFreed,         // CPU, memory, pods or counted GPUs on `node`
  kGpusFreed,         // somebody let go of ids on `node`
  kMachineChanged,    // the agent of `node` reports something else
  kClaimChanged,      // `ns`/`claim` was created, changed or deleted
  kStorageChanged,    // volumes, their claims, or who makes or attaches them
  kPodWaits,          // a pod of ours that is not bound was created or changed
  kPodBound,          // a pod of ours is seen bound
  kPodLeft,           // a pod of ours is deleted or terminal
  kPodRejected,       // its kubelet refused a pod of ours before anything ran
  kForeignOnDirect,   // somebody else's GPU pod is on a node where ours hold ids: see `message`
  kAnnotationEdited,  // a bound pod's results no longer say what they said: see `message`
  kReleaseEnded,      // a pod that is gone has let go of its GPUs; its locks may remain
  kReleaseTimedOut,   // GPUs were freed without the agent's word: see `message`
  kRenumbered,        // another GPU is behind an id that is held: see `message`
};

struct Change {
  ChangeKind kind = ChangeKind::kPodWaits;
  NodeName node{};
  Namespace ns{};
  ClaimName claim{};
  model::PodRef pod{};
  std::string message{};

  friend bool operator==(const Change&, const Change&) = default;
};

class Cache {
 public:
  explicit Cache(CacheOptions options) : options_(std::move(options)) {}

  // Events that say nothing about the cluster are ignored.
  [[nodiscard]] std::vector<Change> Apply(const model::Event& event, TimePoint now);
  // Lets go what has been Releasing for too long.
  [[nodiscard]] std::vector<Change> Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // Our own decision, until the pod is seen bound or gone, or it is taken back. Requires: the pod
  // is seen and not bound.
  void Assume(const PodUid& pod, const NodeName& node,
              const std::optional<model::Allocation>& allocation);
  // Likewise what the decision does for the pod's volumes; taken back with it.
  void AssumeVolumes(const PodUid& pod, const NodeName& node, const VolumeChoice& choice);
  [[nodiscard]] std::vector<Change> TakeBack(const PodUid& pod);

  // Ordered, as pods() are, so that whoever walks them does so in the same order every time.
  [[nodiscard]] const std::map<NodeName, NodeView>& nodes() const { return nodes_; }
  [[nodiscard]] const NodeView* FindNode(const NodeName& name) const;
  [[nodiscard]] const model::Pod* FindPod(const PodUid& uid) const;
  [[nodiscard]] const PodRecords& pods() const { return pods_; }
  [[nodiscard]] const model::Claim* FindClaim(const Namespace& ns, const ClaimName& name) const;
  [[nodiscard]] const std::map<std::pair<Namespace, ClaimName>, model::Claim>& claims() const {
    return claims_;
  }
  [[nodiscard]] const std::map<LeaseName, model::GpuLease>& leases() const { return leases_; }
  [[nodiscard]] const Storage& storage() const { return storage_; }
  // Of a bound pod: what was seen first. Null: it holds no GPUs, or is not bound.
  [[nodiscard]] const model::Allocation* AllocationOf(const PodUid& uid) const;
  // Whether the pod is gone and may still use its GPUs.
  [[nodiscard]] bool IsReleasing(const PodUid& uid) const { return releasing_.contains(uid); }

  // Pods on nodes by what others ask about them. Requires of questions to it: pods().
  [[nodiscard]] const PlacedPods& placed() const { return placed_; }
  // What has changed there since the last call.
  [[nodiscard]] PodNews TakePodNews() { return placed_.TakeNews(); }

  // Nodes that something has happened to since the last call, those that are gone included.
  [[nodiscard]] std::vector<NodeName> TakeChangedNodes();
  // Whether a lock names the pod, be it one that an attempt has left.
  [[nodiscard]] bool IsNamedByLock(const PodUid& uid) const { return locks_of_.contains(uid); }

  // Every kind's view is complete, so that a decision may rest on it.
  [[nodiscard]] bool is_synced() const;

 private:
  struct Releasing {
    model::PodRef pod;
    model::Allocation allocation;
    ResourceVersion gone_at;
    TimePoint until;
  };
  using Changes = std::vector<Change>;
  class Applier;  // one function per alternative of Event

  [[nodiscard]] bool IsOurs(const model::Pod& pod) const {
    return pod.scheduler == options_.scheduler;
  }
  [[nodiscard]] bool IsBelieved(const model::Pod& pod) const;
  [[nodiscard]] Footprint FootprintNow(const PodRecord& record) const;
  [[nodiscard]] Footprint FootprintNow(const PodUid& uid) const;

  // To be changed. Also for a node that is not known yet: pods and locks may be seen first.
  NodeView& NodeFor(const NodeName& name);
  void Add(const model::PodRef& pod, const Footprint& footprint);
  void Remove(const PodUid& pod, const Footprint& footprint);
  // After a change of one pod: what its node has more or less of.
  void Move(const model::PodRef& pod, const Footprint& before, const Footprint& after,
            Changes& changes);
  // The pod has let go of GPUs there.
  void TellFreed(const NodeName& node, const model::PodRef& pod, Changes& changes);
  void PlaceVolumes(const model::PodRef& pod, const NodeName& node);
  void TellForeign(const model::PodRef& pod, const Footprint& footprint, Changes& changes) const;

  // A pod was `old` on node `from` and is `now` on node `to`; null: there was, or is, none.
  void Resettle(const model::Pod* old, const NodeName& from, const model::Pod* now,
                const NodeName& to);
  // Pods of ours that wait ask about others, whose numbers are kept for them.
  void Rewatch(const model::Pod* old, const model::Pod* now);
  void SeePod(const model::Pod& pod, Changes& changes);
  void LosePod(const model::PodGone& gone, TimePoint now, Changes& changes);
  void KeepResult(PodRecord& record, Changes& changes) const;
  void TellPod(const PodRecord& record, const std::optional<model::Pod>& before,
               Changes& changes) const;
  void SeeLease(const model::GpuLease& lease, Changes& changes);
  void LoseLease(const LeaseName& name, Changes& changes);
  // The pods that a lock names may be believed from now on, or no longer.
  void Lock(const model::GpuLease& lease, Changes& changes);
  void Unlock(const model::GpuLease& lease, Changes& changes);
  void SeeMachine(const model::MachineSeen& seen, Changes& changes);
  // The node may be another one than the report was written for, or at last the right one.
  void MatchMachine(const NodeName& node, Changes& changes);
  void LoseMachine(const NodeName& node, Changes& changes);
  // A pod that ran is gone: it keeps these GPUs if an agent can tell when it has let go.
  [[nodiscard]] bool HasLetGo(const NodeView& view, const model::PodRef& pod,
                              const model::Allocation& allocation,
                              const ResourceVersion& gone_at) const;
  void StartRelease(const model::PodGone& gone, const model::Allocation& allocation, TimePoint now);
  void SeeNeighbours(const std::set<SchedulerName>& neighbours, Changes& changes);
  void EndRelease(const PodUid& pod, Changes& changes);
  // Of all whose agent has said so.
  void EndReleasesOn(const NodeName& node, Changes& changes);
  void FindRenumbered(const NodeName& node, Changes& changes);
  void DropIfEmpty(const NodeName& name);

  CacheOptions options_;
  std::map<NodeName, NodeView> nodes_;
  std::vector<NodeName> changed_nodes_;
  PodRecords pods_;
  PlacedPods placed_;
  std::map<std::pair<Namespace, ClaimName>, model::Claim> claims_;
  std::map<LeaseName, model::GpuLease> leases_;
  Storage storage_;
  std::map<PodUid, int> locks_of_;  // how many locks name the pod
  std::map<PodUid, Releasing> releasing_;
  std::set<SchedulerName> neighbours_;  // other releases, whose annotations count too
  std::set<model::Kind> complete_;
  std::uint64_t generations_ = 0;  // of machines, given out so far
};

}  // namespace gs::cache
