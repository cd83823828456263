#include "adapters/kube/fence/simulation/checker.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/allocation.h"
#include "core/model/fence.h"

namespace gs::kube::simulation {
namespace {

using model::Allocation;
using model::AllocationMode;
using model::Pod;

// What one node has given, and to whom.
struct Given {
  std::map<GpuId, std::vector<const Allocation*>> direct;
  std::size_t counted = 0;  // whole ones
  std::size_t parts = 0;

  [[nodiscard]] bool has_counted() const { return counted + parts > 0; }
  void Add(const Allocation& allocation) {
    if (!allocation.is_enforced) return Count(allocation.gpus.ids.size());
    for (const GpuId gpu : allocation.gpus.ids) direct[gpu].push_back(&allocation);
  }
  void Count(std::size_t gpus) {
    counted += gpus;
    parts += gpus == 0 ? 1 : 0;
  }
};

bool AreSharers(const std::vector<const Allocation*>& holders) {
  return std::ranges::all_of(
      holders, [](const Allocation* each) { return each->mode == AllocationMode::kShared; });
}

bool IsFine(const std::vector<const Allocation*>& holders, int sharers) {
  return holders.size() <= 1 || (std::ssize(holders) <= sharers && AreSharers(holders));
}

std::optional<std::string> WhatIsWrong(const Given& given, const Cluster& cluster) {
  for (const auto& [gpu, holders] : given.direct) {
    if (IsFine(holders, cluster.sharers)) continue;
    std::string text = "GPU " + std::to_string(gpu.number()) + " belongs to";
    for (const Allocation* holder : holders) text += " " + holder->pod.text();
    return text;
  }
  if (given.has_counted() && !given.direct.empty()) {
    return "pods that are counted and pods that are not belong to it";
  }
  if (given.counted > static_cast<std::size_t>(cluster.gpus)) {
    return std::to_string(given.counted) + " counted GPUs of it belong to pods";
  }
  return std::nullopt;
}

// Of the bound, live pods.
using Holdings = std::map<PodUid, Allocation>;

std::map<NodeName, Given> GivenBy(const Holdings& holdings) {
  std::map<NodeName, Given> nodes;
  for (const auto& [uid, allocation] : holdings) nodes[allocation.gpus.node].Add(allocation);
  return nodes;
}

Holdings HoldingsOf(const Server& server) {
  Holdings holdings;
  for (const auto& [name, pod] : server.pods()) {
    if (auto held = HeldBy(pod)) holdings.emplace(pod.ref.uid, *std::move(held));
  }
  return holdings;
}

// The pod that is gone, or said to have ended.
std::optional<PodUid> EndedBy(const Change& change) {
  if (const auto* gone = std::get_if<model::PodGone>(&change.event)) return gone->pod.uid;
  const auto* seen = std::get_if<model::PodSeen>(&change.event);
  if (seen == nullptr || HeldBy(seen->pod)) return std::nullopt;
  return seen->pod.ref.uid;
}

// What runs is on the GPUs that it is on: no plugin chooses for it any more.
void Leave(const PodUid& pod, Holdings& live, Holdings& left) {
  auto ended = live.extract(pod);
  if (ended.empty()) return;
  ended.mapped().is_enforced = true;
  left.insert(std::move(ended));
}

bool RunsAt(const Server& server, const PodUid& pod, std::uint64_t revision) {
  const auto workload = server.workloads().find(pod);
  return workload != server.workloads().end() &&
         (!workload->second.ended || *workload->second.ended > revision);
}

std::optional<std::string> FindUnsettled(const Server& server) {
  const auto& fence = server.fence();
  if (!fence) return "there is no fence";
  if (fence->unsettled) return "the fence is not settled";
  if (!fence->unreadable.empty()) return "the fence has a record that nobody can read";
  for (const auto& [key, record] : fence->records) {
    for (const model::InFlightPod& entry : record.in_flight) {
      if (server.IsUntouchable(entry.pod.uid)) continue;
      return "the fence still lists " + ToString(entry.pod) + " for " + record.scheduler.text();
    }
  }
  return std::nullopt;
}

bool IsHeldInLease(const Server& server, const Namespace& ns, const Allocation& held, GpuId gpu) {
  const Leases& leases = server.leases(ns);
  const auto lease = leases.find(model::LeaseNameOf(held.gpus.node, gpu));
  return lease != leases.end() &&
         std::ranges::any_of(lease->second.holders, [&held](const model::LeaseHolder& holder) {
           return holder.pod.uid == held.pod;
         });
}

// The release had another name when it made the Lease, for a pod that shares the GPU.
bool IsLeaseOfAnother(const Server& server, const Namespace& ns, const Pod& pod,
                      const Allocation& held, GpuId gpu) {
  const auto lease = server.leases(ns).find(model::LeaseNameOf(held.gpus.node, gpu));
  return lease != server.leases(ns).end() && lease->second.scheduler != pod.scheduler;
}

std::optional<std::string> FindMissingLease(const Server& server, const SchedulerName& scheduler,
                                            const Namespace& ns) {
  for (const auto& [name, pod] : server.pods()) {
    const auto held = HeldBy(pod);
    if (!held || pod.scheduler != scheduler) continue;
    for (const GpuId gpu : held->gpus.ids) {
      if (IsHeldInLease(server, ns, *held, gpu) || IsLeaseOfAnother(server, ns, pod, *held, gpu)) {
        continue;
      }
      return "pod " + name + " has no Lease for GPU " + std::to_string(gpu.number());
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindStrayLease(const Server& server, const Namespace& ns) {
  const Holdings holdings = HoldingsOf(server);
  for (const auto& [name, lease] : server.leases(ns)) {
    if (lease.holders.empty()) return name.text() + " is left for nobody";
    for (const auto& holder : lease.holders) {
      const auto held = holdings.find(holder.pod.uid);
      const bool is_right = held != holdings.end() &&
                            IsHeldInLease(server, ns, held->second, lease.gpu) &&
                            held->second.gpus.node == lease.node;
      if (!is_right) return name.text() + " is left for " + ToString(holder.pod);
    }
  }
  return std::nullopt;
}

bool HasRoom(const Given& given, const Wish& wish, const Cluster& cluster) {
  if (!wish.is_enforced) {
    return given.direct.empty() &&
           given.counted + wish.count <= static_cast<std::size_t>(cluster.gpus);
  }
  if (given.has_counted()) return false;
  std::size_t room = 0;
  for (int id = 0; id < cluster.gpus; ++id) {
    const auto holders = given.direct.find(GpuId(id));
    const bool is_free = holders == given.direct.end();
    const bool may_join = !is_free && wish.mode == AllocationMode::kShared &&
                          AreSharers(holders->second) &&
                          std::ssize(holders->second) < cluster.sharers;
    room += is_free || may_join ? 1 : 0;
  }
  return room >= wish.count;
}

// What is listed for pods that nobody can touch.
struct Stuck {
  std::set<PodUid> pods;
  Holdings ours;
  std::vector<model::InFlightPod> others;  // of other releases
};

Stuck FindStuck(const FenceLease& fence, const SchedulerName& scheduler) {
  Stuck stuck;
  for (const auto& [key, record] : fence.records) {
    for (const model::InFlightPod& entry : record.in_flight) {
      stuck.pods.insert(entry.pod.uid);
      if (record.scheduler == scheduler) {
        stuck.ours.emplace(entry.pod.uid, model::AllocationOf(entry));
      } else {
        stuck.others.push_back(entry);
      }
    }
  }
  return stuck;
}

// To another release it takes the GPU whole, and the node if either is counted.
void TakeFromOthers(const model::InFlightPod& entry, const Wish& wish, const Cluster& cluster,
                    Given& given) {
  static const Allocation kTaken;
  if (!entry.is_enforced || !wish.is_enforced)
    given.counted += static_cast<std::size_t>(cluster.gpus) + 1;
  for (const GpuId gpu : entry.gpus.ids) given.direct[gpu].push_back(&kTaken);
}

bool HasRoomSomewhere(const Server& server, const Pod& pod, const Stuck& stuck,
                      const Cluster& cluster) {
  const Wish wish = WishOf(pod);
  Holdings holdings = HoldingsOf(server);
  holdings.insert(stuck.ours.begin(), stuck.ours.end());
  std::map<NodeName, Given> nodes = GivenBy(holdings);
  for (const model::InFlightPod& entry : stuck.others) {
    TakeFromOthers(entry, wish, cluster, nodes[entry.gpus.node]);
  }
  for (int i = 0; i < cluster.nodes; ++i) {
    if (HasRoom(nodes[NodeNamed(i)], wish, cluster)) return true;
  }
  return false;
}

std::optional<std::string> FindNeedlessWait(const Server& server, const Cluster& cluster,
                                            const std::set<SchedulerName>& running) {
  for (const auto& [name, pod] : server.pods()) {
    const bool is_waiting = !pod.is_bound() && !pod.is_terminal() && !pod.is_terminating;
    if (!is_waiting || !running.contains(pod.scheduler)) continue;
    const Stuck stuck = FindStuck(*server.fence(), pod.scheduler);
    if (stuck.pods.contains(pod.ref.uid)) continue;
    if (HasRoomSomewhere(server, pod, stuck, cluster)) {
      return "pod " + name + " waits, and there is room for it";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindDoubleAllocation(const Server& server, const Cluster& cluster) {
  Holdings live;
  Holdings left;  // their pods have ended, and something of them runs
  for (const Change& change : server.pod_history()) {
    if (const auto ended = EndedBy(change)) Leave(*ended, live, left);
    const auto* seen = std::get_if<model::PodSeen>(&change.event);
    if (seen == nullptr) continue;
    const auto held = HeldBy(seen->pod);
    const bool is_new = held && live.emplace(seen->pod.ref.uid, *held).second;
    if (!is_new) continue;
    std::erase_if(left,
                  [&](const auto& each) { return !RunsAt(server, each.first, change.revision); });
    Holdings holdings = live;
    holdings.insert(left.begin(), left.end());
    const auto nodes = GivenBy(holdings);
    if (const auto wrong = WhatIsWrong(nodes.at(held->gpus.node), cluster)) {
      return "at revision " + std::to_string(change.revision) + " on " + held->gpus.node.text() +
             ": " + *wrong;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindLoss(const Server& server, const Cluster& cluster,
                                    const std::set<SchedulerName>& running) {
  if (auto unsettled = FindUnsettled(server)) return unsettled;
  for (const SchedulerName& scheduler : running) {
    const ReleaseRecord* record = FindRecord(*server.fence(), scheduler);
    if (record == nullptr || !record->is_held()) return "nobody leads " + scheduler.text();
    if (auto missing = FindMissingLease(server, scheduler, record->ns)) return missing;
    if (auto stray = FindStrayLease(server, record->ns)) return stray;
  }
  return FindNeedlessWait(server, cluster, running);
}

}  // namespace gs::kube::simulation
