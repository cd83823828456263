// Observed: what is known of pods and GPU Leases, from the view and from answers. A follower keeps
// it too, so that it need not begin from nothing when it takes over.
//
// Facts that cannot change back are never taken back: a pod that was bound stays bound, and the
// first allocation seen on it is kept for its life, whatever its annotations say later.
//
// Most pods of a cluster are bound, have no GPUs and are named by no Lease. Of these nothing is
// ever asked but that they are such, so that their UIDs are all that is kept. Once a Lease names
// such a pod, or it ends, it is known like any other.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/sorted_blocks.h"
#include "core/model/allocation.h"
#include "core/model/event.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::commit {

struct KnownPod {
  model::PodRef ref;
  SchedulerName scheduler;
  bool is_bound = false;  // as far as is known
  NodeName node;          // where to; empty also if a Lease has named it since it was last seen
  ResourceVersion seen_bound;  // at which it was first seen so; empty: not yet
  bool is_terminal = false;
  bool is_terminating = false;
  // Of a bound pod. Null: it has none, or none that can be read.
  std::shared_ptr<const model::Allocation> allocation;
  bool is_kept = false;  // the allocation was seen on the pod; before, it is what was asked for
  bool is_witnessed = false;  // we knew the pod before it was bound

  [[nodiscard]] bool is_holding() const { return is_bound && !is_terminal; }
};

class Observed {
 public:
  // The Leases that may be right or wrong in another way because of it.
  using Affected = std::set<LeaseName>;

  explicit Observed(SchedulerName scheduler) : scheduler_(std::move(scheduler)) {}

  Affected SeePod(const model::Pod& pod);
  // This UID will never be there again.
  Affected PodIsGone(const PodUid& pod);
  // The API server has said so; the view may be late.
  Affected PodIsBound(const model::PodRef& pod, const model::Allocation& allocation);
  void SeeLease(const model::GpuLease& lease);
  // False: that Lease is another one by now.
  bool LeaseIsGone(const LeaseName& name, const LeaseUid& uid);
  void SeeReached(model::Kind kind, const ResourceVersion& version);

  // Null: not in view, or one of those of which only the UID is kept. What a Lease names, what is
  // not bound, and what has just become bound, is none of those.
  [[nodiscard]] const KnownPod* FindPod(const PodUid& pod) const;
  [[nodiscard]] bool HasSeen(const PodUid& pod) const;
  [[nodiscard]] const model::GpuLease* FindLease(const LeaseName& name) const;
  // Only remembered as long as a Lease names the pod.
  [[nodiscard]] bool IsGone(const PodUid& pod) const { return gone_.contains(pod); }
  // The bound, live pods whose allocation names the GPU of this Lease, whoever has bound them;
  // sorted.
  [[nodiscard]] std::vector<const KnownPod*> HoldersOf(const LeaseName& lease) const;
  // The Leases in view that name the pod, by UID.
  [[nodiscard]] std::set<LeaseName> LeasesNaming(const PodUid& pod) const;
  // The newest version at which a pod with GPUs, or parts of them, was first seen bound; empty:
  // none was.
  [[nodiscard]] const ResourceVersion& NewestBound() const { return newest_bound_; }
  // Empty: the view was never complete.
  [[nodiscard]] ResourceVersion ReachedOf(model::Kind kind) const;

  // All that are not bound, and of the others those that anything is asked about.
  [[nodiscard]] const std::map<PodUid, KnownPod>& pods() const { return pods_; }
  [[nodiscard]] const std::map<LeaseName, model::GpuLease>& leases() const { return leases_; }

 private:
  // Whether nothing but its UID has to be kept of it.
  [[nodiscard]] bool IsPlain(const KnownPod& pod) const;
  // A pod of which only the UID was kept, as what is known of it: it was bound, without GPUs.
  KnownPod& Recall(const model::PodRef& pod);
  [[nodiscard]] Affected LeasesAbout(const KnownPod& pod) const;
  void Index(const KnownPod& pod);
  void Unindex(const KnownPod& pod);
  void Unname(const PodUid& pod, const LeaseName& lease);

  const SchedulerName scheduler_;
  std::map<PodUid, KnownPod> pods_;
  SortedKeys<PodUid> plain_;  // in view, and not in pods_
  std::map<LeaseName, model::GpuLease> leases_;
  std::map<LeaseName, std::set<PodUid>> holders_;   // by allocation
  std::map<PodUid, std::set<LeaseName>> named_in_;  // by Lease
  std::set<PodUid> gone_;
  std::map<model::Kind, ResourceVersion> reached_;
  ResourceVersion newest_bound_;
};

// The names of the Leases of all its GPUs.
[[nodiscard]] std::vector<LeaseName> LeasesOf(const model::Allocation& allocation);

// Whether the Lease stands for this pod.
[[nodiscard]] const model::LeaseHolder* FindHolder(const model::GpuLease& lease, const PodUid& pod);

}  // namespace gs::commit
