// PodResources: which devices the kubelet's plugins gave to which pods, asked at its pod-resources
// socket. The only place that sees gRPC.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/agent/event.h"

namespace gs::kubelet {

class PodResources {
 public:
  // Connects when it is asked, and again after the kubelet was away.
  explicit PodResources(const std::filesystem::path& socket);
  ~PodResources();
  PodResources(const PodResources&) = delete;
  PodResources& operator=(const PodResources&) = delete;
  PodResources(PodResources&&) = delete;
  PodResources& operator=(PodResources&&) = delete;

  // Pods with GPUs, and their GPUs, each pod once, in the order of names. Blocks, at most for that
  // long. From one thread at a time.
  [[nodiscard]] Result<std::vector<agent::Held>> List(Duration timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::kubelet
