#include "core/commit/simulation/checker.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "core/model/allocation.h"

namespace gs::commit::simulation {
namespace {

using model::Allocation;
using model::AllocationMode;
using model::Pod;

std::optional<Allocation> HeldBy(const Pod& pod) {
  if (!pod.is_bound() || pod.is_terminal()) return std::nullopt;
  const auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  if (!allocation) return std::nullopt;
  return *allocation;
}

// What each GPU is given to.
using Given = std::map<GpuId, std::vector<Allocation>>;

template <class Pods>
Given GivenTo(const Pods& pods) {
  Given given;
  for (const auto& [key, pod] : pods) {
    const auto allocation = HeldBy(pod);
    if (!allocation) continue;
    for (const GpuId gpu : allocation->gpus.ids) given[gpu].push_back(*allocation);
  }
  return given;
}

bool IsFine(const std::vector<Allocation>& holders, int sharers) {
  if (holders.size() <= 1) return true;
  return std::ssize(holders) <= sharers &&
         std::all_of(holders.begin(), holders.end(),
                     [](const Allocation& each) { return each.mode == AllocationMode::kShared; });
}

std::optional<std::string> FindMissingLease(const Server& server) {
  for (const auto& [name, pod] : server.pods()) {
    const auto allocation = HeldBy(pod);
    if (!allocation) continue;
    for (const GpuId gpu : allocation->gpus.ids) {
      const auto lease = server.leases().find(model::LeaseNameOf(kNode, gpu));
      const bool is_there =
          lease != server.leases().end() &&
          std::any_of(lease->second.holders.begin(), lease->second.holders.end(),
                      [&](const auto& holder) { return holder.pod.uid == pod.ref.uid; });
      if (!is_there) return "pod " + name + " has no Lease for GPU " + std::to_string(gpu.number());
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindStrayLease(const Server& server) {
  std::map<LeaseName, std::set<PodUid>> right;
  for (const auto& [name, pod] : server.pods()) {
    const auto allocation = HeldBy(pod);
    if (!allocation) continue;
    for (const GpuId gpu : allocation->gpus.ids) {
      right[model::LeaseNameOf(kNode, gpu)].insert(pod.ref.uid);
    }
  }
  for (const auto& [name, lease] : server.leases()) {
    for (const auto& holder : lease.holders) {
      if (!right[name].contains(holder.pod.uid)) {
        return name.text() + " is left for " + ToString(holder.pod);
      }
    }
    if (lease.holders.empty()) return name.text() + " is left for nobody";
  }
  return std::nullopt;
}

std::optional<std::string> FindNeedlessWait(const Server& server, int gpus, int sharers) {
  Given given = GivenTo(server.pods());
  int free = 0;
  bool may_join = false;
  for (int id = 0; id < gpus; ++id) {
    const auto& holders = given[GpuId(id)];
    if (holders.empty()) ++free;
    may_join = may_join || (std::ssize(holders) < sharers &&
                            std::all_of(holders.begin(), holders.end(), [](const auto& each) {
                              return each.mode == AllocationMode::kShared;
                            }));
  }
  for (const auto& [name, pod] : server.pods()) {
    if (pod.is_bound() || pod.is_terminal() || pod.is_terminating) continue;
    const Wish wish = WishOf(pod);
    const bool fits = wish == Wish::kShared ? may_join : free >= (wish == Wish::kPair ? 2 : 1);
    if (fits) return "pod " + name + " waits, and there is room for it";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindDoubleAllocation(const Server& server, int sharers) {
  std::map<PodUid, Pod> live;
  for (const Change& change : server.pod_history()) {
    if (const auto* seen = std::get_if<model::PodSeen>(&change.event)) {
      live.insert_or_assign(seen->pod.ref.uid, seen->pod);
    } else if (const auto* gone = std::get_if<model::PodGone>(&change.event)) {
      live.erase(gone->pod.uid);
    }
    for (const auto& [gpu, holders] : GivenTo(live)) {
      if (IsFine(holders, sharers)) continue;
      std::string text = "at revision " + std::to_string(change.revision) + " GPU " +
                         std::to_string(gpu.number()) + " belongs to";
      for (const Allocation& holder : holders) text += " " + holder.pod.text();
      return text;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindLoss(const Server& server, int gpus, int sharers) {
  if (auto missing = FindMissingLease(server)) return missing;
  if (auto stray = FindStrayLease(server)) return stray;
  return FindNeedlessWait(server, gpus, sharers);
}

}  // namespace gs::commit::simulation
