#include "core/cache/holders.h"

#include <algorithm>

namespace gs::cache {
namespace {

auto FindHolder(std::vector<Holder>& holders, const PodUid& pod) {
  return std::find_if(holders.begin(), holders.end(),
                      [&pod](const Holder& holder) { return holder.pod.uid == pod; });
}

void Insert(std::vector<Evidence>& evidence, Evidence added) {
  const auto at = std::lower_bound(evidence.begin(), evidence.end(), added);
  if (at == evidence.end() || *at != added) evidence.insert(at, added);
}

}  // namespace

void Holders::Add(GpuId gpu, const model::PodRef& pod, model::AllocationMode mode,
                  const ControllerUid& controller, Evidence evidence) {
  std::vector<Holder>& holders = holders_[gpu];
  const auto known = FindHolder(holders, pod.uid);
  if (known == holders.end()) {
    holders.push_back({pod, mode, controller, {evidence}});
    return;
  }
  if (evidence <= known->evidence.front()) {
    known->mode = mode;
    known->controller = controller;
  }
  Insert(known->evidence, evidence);
}

bool Holders::Remove(GpuId gpu, const PodUid& pod, Evidence evidence) {
  const auto entry = holders_.find(gpu);
  if (entry == holders_.end()) return false;
  const auto known = FindHolder(entry->second, pod);
  if (known == entry->second.end()) return false;
  std::erase(known->evidence, evidence);
  if (!known->evidence.empty()) return false;
  entry->second.erase(known);
  if (entry->second.empty()) holders_.erase(entry);
  return true;
}

std::span<const Holder> Holders::Of(GpuId gpu) const {
  const auto entry = holders_.find(gpu);
  if (entry == holders_.end()) return {};
  return entry->second;
}

}  // namespace gs::cache
