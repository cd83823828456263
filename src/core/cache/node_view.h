// NodeView: one node with everything that is on it, as decisions need it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/ids.h"
#include "core/cache/holders.h"
#include "core/model/event.h"
#include "core/model/host_port.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/resource_sum.h"

namespace gs::cache {

// How GPUs reach the containers of a node. The two never meet on one node.
enum class Handover : std::uint8_t {
  kNone,     // no live pod uses GPUs there
  kCounted,  // a live pod requests a GPU resource: a device plugin hands them out
  kDirect,   // a live pod of ours holds ids without requesting it
  kMixed,    // both: somebody else's doing
};

// A pod that another release is binding to the node.
struct OthersPod {
  model::PodRef pod;
  SchedulerName scheduler;  // of that release
  bool is_counted = false;  // a device plugin gives it GPUs, nobody knows which

  friend bool operator==(const OthersPod&, const OthersPod&) = default;
};

struct NodeView {
  model::Node node;       // node.machine is what the agent reports, whenever it does
  bool is_known = true;   // false: pods are on it, but no Node object of that name is seen
  bool is_noted = false;  // as changed: see Cache::TakeChangedNodes

  Holders holders;
  model::ResourceSum used;                    // by pods that are bound or assumed and not terminal
  std::int64_t pods_used = 0;                 // likewise
  std::map<model::HostPort, int> host_ports;  // taken, and by how many pods
  std::vector<model::PodRef> counted_pods;    // live pods that request a GPU resource
  std::vector<model::PodRef> direct_pods;     // live pods of ours that hold ids without

  // Gone, and something of them may be left on GPUs of the node. Of the two lists above they stay
  // in the one that they were in.
  std::vector<model::PodRef> releasing_pods;

  // Listed in the fence by other releases. What they are planned with is in `holders` too.
  std::vector<OthersPod> others_pods;

  // GPUs whose UUID changed under a live holder, and those that were its own and have another
  // number now: not given to anybody until that holder is gone.
  std::set<GpuId> renumbered;

  ResourceVersion machine_version;  // of the agent's last report
  NodeUid machine_owner;            // the node it was written for; empty: it does not say
  // A report that was written for an earlier node of this name; null: there is none.
  std::shared_ptr<const model::MachineSeen> withheld;
  // Another one for every machine that any node ever had; what is derived from the machine may be
  // kept as long as this stays. 0: none so far.
  std::uint64_t machine_generation = 0;

  [[nodiscard]] Handover handover() const;
  // The ids that exist: those of the machine, else 0..n-1 of the node's GPU capacity, the first
  // kMaxDevices of them. Empty where nobody says how many there are.
  [[nodiscard]] std::vector<GpuId> gpu_ids() const;
  // Also where nobody says how many: a device plugin counts parts of them.
  [[nodiscard]] bool has_gpus() const;
  // Fit to be given: healthy, and still the GPU that its holders were given.
  [[nodiscard]] bool is_healthy(GpuId gpu) const;
};

}  // namespace gs::cache
