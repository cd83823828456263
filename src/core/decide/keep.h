// Keep: what is kept for pods that wait, so that younger ones do not overtake them for ever.
//
// A reservation is hard: of the pods that have waited too long one has a node (or the GPUs that its
// map names) kept for it; only pods of higher priority may still go there. A spared GPU is soft: a
// map names it, the map's pod waits for another one of its GPUs, and others take it only where they
// have no other choice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/node_view.h"
#include "core/decide/ask.h"
#include "core/model/pod.h"
#include "core/model/reason.h"
#include "core/model/resources.h"

namespace gs::decide {

struct Reservation {
  model::PodRef pod;
  std::int32_t priority = 0;
  ControllerUid controller;   // of a map pod: its siblings may share what is reserved
  model::Resources requests;  // what the pod needs besides
  NodeName node;
  std::vector<GpuId> ids;         // that a map names; empty: whatever becomes free on the node
  std::int64_t gpus_to_free = 0;  // when it was made
  TimePoint since;
  TimePoint until;  // it ends then unless somebody there has ended before

  friend bool operator==(const Reservation&, const Reservation&) = default;
};

class Keep {
 public:
  void Reserve(Reservation reservation) { reservation_ = std::move(reservation); }
  void EndReservation() { reservation_.reset(); }
  // Requires: there is a reservation.
  void KeepUntil(TimePoint until) { reservation_->until = until; }
  [[nodiscard]] const std::optional<Reservation>& reservation() const { return reservation_; }
  [[nodiscard]] bool IsReservedFor(const PodUid& pod) const {
    return reservation_ && reservation_->pod.uid == pod;
  }

  // Again for the same pod: instead of what was spared for it.
  void Spare(const model::Pod& pod, const NodeName& node, std::vector<GpuId> ids);
  void StopSparing(const PodUid& pod);

  // Why a pod that would fit there may not go there at all.
  [[nodiscard]] std::optional<model::Reason> Refuse(const model::Pod& pod, const Ask& ask,
                                                    const cache::NodeView& view) const;
  // GPUs of the node that are reserved by id, for others.
  [[nodiscard]] std::vector<GpuId> ReservedIds(const model::Pod& pod, const NodeName& node) const;
  // Requires: there is a reservation.
  [[nodiscard]] model::Reason WhyReserved() const;
  // Nodes with GPUs that are reserved or spared by id, for whomever.
  [[nodiscard]] std::set<NodeName> NodesWithKeptGpus() const;
  // GPUs of the node that are spared for pods that come before this one.
  [[nodiscard]] std::vector<GpuId> SparedIds(const model::Pod& pod, const NodeName& node) const;

 private:
  struct Spared {
    std::int32_t priority = 0;
    TimePoint created;
    NodeName node;
    std::vector<GpuId> ids;
  };

  [[nodiscard]] bool IsKeptFrom(const model::Pod& pod, const NodeName& node) const;

  std::optional<Reservation> reservation_;
  std::map<PodUid, Spared> spared_;
  std::map<NodeName, std::vector<PodUid>> spared_on_;
};

}  // namespace gs::decide
