// Change: one thing that could be different, such that a pod that waits would start. What is
// claimed was tried on the changed cluster before; these are the values, and how they read in a
// sentence that begins with "would start".
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>

#include "base/ids.h"
#include "core/model/pod.h"
#include "core/model/taint.h"

namespace gs::explain {

// The claim says topology.mode=Preferred.
struct PrefersTopology {
  NodeName node;
  ClaimName claim;
  std::int32_t asked_gbps = 0;  // 0: one island, however fast
  std::int32_t given_gbps = 0;
  std::int32_t islands = 1;
  friend bool operator==(const PrefersTopology&, const PrefersTopology&) = default;
};
struct PodEnds {
  NodeName node;
  model::PodRef pod;
  bool is_sibling = false;  // of one StatefulSet, which will not end it before this pod is ready
  friend bool operator==(const PodEnds&, const PodEnds&) = default;
};
struct GpuHeals {
  NodeName node;
  GpuId gpu;
  friend bool operator==(const GpuHeals&, const GpuHeals&) = default;
};
// The pod for which something is kept no longer waits.
struct ReservationEnds {
  NodeName node;
  model::PodRef pod;
  friend bool operator==(const ReservationEnds&, const ReservationEnds&) = default;
};
struct ToleratesTaint {
  NodeName node;
  model::Taint taint;
  friend bool operator==(const ToleratesTaint&, const ToleratesTaint&) = default;
};
struct IsUncordoned {
  NodeName node;
  friend bool operator==(const IsUncordoned&, const IsUncordoned&) = default;
};
// The pod's nodeSelector does not ask for it.
struct DropsSelector {
  NodeName node;
  std::string name;
  std::string value;
  friend bool operator==(const DropsSelector&, const DropsSelector&) = default;
};
struct DropsAffinity {
  NodeName node;
  friend bool operator==(const DropsAffinity&, const DropsAffinity&) = default;
};
// The claim's selector does not ask for it.
struct DropsClaimLabel {
  NodeName node;
  ClaimName claim;
  std::string name;
  std::string value;
  friend bool operator==(const DropsClaimLabel&, const DropsClaimLabel&) = default;
};
struct AsksLess {
  NodeName node;
  std::string resource;   // "cpu", "memory", or as the pod names it
  std::int64_t less = 0;  // cpu in thousandths, memory in bytes
  friend bool operator==(const AsksLess&, const AsksLess&) = default;
};
struct AsksFewerGpus {
  NodeName node;
  ClaimName claim;  // empty: the pod itself asks
  std::int32_t gpus = 0;
  std::int32_t instead_of = 0;
  friend bool operator==(const AsksFewerGpus&, const AsksFewerGpus&) = default;
};
// The containers ask for as many as the claim or the map.
struct CountsAgree {
  NodeName node;
  std::int64_t gpus = 0;
  std::string resource;  // by which they ask
  friend bool operator==(const CountsAgree&, const CountsAgree&) = default;
};
struct ClaimComes {
  NodeName node;
  ClaimName claim;
  std::int32_t gpus = 0;
  friend bool operator==(const ClaimComes&, const ClaimComes&) = default;
};

// In the order in which they are told.
using Change = std::variant<CountsAgree, ClaimComes, PrefersTopology, PodEnds, GpuHeals,
                            ReservationEnds, ToleratesTaint, IsUncordoned, DropsSelector,
                            DropsAffinity, DropsClaimLabel, AsksLess, AsksFewerGpus>;

// "PodEnds", for programs.
[[nodiscard]] std::string_view NameOf(const Change& change);
[[nodiscard]] const NodeName& NodeOf(const Change& change);
// "when ml/train-3 on node-b ends", "on node-c if it tolerated dedicated=ml"
[[nodiscard]] std::string ToString(const Change& change);
std::ostream& operator<<(std::ostream& out, const Change& change);

}  // namespace gs::explain
