#include "core/cache/pod_record.h"

namespace gs::cache {

const NodeName& PlaceOf(const PodRecord& record) {
  static const NodeName kNone;
  if (record.pod.is_terminal()) return kNone;
  if (record.pod.is_bound()) return record.pod.node;
  return record.assumed ? record.assumed->node : kNone;
}

Footprint BoundFootprintOf(const PodRecord& record) {
  return {.node = record.pod.node,
          .requests = record.pod.requests,
          .host_ports = record.pod.ties->host_ports,
          .allocation = record.kept ? std::optional(*record.kept) : std::nullopt,
          .evidence = Evidence::kBound};
}

Footprint FootprintOf(const PodRecord& record) {
  const model::Pod& pod = record.pod;
  if (pod.is_terminal()) return {};
  if (pod.is_bound()) return BoundFootprintOf(record);
  if (!record.assumed) return {};
  return {.node = record.assumed->node,
          .requests = pod.requests,
          .host_ports = pod.ties->host_ports,
          .allocation = record.assumed->allocation,
          .evidence = Evidence::kAssumed};
}

}  // namespace gs::cache
