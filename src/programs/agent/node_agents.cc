#include "programs/agent/node_agents.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace gs::agent {

NodeAgents::NodeAgents(const std::vector<AgentOptions>& agents) {
  for (const AgentOptions& options : agents) {
    nodes_.emplace(options.node, Node{.agent = Agent(options), .heard = {}, .wake = {}});
  }
}

void NodeAgents::Hear(const NodeName& node, Event event) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  found->second.heard.push_back(std::move(event));
  ready_.insert(node);
}

void NodeAgents::HearAll(const Event& event) {
  for (auto& [name, node] : nodes_) {
    node.heard.push_back(event);
    ready_.insert(name);
  }
}

void NodeAgents::Route(const model::PodSeen& seen) {
  if (!nodes_.contains(seen.pod.node)) return;
  pods_[seen.pod.ref.uid] = seen.pod.node;
  Hear(seen.pod.node, seen);
}

void NodeAgents::Route(const model::PodGone& gone) {
  const auto found = pods_.find(gone.pod.uid);
  if (found == pods_.end()) return;
  Hear(found->second, gone);
  pods_.erase(found);
}

// Nobody has a report then, and that is known.
void NodeAgents::Route(const model::KindMissing& missing) {
  if (missing.kind != model::Kind::kMachine) return;
  for (const auto& [name, node] : nodes_) Hear(name, model::MachineGone{name});
  Route(model::ViewReached{model::Kind::kMachine, {}});
}

// Views move on all the time; only that they are complete is news.
void NodeAgents::Route(const model::ViewReached& view) {
  if (complete_.insert(view.kind).second) HearAll(view);
}

void NodeAgents::Hear(const model::Event& event) {
  std::visit(
      [this](const auto& one) {
        using Kind = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Kind, model::PodSeen> ||
                      std::is_same_v<Kind, model::PodGone> ||
                      std::is_same_v<Kind, model::KindMissing> ||
                      std::is_same_v<Kind, model::ViewReached>) {
          Route(one);
        } else if constexpr (std::is_same_v<Kind, model::NodeSeen>) {
          Hear(one.node.name, one);
        } else if constexpr (std::is_same_v<Kind, model::NodeGone> ||
                             std::is_same_v<Kind, model::MachineSeen> ||
                             std::is_same_v<Kind, model::MachineGone>) {
          Hear(one.node, one);
        }
      },
      event);
}

std::vector<NodeAgents::Said> NodeAgents::RunOnce(TimePoint now) {
  while (!wakes_.empty() && wakes_.begin()->first <= now) {
    ready_.insert(wakes_.begin()->second);
    wakes_.erase(wakes_.begin());
  }
  std::vector<Said> said;
  for (const NodeName& name : std::exchange(ready_, {})) {
    Node& node = nodes_.at(name);
    if (node.wake) wakes_.erase({*node.wake, name});
    const std::vector<Event> heard = std::exchange(node.heard, {});
    for (Command& command : node.agent.RunOnce(heard, now)) {
      said.push_back({name, std::move(command)});
    }
    node.wake = node.agent.NextWake();
    if (node.wake) wakes_.insert({*node.wake, name});
  }
  return said;
}

std::optional<TimePoint> NodeAgents::NextWake() const {
  if (!ready_.empty()) return TimePoint{};
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->first;
}

}  // namespace gs::agent
