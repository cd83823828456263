// FindUse: who uses which GPU of the node. Pods have GPUs by the scheduler's plan; the kubelet's
// plugins may have given them others; processes may outlive their pods.
//
// A pure function: what is not known long enough to be believed is the caller's to tell.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/agent/event.h"
#include "core/model/allocation.h"
#include "core/model/device.h"
#include "core/model/device_report.h"
#include "core/model/pod.h"

namespace gs::agent {

// A pod of the node that holds what it holds: it is not terminal.
struct LivePod {
  model::PodRef ref;
  std::optional<model::Allocation> plan{};  // on this node
  bool had_running_container = false;
};

struct UseFacts {
  const model::Machine& machine;
  // On machine.devices[i]; may be shorter.
  std::span<const std::vector<model::GpuProcess>> processes;
  std::span<const Held> held;
  std::span<const LivePod> pods;           // of the node, all of them
  std::span<const model::PodRef> gone;     // that were of the node, and are seen deleted
  const std::set<std::string>& strangers;  // nobody's for so long that they count as gone
};

// The plugins gave a pod of ours other GPUs than the scheduler had planned.
struct Mismatch {
  model::PodRef pod;
  std::vector<GpuId> planned;  // ascending
  std::vector<GpuId> given;    // ascending

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

// The pod was given this GPU under another id.
struct Renumbered {
  std::size_t device = 0;  // its position in the machine
  model::PodRef pod;

  friend bool operator==(const Renumbered&, const Renumbered&) = default;
};

struct GpuUse {
  // By position: "namespace/name" of pods, and UIDs (or names, where nobody knows the UID) of pods
  // that are gone; each once, ordered.
  std::vector<std::vector<std::string>> in_use_by;
  std::vector<std::vector<PodUid>> residue;
  std::vector<Mismatch> mismatches;    // by pod
  std::vector<Renumbered> renumbered;  // by position, then pod
  std::set<std::string> unknown;       // neither live nor seen gone: UIDs, or "namespace/name"
};

[[nodiscard]] GpuUse FindUse(const UseFacts& facts);

// The position of the GPU that a device plugin calls so: by UUID, by PCI address, or by number, and
// with "::replica" behind it where a plugin shares GPUs. Nothing: none of ours.
[[nodiscard]] std::optional<std::size_t> FindDevice(const model::Machine& machine,
                                                    std::string_view id);

}  // namespace gs::agent
