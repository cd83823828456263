// NodeAgents: the hearts of the agents of one process, by node. Routes what watches tell to the
// node that it concerns, and runs those that have heard something or whose time has come.
//
// A DaemonSet's process has one node, a simulated cluster thousands: what happens on one costs the
// others nothing. For one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/agent/agent.h"
#include "core/agent/command.h"
#include "core/agent/event.h"
#include "core/model/event.h"

namespace gs::agent {

class NodeAgents {
 public:
  struct Said {
    NodeName node;
    Command command;
  };

  explicit NodeAgents(const std::vector<AgentOptions>& agents);

  // From a watch. What concerns none of the nodes is dropped.
  void Hear(const model::Event& event);
  void Hear(const NodeName& node, Event event);

  [[nodiscard]] std::vector<Said> RunOnce(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // In the order of the names.
  template <class See>
  void ForEach(const See& see) const {
    for (const auto& [name, node] : nodes_) see(name, node.agent);
  }

 private:
  struct Node {
    Agent agent;
    std::vector<Event> heard;
    std::optional<TimePoint> wake;
  };

  void HearAll(const Event& event);
  void Route(const model::PodSeen& seen);
  void Route(const model::PodGone& gone);
  void Route(const model::KindMissing& missing);
  void Route(const model::ViewReached& view);

  std::map<NodeName, Node> nodes_;
  std::map<PodUid, NodeName> pods_;  // where they are: a pod that is gone does not say
  std::set<model::Kind> complete_;   // views that have told all there is
  std::set<NodeName> ready_;         // have heard something
  std::set<std::pair<TimePoint, NodeName>> wakes_;
};

}  // namespace gs::agent
