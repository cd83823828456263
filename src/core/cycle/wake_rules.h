// What wakes pods that wait, as switches, so that a test can show that each of them is needed.
// Nobody but a test turns one off.
#pragma once

namespace gs::cycle {

struct WakeRules {
  bool node_changed = true;        // a node is new, or offers something else
  bool node_left = true;           // there are fewer to be spread over, or to be confused with
  bool machine_changed = true;     // its agent reports other GPUs, or other health
  bool room_freed = true;          // CPU, memory, ports, a place for a pod
  bool gpus_freed = true;          // somebody let go of ids
  bool release_ended = true;       // nothing is left of a pod that is gone
  bool claim_changed = true;       // the claim that it names
  bool storage_changed = true;     // volumes and all about them
  bool company_changed = true;     // pods that it asks about came, went or changed their labels
  bool others_distance = true;     // pods that keep away from it, and not from its like
  bool namespaces_changed = true;  // whose pods are meant by what it asks about others
  bool rejection_over = true;      // its controller may be sent to a node again
  bool reservation_over = true;    // a node is no longer kept for somebody else

  friend bool operator==(const WakeRules&, const WakeRules&) = default;
};

}  // namespace gs::cycle
