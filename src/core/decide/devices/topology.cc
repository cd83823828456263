#include "core/decide/devices/topology.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/gpu_ids.h"
#include "base/stable_hash.h"

namespace gs::devices {
namespace {

constexpr std::int32_t kScorePerLink = 100;
constexpr std::int32_t kScorePerPcieStep = 10;

// Far above any machine; low enough that scores and spans of 64 GPUs fit the bits objective.cc
// gives them.
constexpr std::int32_t kMaxLinks = 100;

std::int32_t ScoreOfLink(const model::Link& link) {
  const auto pcie = kScorePerPcieStep * (static_cast<std::int32_t>(link.pcie) + 1);
  return link.kind == model::LinkKind::kNone ? pcie : pcie + kScorePerLink * link.count;
}

// Groups positions that `joined(a, b)` connects, directly or through others, ordered by first
// member.
template <class Joined>
std::vector<GpuSet> Components(std::size_t size, Joined joined) {
  std::vector<GpuSet> groups;
  GpuSet left = GpuSet::FirstN(size);
  while (!left.empty()) {
    GpuSet group;
    GpuSet frontier = GpuSet::Of(left.First());
    while (!frontier.empty()) {
      const std::size_t next = frontier.First();
      group.Add(next);
      left.Remove(next);
      for (const std::size_t other : left) {
        if (joined(next, other)) frontier.Add(other);
      }
      frontier = frontier - group;
    }
    groups.push_back(group);
  }
  return groups;
}

bool SameIsland(const model::Machine& machine, std::size_t a, std::size_t b) {
  const auto& left = machine.devices[a].island;
  const auto& right = machine.devices[b].island;
  if (!left.empty() || !right.empty()) return left == right;
  const model::Link& link = machine.links.At(a, b);
  return link.kind != model::LinkKind::kNone && link.count > 0;
}

bool HasSaneLinks(const model::LinkMatrix& links) {
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (std::size_t b = 0; b < links.size(); ++b) {
      const model::Link& link = links.At(a, b);
      if (link.count < 0 || link.count > kMaxLinks || link.bandwidth_gbps < 0) return false;
    }
  }
  return true;
}

Result<void> Validate(const model::Machine& machine) {
  const auto& devices = machine.devices;
  if (devices.size() > kMaxGpus) {
    return Error(ErrorKind::kUnsupported, "a node of " + std::to_string(devices.size()) +
                                              " GPUs; at most " + std::to_string(kMaxGpus) +
                                              " are supported");
  }
  if (!HasSaneLinks(machine.links)) {
    return Error(ErrorKind::kInvalid, "a pair of GPUs must have 0 to " + std::to_string(kMaxLinks) +
                                          " links and no negative bandwidth");
  }
  if (machine.links.size() != devices.size()) {
    return Error(ErrorKind::kInvalid, "the link matrix is for " +
                                          std::to_string(machine.links.size()) + " GPUs, not " +
                                          std::to_string(devices.size()));
  }
  for (const auto& device : devices) {
    if (device.id.number() < 0 || device.id.number() > kMaxGpuId) {
      return Error(ErrorKind::kInvalid, "GPU id " + std::to_string(device.id.number()) +
                                            " is not between 0 and " + std::to_string(kMaxGpuId));
    }
  }
  const auto not_ascending = [](const auto& a, const auto& b) { return a.id >= b.id; };
  if (std::adjacent_find(devices.begin(), devices.end(), not_ascending) != devices.end()) {
    return Error(ErrorKind::kInvalid, "GPU ids must be unique and in ascending order");
  }
  return {};
}

std::size_t GroupsTouched(const std::vector<GpuSet>& groups, GpuSet set) {
  return static_cast<std::size_t>(std::count_if(
      groups.begin(), groups.end(), [set](GpuSet group) { return !(group & set).empty(); }));
}

}  // namespace

Topology::Topology(std::vector<GpuId> ids)
    : ids_(std::move(ids)),
      pair_score_(ids_.size() * ids_.size(), 0),
      pair_bandwidth_(ids_.size() * ids_.size(), 0) {
  for (std::size_t i = 1; i < ids_.size(); ++i) {
    if (ids_[i].number() == ids_[i - 1].number() + 1) follows_previous_.Add(i);
  }
}

Result<Topology> Topology::Of(const model::Machine& machine) {
  if (auto valid = Validate(machine); !valid) return std::move(valid).error();
  std::vector<GpuId> ids;
  ids.reserve(machine.devices.size());
  for (const auto& device : machine.devices) ids.push_back(device.id);
  Topology topology(std::move(ids));
  topology.ReadPairs(machine.links);
  topology.ReadGroups(machine);
  topology.Seal();
  return topology;
}

