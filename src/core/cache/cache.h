// Cache: what has been seen of the cluster, with our own decisions that are not bound yet laid over
// it. Events in; questions out. It decides nothing.
//
// Rules that keep it right:
//   - An allocation exists while a bound pod that is not terminal carries it. The first value seen
//     on a bound pod is kept for the pod's life; what somebody edits later is reported, not
//     believed.
//   - Result annotations count whatever the pod's schedulerName is: a release may have been
//   renamed.
//   - Only facts free a GPU: this UID seen terminal, seen deleted, or looked up and gone.
//   - A pod that vanished, or that somebody else than its kubelet declared ended, while a container
//     of it ran, on a node whose agent reports, keeps its GPUs (Releasing) until the agent reports,
//     later than that, nothing of it; or until a time-out. What an agent reports as left behind is
//     kept back likewise, whoever noticed the pod go; and whom a report shows that is not there
//     when pods have been listed, since its life was never told.
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
  kReleaseStarted,    // an agent reports that something is left of a pod
  kReleaseEnded,      // a pod that is gone has let go of its GPUs; its Leases may remain
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
  // For people: nothing is decided by them.
  [[nodiscard]] const std::map<LeaseName, model::GpuLease>& leases() const { return leases_; }
  [[nodiscard]] const Storage& storage() const { return storage_; }
  // Of a bound pod: what was seen first. Null: it holds no GPUs, or is not bound.
  [[nodiscard]] const model::Allocation* AllocationOf(const PodUid& uid) const;
  // Whether the pod is gone, or declared ended, and may still use its GPUs.
  [[nodiscard]] bool IsReleasing(const PodUid& uid) const;

  // Pods on nodes by what others ask about them. Requires of questions to it: pods().
  [[nodiscard]] const PlacedPods& placed() const { return placed_; }
  // What has changed there since the last call.
  [[nodiscard]] PodNews TakePodNews() { return placed_.TakeNews(); }

  // Nodes that something has happened to since the last call, those that are gone included.
  [[nodiscard]] std::vector<NodeName> TakeChangedNodes();

  // Every kind's view is complete, so that a decision may rest on it.
  [[nodiscard]] bool is_synced() const;

 private:
  // By UID; by "namespace/name" where the agent knows no UID, and such a name may be left on
  // several nodes.
  using ReleaseKey = std::pair<PodUid, NodeName>;
  struct Releasing {
    model::PodRef pod;                       // without a name: only the agent knows of it
    std::optional<ResourceVersion> gone_at;  // absent: likewise
    model::Allocation allocation;            // what it had, as far as that is known
    std::set<GpuId> gpus;                    // that are kept back, by their ids now
    TimePoint until;
    bool is_over = false;  // timed out, and the agent still reports it
  };
  using Changes = std::vector<Change>;
  class Applier;  // one function per alternative of Event

  [[nodiscard]] bool IsOurs(const model::Pod& pod) const {
    return pod.scheduler == options_.scheduler;
  }

  // To be changed. Also for a node that is not known yet: pods may be seen first.
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
  void SeePod(const model::Pod& pod, TimePoint now, Changes& changes);
  void LosePod(const model::PodGone& gone, TimePoint now, Changes& changes);
  void KeepResult(PodRecord& record, Changes& changes) const;
  void TellPod(const PodRecord& record, const std::optional<model::Pod>& before,
               Changes& changes) const;
  // What other releases are committing has its GPUs.
  void SeeFence(const model::FenceSeen& seen, Changes& changes);
  void TakeFor(const model::FenceSeen::Other& other);
  void FreeOf(const model::InFlightPod& entry);
  // Whether somebody can go there who could not while it was in the fence.
  [[nodiscard]] bool HasLeftRoom(const model::InFlightPod& entry) const;
  void SeeMachine(const model::MachineSeen& seen, TimePoint now, Changes& changes);
  // The node may be another one than the report was written for, or at last the right one.
  void MatchMachine(const NodeName& node, TimePoint now, Changes& changes);
  void LoseMachine(const NodeName& node, Changes& changes);
  // Somebody may say when a pod has let go of the node's GPUs.
  [[nodiscard]] bool HasAgent(const NodeView& view) const;
  [[nodiscard]] bool HasLetGo(const NodeView& view, const Releasing& releasing) const;
  // It lives, or its kubelet says that it has ended and its agent does not contradict.
  [[nodiscard]] bool HasSaidEnough(const model::Pod& pod) const;
  // A pod that ran is gone, and had this: it keeps its GPUs if an agent can tell when it has let
  // go.
  void StartRelease(const model::PodRef& pod, const Footprint& had, const ResourceVersion& gone_at,
                    TimePoint now);
  // After a report, or when a pod has gone: what is left of whom, and on which GPUs by now.
  void FollowResidue(const NodeName& node, TimePoint now, Changes& changes);
  // Pods have been listed: whom reports show that is not among them has gone unseen.
  void FindUnseen(TimePoint now, Changes& changes);
  void KeepUnseen(const NodeName& node, const std::string& shown, TimePoint now, Changes& changes);
  // A pod that was thought to have gone unseen is there after all.
  void EndUnseen(const PodRecord& record, Changes& changes);
  void NoteResidue(const NodeName& node, const PodUid& left, TimePoint now, Changes& changes);
  // True if it no longer keeps one that it kept.
  bool KeepBack(const NodeName& node, Releasing& releasing);
  // Its GPUs are free again.
  void LetGo(const NodeName& node, Releasing& releasing, Changes& changes);
  void EndRelease(const ReleaseKey& key, Changes& changes);
  void EndReleasesOf(const PodUid& pod, Changes& changes);
  // The view of reports is complete: who has none has no agent.
  void EndReleasesWithoutAgent(Changes& changes);
  void FindRenumbered(const NodeName& node, Changes& changes);
  void MarkRenumbered(NodeView& view, GpuId gpu, const Holder& holder,
                      const std::set<GpuId>& before, Changes& changes) const;
  // Of a bound pod what was seen first, else what was decided; null: nothing.
  [[nodiscard]] const model::Allocation* GivenTo(const PodUid& uid) const;
  void DropIfEmpty(const NodeName& name);

  CacheOptions options_;
  std::map<NodeName, NodeView> nodes_;
  std::vector<NodeName> changed_nodes_;
  PodRecords pods_;
  PlacedPods placed_;
  std::map<std::pair<Namespace, ClaimName>, model::Claim> claims_;
  std::map<LeaseName, model::GpuLease> leases_;
  Storage storage_;
  std::map<ReleaseKey, Releasing> releasing_;
  std::vector<model::FenceSeen::Other> fenced_;  // as last seen
  std::set<model::Kind> complete_;
  ResourceVersion pods_listed_;    // the version of their last list
  std::uint64_t generations_ = 0;  // of machines, given out so far
};

}  // namespace gs::cache
