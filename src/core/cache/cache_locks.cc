// The part of Cache that follows the locks: whom they name holds their GPU, and is believed.
#include <algorithm>
#include <utility>

#include "core/cache/cache.h"

namespace gs::cache {

void Cache::Lock(const model::GpuLease& lease, Changes& changes) {
  for (const auto& holder : lease.holders) {
    const Footprint before = FootprintNow(holder.pod.uid);
    ++locks_of_[holder.pod.uid];
    Move(holder.pod, before, FootprintNow(holder.pod.uid), changes);
    NodeFor(lease.node)
        .holders.Add(lease.gpu, holder.pod, lease.mode, lease.controller, Evidence::kLock);
  }
}

void Cache::Unlock(const model::GpuLease& lease, Changes& changes) {
  for (const auto& holder : lease.holders) {
    const Footprint before = FootprintNow(holder.pod.uid);
    const auto count = locks_of_.find(holder.pod.uid);
    if (--count->second == 0) locks_of_.erase(count);
    const bool is_freed =
        NodeFor(lease.node).holders.Remove(lease.gpu, holder.pod.uid, Evidence::kLock);
    Move(holder.pod, before, FootprintNow(holder.pod.uid), changes);
    if (is_freed) TellFreed(lease.node, holder.pod, changes);
    DropIfEmpty(lease.node);
  }
}

void Cache::SeeLease(const model::GpuLease& lease, Changes& changes) {
  const auto known = leases_.find(lease.name);
  if (known == leases_.end()) {
    Lock(lease, changes);
    leases_.emplace(lease.name, lease);
    return;
  }
  // The new one first, so that a holder that stays does not let go in between.
  const model::GpuLease old = std::exchange(known->second, lease);
  Changes of_old;
  Lock(lease, changes);
  Unlock(old, of_old);
  // Holders of both keep the evidence that Unlock took away.
  for (const auto& holder : lease.holders) {
    NodeFor(lease.node)
        .holders.Add(lease.gpu, holder.pod, lease.mode, lease.controller, Evidence::kLock);
  }
  std::erase_if(of_old, [this, &lease](const Change& change) {
    return change.kind == ChangeKind::kGpusFreed && change.node == lease.node &&
           NodeFor(lease.node).holders.IsHeldBy(lease.gpu, change.pod.uid);
  });
  changes.insert(changes.end(), of_old.begin(), of_old.end());
}

void Cache::LoseLease(const LeaseName& name, Changes& changes) {
  const auto known = leases_.find(name);
  if (known == leases_.end()) return;
  const model::GpuLease old = std::move(known->second);
  leases_.erase(known);
  Unlock(old, changes);
}

}  // namespace gs::cache
