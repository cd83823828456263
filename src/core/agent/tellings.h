// Tellings: what is worth an event about the node, each thing once: GPUs that fall ill, recover or
// vanish, pods with other GPUs than planned, what gone pods left behind, and trouble of the agent
// itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/agent/command.h"
#include "core/agent/gpu_use.h"
#include "core/model/device.h"
#include "core/model/node_report.h"

namespace gs::agent {

class Tellings {
 public:
  // What was told before this process began: no event about what has not changed since.
  void Begin(const model::Machine& told);

  [[nodiscard]] std::vector<RaiseEvent> About(const model::NodeReport& report, const GpuUse& use);
  // `rival` is the other agent that reports for this node.
  [[nodiscard]] std::optional<RaiseEvent> AboutRival(const std::string* rival);

 private:
  struct Told {
    std::string title;
    std::string trouble;  // empty: healthy
  };
  void TellHealth(const model::Machine& machine, std::vector<RaiseEvent>& events);
  void TellMismatches(const GpuUse& use, std::vector<RaiseEvent>& events);
  void TellResidue(const model::Machine& machine, std::vector<RaiseEvent>& events);

  std::map<std::string, Told> gpus_;  // by UUID, or by number where there is none
  std::set<std::string> mismatches_;
  std::set<std::string> residue_;
  std::string stale_;
  std::string rival_;
};

}  // namespace gs::agent
