// InVain: who waits although there is a place for him.
//
// A place is a node where decide, asked about every node without any shortcut, would send the pod
// now: so it is free, and nobody has a better right to it, since what is kept for others counts.
//
//   - By the scheduler's own view: a run tries everybody whom anything can have helped, so whoever
//     sleeps when a run is over has no place. Nothing excuses it; it holds after every single run.
//   - By a view made from nothing but what the API server has: when everything has arrived and a
//     second has passed, nobody has a place there either. Excused are those who back off after an
//     attempt that failed, nodes whose GPUs are still being let go, and, where somebody is on his
//     way, everybody.
//
// Who waits longest and what is kept for him is taken from the scheduler; all the rest is not.
#pragma once

#include <string>

#include "core/cycle/cycle.h"
#include "tests/scenarios/cluster/cluster.h"

namespace gs::scenarios::waiting {

// What is wrong, for people; empty: nothing.
[[nodiscard]] std::string SleepsInVain(const cycle::Cycle& scheduler);
// Requires: the cluster has settled.
[[nodiscard]] std::string WaitsInVain(const Cluster& cluster);
// Nobody is on his way or backs off, as it must be when all trouble is long over.
[[nodiscard]] std::string IsStuck(const Cluster& cluster);

}  // namespace gs::scenarios::waiting
