// Made-up pods, nodes, machines and claims of a small cluster, where everything is scarce and
// everybody asks for the same few things, so that somebody nearly always waits for somebody else.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "core/model/claim.h"
#include "core/model/device.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/storage.h"
#include "tests/scenarios/waiting/history.h"

namespace gs::scenarios::waiting {

inline constexpr std::uint32_t kNodes = 4;
inline constexpr std::uint32_t kGpus = 3;  // of most nodes
inline constexpr std::uint32_t kVolumeClaims = 4;

[[nodiscard]] NodeName NodeAt(std::uint32_t number);
[[nodiscard]] Namespace AnyNamespace(Dice& dice);

// A plain node, and what may be different about one.
[[nodiscard]] model::Node NodeOf(const NodeName& name);
void Cordon(model::Node& node, Dice& dice);
void TaintIt(model::Node& node, Dice& dice);
void Relabel(model::Node& node, Dice& dice);
void Resize(model::Node& node, Dice& dice);

[[nodiscard]] model::Machine MachineOf();
// Some of its GPUs are ill or have changed places, or there are fewer.
[[nodiscard]] model::Machine AnyMachine(Dice& dice);

// One of three, of which the last is shared at first.
[[nodiscard]] model::Claim ClaimOf(std::uint32_t number);
[[nodiscard]] model::Claim AnyClaim(Dice& dice);

// Whatever a pod may ask for; without a name.
[[nodiscard]] model::Pod AnyPod(Dice& dice);
// The same without what only a scheduler of ours reads.
[[nodiscard]] model::Pod AnyForeignPod(Dice& dice);
// A pod that asks for the same, and may differ from it in what others see. Requires: it waits.
[[nodiscard]] model::Pod LikeIt(const model::Pod& pod, Dice& dice);
void RelabelIt(model::Pod& pod, Dice& dice);
// What may be edited of a pod that is not bound yet.
void EditIt(model::Pod& pod, Dice& dice);

enum class Class : std::uint8_t {
  kLocal,   // volumes are there, each in reach of one node
  kMade,    // a volume is made when a pod needs it
  kAtOnce,  // the same, but nobody waits for the pod
};
[[nodiscard]] model::StorageClass ClassOf(Class which);
[[nodiscard]] std::string VolumeClaimAt(std::uint32_t number);
[[nodiscard]] model::VolumeClaim VolumeClaimOf(const Namespace& ns, std::uint32_t number);
// What a driver can attach to a node, a volume that is or is not attached there, or a class.
[[nodiscard]] model::StorageObject AnyStorage(Dice& dice);
// In reach of one node; without a name.
[[nodiscard]] model::Volume AnyVolume(Dice& dice);

}  // namespace gs::scenarios::waiting
