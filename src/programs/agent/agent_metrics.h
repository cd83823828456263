// AgentMetrics: what /metrics shows of the nodes of this process.
#pragma once

#include <string>
#include <string_view>

#include "adapters/metrics/registry.h"
#include "core/model/event.h"
#include "programs/agent/node_agents.h"

namespace gs::agent {

class AgentMetrics {
 public:
  explicit AgentMetrics(std::string_view version);

  void Show(const NodeAgents& agents) const;
  void CountWrite(model::WriteOutcome outcome) const;
  // From any thread.
  [[nodiscard]] std::string Print() const { return registry_.Print(); }

 private:
  metrics::Registry registry_;
  metrics::Gauges healthy_;
  metrics::Gauges pods_;
  metrics::Gauges residue_;
  metrics::Gauges memory_;
  metrics::Gauges gpus_;
  metrics::Gauges readable_;
  metrics::Gauges observed_;
  metrics::Gauges mismatches_;
  metrics::Gauges standing_back_;
  metrics::Counters writes_;
};

}  // namespace gs::agent
