// The chooser: the free GPUs of one node and a request in, the best set or the reason for none out.
//
// Exact, not greedy: of all sets that satisfy the request it takes the one that is best in this
// order.
//   contiguous (and preferIds after its must-includes), mode Preferred or Required:
//     fewest islands; highest link score of the best partition of the free GPUs that contains the
//     set; highest score of the set; fewest runs of ids; smallest span; lowest ids.
//   contiguous, mode Ignore: fewest runs, smallest span, best rest, fewest runs in the rest, lowest
//   ids. spread: fewest pairs in one island, in one NUMA node, behind one switch; lowest set score;
//   best rest; lowest ids. Shared: before all that, most GPUs that are shared already, then the
//   fullest ones.
// A partition cuts the unused GPUs into sets of the asked size; what does not fill a set is one
// smaller set. For single GPUs, which have no pairs, the rest is worth the sum of its pair scores
// instead.
//
// Bounds. With at most 16 candidate GPUs every answer is exact. With 17 to 64 it is exact where the
// machine is built of islands: GPUs that are wired alike count as one class, and the search runs
// over counts per class inside a fixed budget. Past that budget the answer is the best one found by
// greedy growth and swaps; it still satisfies every restriction, Required is still decided exactly,
// and the Choice says is_exact = false.
#pragma once

#include "core/decide/devices/choice.h"
#include "core/decide/devices/table.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

// `tables` may be null or lack the right table: the same answer is then searched directly.
// Same arguments, same answer.
[[nodiscard]] Outcome Choose(const Topology& topology, const Availability& availability,
                             const Request& request, const TableCache* tables = nullptr);

}  // namespace gs::devices
