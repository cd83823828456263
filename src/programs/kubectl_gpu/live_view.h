// LiveView: a cluster as it was a moment ago, seen with the rights of whoever asks, in the form in
// which the scheduler sees it. It is listed once; nothing is watched and nothing is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/kube/api/connection.h"
#include "base/result.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/model/event.h"
#include "programs/kubectl_gpu/cluster_question.h"

namespace gs::kubectl_gpu {

struct LiveView {
  TimePoint now;
  std::vector<model::Event> events;     // what was listed
  std::unique_ptr<cycle::Cycle> cycle;  // that has seen them, and decides nothing
  std::vector<std::string> warnings{};  // what could not be seen, and what that means
};

// Pods and nodes must be readable; what else is hidden is a warning.
[[nodiscard]] Result<LiveView> ReadLiveView(kube::Connection& connection,
                                            const ClusterOptions& options);

// A cycle that has seen these events as a standby does.
[[nodiscard]] std::unique_ptr<cycle::Cycle> StandbyWith(const std::vector<model::Event>& events,
                                                        const ClusterOptions& options,
                                                        TimePoint now);

}  // namespace gs::kubectl_gpu
