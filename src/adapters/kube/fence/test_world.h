// TestWorld: several processes of several releases that want to lead, an API server and a bad
// network, in virtual time. Answers get lost, requests arrive late or twice, processes pause, crash
// and come back, releases fall silent, people delete and edit the fence. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/kube/fence/fence_steps.h"

namespace gs::kube {

// What the API server checks before it replaces an object. Only to show that it matters.
enum class Preconditions : std::uint8_t { kChecked, kVersionIgnored, kUidIgnored };

// What there is at the beginning.
enum class Beginning : std::uint8_t {
  kFence,    // in which every release has led before
  kNothing,  // a new cluster
  kEarlier,  // releases of the version before, one of whose leaders still lives for a while
};

struct WorldPlan {
  std::size_t releases = 2;
  std::size_t processes = 2;  // of each
  FenceOptions options{};
  Beginning beginning = Beginning::kFence;
  // What happens at each fork; zero, and everything past the end, is what usually happens.
  std::vector<std::uint32_t> fates{};
  Preconditions preconditions = Preconditions::kChecked;
};

struct WorldReport {
  std::string violation;  // empty: none
  int wins = 0;
  int listed = 0;
  int refused = 0;
  int dropped = 0;          // entries of silent releases
  std::size_t leaders = 0;  // at the end
};

[[nodiscard]] WorldReport RunWorld(const WorldPlan& plan);

}  // namespace gs::kube
