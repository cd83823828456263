#include "core/cache/holders.h"

#include <algorithm>

namespace gs::cache {
namespace {

auto FindHolder(std::vector<Holder>& holders, const PodUid& pod) {
  return std::find_if(holders.begin(), holders.end(),
                      [&pod](const Holder& holder) { return holder.pod.uid == pod; });
}

bool Agree(const Right& a, const Right& b) {
  return a.mode == b.mode &&
         (a.mode != model::AllocationMode::kMap || a.controller == b.controller);
}

void Insert(Holder& holder, Evidence added, Right right) {
  auto& evidence = holder.evidence;
  const auto at = std::lower_bound(evidence.begin(), evidence.end(), added);
  const auto place = holder.rights.begin() + (at - evidence.begin());
  if (at != evidence.end() && *at == added) {
    *place = std::move(right);
    return;
  }
  holder.rights.insert(place, std::move(right));
  evidence.insert(at, added);
}

void Withdraw(Holder& holder, Evidence removed) {
  auto& evidence = holder.evidence;
  const auto at = std::find(evidence.begin(), evidence.end(), removed);
  if (at == evidence.end()) return;
  holder.rights.erase(holder.rights.begin() + (at - evidence.begin()));
  evidence.erase(at);
}

// What all evidence says together.
void Settle(Holder& holder) {
  const Right& first = holder.rights.front();
  const bool is_agreed = std::all_of(holder.rights.begin(), holder.rights.end(),
                                     [&first](const Right& other) { return Agree(first, other); });
  const Right settled = is_agreed ? first : Right{};
  holder.mode = settled.mode;
  holder.controller = settled.controller;
}

}  // namespace

void Holders::Add(GpuId gpu, const model::PodRef& pod, model::AllocationMode mode,
                  const ControllerUid& controller, Evidence evidence) {
  std::vector<Holder>& holders = holders_[gpu];
  auto known = FindHolder(holders, pod.uid);
  if (known == holders.end()) {
    known = holders.insert(known, Holder{.pod = pod, .evidence = {}, .rights = {}});
  }
  Insert(*known, evidence, {mode, controller});
  Settle(*known);
}

bool Holders::Remove(GpuId gpu, const PodUid& pod, Evidence evidence) {
  const auto entry = holders_.find(gpu);
  if (entry == holders_.end()) return false;
  const auto known = FindHolder(entry->second, pod);
  if (known == entry->second.end()) return false;
  Withdraw(*known, evidence);
  if (!known->evidence.empty()) {
    Settle(*known);
    return false;
  }
  entry->second.erase(known);
  if (entry->second.empty()) holders_.erase(entry);
  return true;
}

std::span<const Holder> Holders::Of(GpuId gpu) const {
  const auto entry = holders_.find(gpu);
  if (entry == holders_.end()) return {};
  return entry->second;
}

bool Holders::IsHeldBy(GpuId gpu, const PodUid& pod) const {
  const auto holders = Of(gpu);
  return std::any_of(holders.begin(), holders.end(),
                     [&pod](const Holder& holder) { return holder.pod.uid == pod; });
}

}  // namespace gs::cache
