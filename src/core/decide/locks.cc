#include "core/decide/locks.h"

namespace gs::decide {
namespace {

void MakeItOurs(model::GpuLease& lock, const model::Allocation& allocation, GpuId gpu,
                const SchedulerName& scheduler) {
  const bool is_map = allocation.mode == model::AllocationMode::kMap;
  lock.node = allocation.gpus.node;
  lock.gpu = gpu;
  lock.scheduler = scheduler;
  lock.mode = allocation.mode;
  lock.controller = is_map ? allocation.controller : ControllerUid();
}

}  // namespace

std::vector<model::GpuLease> LocksFor(const model::Allocation& allocation, const model::Pod& pod,
                                      const AttemptId& attempt, const cache::Cache& cache) {
  std::vector<model::GpuLease> locks;
  for (const GpuId gpu : allocation.gpus.ids) {
    model::GpuLease lock;
    lock.name = model::LeaseNameOf(allocation.gpus.node, gpu);
    const auto known = cache.leases().find(lock.name);
    if (known != cache.leases().end()) lock = known->second;
    std::erase_if(lock.holders,
                  [&pod](const auto& holder) { return holder.pod.uid == pod.ref.uid; });
    if (lock.holders.empty()) MakeItOurs(lock, allocation, gpu, pod.scheduler);
    lock.holders.push_back({pod.ref, allocation.gpus.ids, attempt});
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace gs::decide
