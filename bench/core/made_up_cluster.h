// A cluster for measurements, as events: nodes with eight GPUs behind NVSwitch, pods that have some
// of them, and a cycle that leads it.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/model/event.h"

namespace gs::bench {

inline constexpr int kGpusPerNode = 8;
inline const TimePoint kNow{std::chrono::hours(1)};

struct ClusterShape {
  int nodes = 5'000;
  double gpus_in_use = 0.5;  // share of all
  int pods_per_node = 10;    // those with GPUs included
  bool has_leases = false;   // those with GPUs have the Leases of them, which otherwise are missing
};

// Claims of 1, 2, 4 and 8 GPUs are there, by this name.
[[nodiscard]] std::string ClaimFor(int gpus);

[[nodiscard]] model::Pod WaitingPod(int number, int gpus);

class MadeUpCluster {
 public:
  explicit MadeUpCluster(const ClusterShape& shape);

  [[nodiscard]] cycle::Cycle& cycle() { return cycle_; }
  [[nodiscard]] const std::vector<model::Pod>& gpu_pods() const { return gpu_pods_; }
  [[nodiscard]] const std::vector<model::Pod>& other_pods() const { return other_pods_; }

  // One run; when it ends, tables that it wished for are there.
  std::vector<model::Command> Run(const std::vector<model::Event>& events);
  // Answers every write with success, until nothing is on its way.
  void Settle(std::vector<model::Command> commands);

 private:
  void AddNode(int number, std::vector<model::Event>& events) const;
  void AddPods(const ClusterShape& shape, std::vector<model::Event>& events);
  void Lead();

  cycle::Cycle cycle_;
  std::vector<model::Pod> gpu_pods_;    // bound, with GPUs
  std::vector<model::Pod> other_pods_;  // bound, without
};

}  // namespace gs::bench
