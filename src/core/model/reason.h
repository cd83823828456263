// Why a pod waits: a token that programs may rely on and a sentence that a person can act on. Of
// several reasons one leads, always the same one for the same set, so that a pod's condition does
// not flicker.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gs::model {

// In order of precedence. First what only its author can mend, then what needs another object, then
// what the cluster as it is cannot offer, last what passes with time.
enum class ReasonToken : std::uint8_t {
  kMapInvalid,        // the map cannot be read, or has no line for this pod
  kUnsupported,       // asks for something that is not offered
  kCountMismatch,     // the claim's count and the GPUs that the pod requests differ
  kNotInjected,       // the pod lacks what makes the choice reach its containers
  kClaimMissing,      // no claim of that name yet
  kVolumeMissing,     // a volume claim or its class is not there, or not bound, or going
  kNodeMissing,       // the map's node matches no node
  kNodeAmbiguous,     // the map's node matches several
  kGpuMissing,        // the map names a GPU that its node does not have
  kTooLarge,          // more GPUs than the largest node has
  kNodesExcluded,     // selectors, affinity or taints leave no node
  kPodAffinityUnmet,  // other pods are not where it must be near them, or are where it must not
  kSpreadUnmet,       // pods that look like it would be spread too unevenly
  kTopologyUnmet,     // no node has an island or the bandwidth that is required
  kHandoverConflict,  // the only nodes left hand out GPUs the other way
  kPortTaken,         // another pod has a port of the node that it asks for
  kTooFewResources,   // GPUs would be free, but not CPU, memory or pods
  kVolumeInUse,       // somebody else has a volume that may not be shared
  kTooFewGpus,        // too few GPUs are free at the moment
  kGpuHeld,           // a GPU that the map names is held by somebody else
  kGpuReserved,       // free, but kept for a pod that has waited longer
  kGpuReleasing,      // its last holder is not proven gone
  kBackoff,           // the node refused this controller a moment ago
};

[[nodiscard]] std::string_view ToString(ReasonToken token);
// In order of precedence.
[[nodiscard]] std::vector<ReasonToken> AllReasonTokens();

struct Reason {
  ReasonToken token = ReasonToken::kTooFewGpus;
  std::string message;

  friend bool operator==(const Reason&, const Reason&) = default;
};

// The reason that leads; of equal tokens the first. Requires: at least one.
[[nodiscard]] const Reason& LeadingReason(std::span<const Reason> reasons);

// "GpuHeld: GPU 1 of node-a is held by team/b"
[[nodiscard]] std::string ToString(const Reason& reason);
std::ostream& operator<<(std::ostream& out, const Reason& reason);

}  // namespace gs::model
