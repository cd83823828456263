// TestWorld: several processes that want to lead, an API server and a bad network, in virtual time.
// Answers get lost, requests arrive late or twice, processes pause, crash and come back, people
// delete and edit the Lease. Looks after every event whether two believe to lead at the same time,
// and whether a list that was reported as written got lost. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/kube/election/election_steps.h"

namespace gs::kube {

// What the API server checks before it replaces an object. Only to show that it matters.
enum class Preconditions : std::uint8_t { kChecked, kVersionIgnored, kUidIgnored };

struct WorldPlan {
  std::size_t processes = 2;
  ElectionOptions options;
  // What happens at each fork; zero, and everything past the end, is what usually happens.
  std::vector<std::uint32_t> fates;
  Preconditions preconditions = Preconditions::kChecked;
};

struct WorldReport {
  std::string violation;  // empty: none
  int wins = 0;
  int listed = 0;
  bool has_leader = false;  // at the end
};

[[nodiscard]] WorldReport RunWorld(const WorldPlan& plan);

}  // namespace gs::kube
