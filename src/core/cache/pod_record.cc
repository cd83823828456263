#include "core/cache/pod_record.h"

namespace gs::cache {

Footprint FootprintOf(const PodRecord& record, bool is_believed) {
  const model::Pod& pod = record.pod;
  if (pod.is_terminal()) return {};
  if (pod.is_bound()) {
    return {.node = pod.node,
            .requests = pod.requests,
            .allocation = is_believed ? record.kept : std::nullopt,
            .evidence = Evidence::kBound};
  }
  if (!record.assumed) return {};
  return {.node = record.assumed->node,
          .requests = pod.requests,
          .allocation = record.assumed->allocation,
          .evidence = Evidence::kAssumed};
}

}  // namespace gs::cache
