// Enumeration of all subsets of one size, in ascending order of their members.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace gs::devices {

// Calls visit(chosen | subset) for every subset of `pool` with `size` members. Plain bits, because
// this is the inner loop of the tables. Cost: a few ns per subset.
template <std::unsigned_integral Bits, class Visit>
void ForEachSubset(Bits pool, int size, Bits chosen, Visit& visit) {
  if (size == 0) {
    visit(chosen);
    return;
  }
  for (int left = std::popcount(pool); left >= size; --left) {
    const Bits lowest = pool & (~pool + 1);
    pool ^= lowest;
    ForEachSubset(pool, size - 1, static_cast<Bits>(chosen | lowest), visit);
  }
}

}  // namespace gs::devices