bool Topology::IsSameOf(const model::Machine& a, const model::Machine& b) {
  return a.links == b.links &&
         std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end(),
                    [](const model::GpuDevice& one, const model::GpuDevice& other) {
                      return one.id == other.id && one.numa_node == other.numa_node &&
                             one.island == other.island;
                    });
}

Topology Topology::Counted(std::size_t count) {
  GS_CHECK(count <= kMaxGpus);
  model::Machine machine;
  for (std::size_t i = 0; i < count; ++i) {
    machine.devices.push_back({.id = GpuId(static_cast<std::int32_t>(i))});
  }
  machine.links = model::LinkMatrix(count);
  return Of(machine).value();
}

void Topology::ReadPairs(const model::LinkMatrix& links) {
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size(); ++b) {
      if (a == b) continue;
      pair_score_[a * size() + b] = ScoreOfLink(links.At(a, b));
      pair_bandwidth_[a * size() + b] = links.At(a, b).bandwidth_gbps;
    }
  }
}

void Topology::ReadGroups(const model::Machine& machine) {
  islands_ =
      Components(size(), [&](std::size_t a, std::size_t b) { return SameIsland(machine, a, b); });
  numa_nodes_ = Components(size(), [&](std::size_t a, std::size_t b) {
    const auto& numa = machine.devices[a].numa_node;
    return numa.has_value() && numa == machine.devices[b].numa_node;
  });
  switches_ = Components(size(), [&](std::size_t a, std::size_t b) {
    return machine.links.At(a, b).pcie >= model::PcieClass::kPix;
  });
}

void Topology::Seal() {
  std::string shape;
  const auto add = [&](auto number) { shape += std::to_string(number) + ","; };
  for (const GpuId id : ids_) add(id.number());
  for (const auto score : pair_score_) add(score);
  for (const auto bandwidth : pair_bandwidth_) add(bandwidth);
  for (const auto* groups : {&islands_, &numa_nodes_, &switches_}) {
    for (const GpuSet group : *groups) add(group.bits());
  }
  fingerprint_ = StableHash(shape);
}

std::vector<GpuId> Topology::IdsOf(GpuSet set) const {
  std::vector<GpuId> ids;
  ids.reserve(set.size());
  for (const std::size_t position : set) ids.push_back(ids_[position]);
  return ids;
}

GpuSet Topology::PositionsOf(const std::vector<GpuId>& ids) const {
  GpuSet set;
  for (const GpuId id : ids) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (found != ids_.end() && *found == id) {
      set.Add(static_cast<std::size_t>(found - ids_.begin()));
    }
  }
  return set;
}

std::int64_t Topology::ScoreOf(GpuSet set) const {
  std::int64_t score = 0;
  for (GpuSet left = set; !left.empty();) {
    const std::size_t first = left.First();
    left.Remove(first);
    score += ScoreBetween(first, left);
  }
  return score;
}

std::int64_t Topology::ScoreBetween(std::size_t position, GpuSet set) const {
  std::int64_t score = 0;
  for (const std::size_t other : set) score += PairScore(position, other);
  return score;
}

std::int32_t Topology::MinBandwidthOf(GpuSet set) const {
  if (set.size() < 2) return 0;
  std::int32_t lowest = PairBandwidth(set.First(), set.Last());
  for (const std::size_t a : set) {
    for (const std::size_t b : set) {
      if (a < b) lowest = std::min(lowest, PairBandwidth(a, b));
    }
  }
  return lowest;
}

GpuSet Topology::ReachableAt(std::size_t position, std::int32_t min_bandwidth_gbps) const {
  GpuSet reachable;
  for (const std::size_t other : all()) {
    if (other != position && PairBandwidth(position, other) >= min_bandwidth_gbps) {
      reachable.Add(other);
    }
  }
  return reachable;
}

std::size_t Topology::IslandsTouched(GpuSet set) const { return GroupsTouched(islands_, set); }

GpuSet Topology::IslandOf(std::size_t position) const {
  for (const GpuSet island : islands_) {
    if (island.Has(position)) return island;
  }
  return {};
}

std::int32_t Topology::RunsOf(GpuSet set) const {
  const std::uint64_t continued = set.bits() & (set.bits() << 1U) & follows_previous_.bits();
  return static_cast<std::int32_t>(set.size()) - std::popcount(continued);
}

std::int32_t Topology::SpanOf(GpuSet set) const {
  return set.empty() ? 0 : ids_[set.Last()].number() - ids_[set.First()].number();
}

}  // namespace gs::devices
