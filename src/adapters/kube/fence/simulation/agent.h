// Agent: tells what is in use on a node: what its view of pods says, which may be late, and what
// runs there, which it sees. Between looking and writing anything may happen.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "adapters/kube/fence/simulation/server.h"
#include "adapters/kube/fence/simulation/view_stream.h"
#include "base/ids.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::kube::simulation {

class Agent {
 public:
  Agent(NodeName node, int gpus);

  // It is told so many changes of pods.
  void Watch(const Server& server, int count);
  // It looks at its node.
  void Look(const Server& server);
  // What it has seen when it looked is stored.
  void Write(Server& server);
  // Somebody waits for a report, or it would say something else than the one that is stored.
  [[nodiscard]] bool HasNews(const Server& server) const;

 private:
  void Leave(const PodUid& pod);
  [[nodiscard]] model::Machine Use(const Server& server) const;

  NodeName node_;
  int gpus_;
  ViewStream stream_;
  std::map<PodUid, model::Pod> live_;
  std::set<PodUid> left_;  // that were here
  std::optional<model::Machine> looked_;
  bool owes_ = false;  // a report, since somebody has left
};

}  // namespace gs::kube::simulation
