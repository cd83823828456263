#include "core/decide/locks.h"

namespace gs::decide {

std::vector<model::GpuLease> LocksFor(const model::Allocation& allocation, const model::Pod& pod,
                                      const AttemptId& attempt, const cache::Cache& cache) {
  std::vector<model::GpuLease> locks;
  for (const GpuId gpu : allocation.gpus.ids) {
    const LeaseName name = model::LeaseNameOf(allocation.gpus.node, gpu);
    const auto known = cache.leases().find(name);
    model::GpuLease lock;
    if (known != cache.leases().end()) {
      lock = known->second;
    } else {
      lock.name = name;
      lock.node = allocation.gpus.node;
      lock.gpu = gpu;
      lock.scheduler = pod.scheduler;
      lock.mode = allocation.mode;
      if (allocation.mode == model::AllocationMode::kMap) lock.controller = allocation.controller;
    }
    lock.holders.push_back({pod.ref, allocation.gpus.ids, attempt});
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace gs::decide
