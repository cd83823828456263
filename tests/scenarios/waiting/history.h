// History: what happens to a cluster in which pods wait, as a list of steps that mean something
// whatever is left out of it, so that one that goes wrong can be made small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "adapters/kube/fence/simulation/schedule.h"

namespace gs::scenarios::waiting {

using kube::simulation::Dice;

enum class Action : std::uint8_t {
  kCreatePod,
  kCreateForeignPod,  // of another scheduler, on its node already
  kOpenGate,          // a pod that was held back may be scheduled
  kStartPod,
  kEndPod,         // well, or badly; before it ran: its kubelet has rejected it
  kDeletePod,      // asked to go, then gone
  kForcePod,       // gone without an end
  kDeclareFailed,  // by somebody else than its kubelet
  kRelabelPod,
  kEditPod,     // that waits: what it asks for in GPUs, or which taints it puts up with
  kResizePod,   // in place
  kAddNode,     // as it was when it left, or as new
  kCordonNode,  // or the reverse; the same with those that follow
  kTaintNode,
  kRelabelNode,
  kResizeNode,
  kRemoveNode,
  kReport,  // an agent reports what is there; other health, other GPUs
  kRemoveAgent,
  kEndProcesses,  // of a pod that was gone before they were
  kPutClaim,      // made or edited
  kRemoveClaim,
  kLabelNamespace,
  kPutVolumeClaim,
  kRemoveVolumeClaim,
  kPutVolume,
  kChangeStorage,  // classes, limits of drivers, what is attached
  kBindVolume,     // the volume controller does its part
  kListForOther,   // another release is committing a pod
  kBindForOther,
  kResolveOther,  // it takes off what it lists, or is silent
  kTrouble,       // the next request of some kind goes wrong
  kRelease,       // what was held on its way arrives
  kTell,          // some news of one kind, or an answer, and a run
  kPass,          // time passes and the scheduler runs, told nothing new
  kSettle,        // everything arrives
  kRest,          // the same, and a second passes
  kWait,          // minutes
  kRestart,       // another process leads
};

[[nodiscard]] std::string_view ToString(Action action);

// The numbers are read as the action needs them.
struct Step {
  Action action = Action::kRest;
  std::uint32_t number = 0;
};
using History = std::vector<Step>;

// How often each action comes, relative to the others.
using Weights = std::map<Action, int>;
[[nodiscard]] Weights AllActions();
// Pods, and these actions often; nothing else but time.
[[nodiscard]] Weights Only(const std::vector<Action>& actions);

[[nodiscard]] History Roll(Dice& dice, const Weights& weights, std::size_t count);

}  // namespace gs::scenarios::waiting
