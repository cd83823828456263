#include "core/decide/without_pods.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gs::decide {

std::vector<model::PodRef> GpuPodsOn(const cache::NodeView& view, const cache::Cache& cache) {
  std::set<model::PodRef> pods(view.counted_pods.begin(), view.counted_pods.end());
  pods.insert(view.direct_pods.begin(), view.direct_pods.end());
  pods.insert(view.releasing_pods.begin(), view.releasing_pods.end());
  for (const cache::OthersPod& other : view.others_pods) pods.insert(other.pod);
  for (const auto& [gpu, holders] : view.holders.all()) {
    for (const cache::Holder& holder : holders) pods.insert(holder.pod);
  }
  std::vector<std::pair<TimePoint, model::PodRef>> by_age;
  by_age.reserve(pods.size());
  for (const model::PodRef& pod : pods) {
    const auto record = cache.pods().find(pod.uid);
    by_age.emplace_back(record == cache.pods().end() ? TimePoint{} : record->second.bound_at, pod);
  }
  std::sort(by_age.begin(), by_age.end());
  std::vector<model::PodRef> sorted;
  sorted.reserve(by_age.size());
  for (auto& [at, pod] : by_age) sorted.push_back(std::move(pod));
  return sorted;
}

void TakeOff(cache::NodeView& view, const PodUid& pod, const cache::Cache& cache) {
  const std::map<GpuId, std::vector<cache::Holder>> held = view.holders.all();
  for (const auto& [gpu, holders] : held) {
    for (const cache::Holder& holder : holders) {
      if (holder.pod.uid != pod) continue;
      for (const cache::Evidence evidence : holder.evidence) {
        view.holders.Remove(gpu, pod, evidence);
      }
    }
  }
  const auto is_this = [&pod](const model::PodRef& other) { return other.uid == pod; };
  std::erase_if(view.counted_pods, is_this);
  std::erase_if(view.direct_pods, is_this);
  std::erase_if(view.releasing_pods, is_this);
  std::erase_if(view.others_pods, [&](const auto& other) { return is_this(other.pod); });
  const auto record = cache.pods().find(pod);
  if (record == cache.pods().end()) return;
  const cache::Footprint footprint = cache::FootprintOf(record->second);
  if (footprint.node != view.node.name) return;
  view.used.Remove(footprint.requests);
  for (const model::HostPort& port : footprint.host_ports) {
    if (--view.host_ports[port] == 0) view.host_ports.erase(port);
  }
  --view.pods_used;
}

}  // namespace gs::decide
