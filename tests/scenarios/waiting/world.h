// World: a cluster that lives through a history: users, controllers, kubelets, agents, another
// release, the network, and time. The scheduler's backstop is off, so that nobody is tried again
// for no reason.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "core/cycle/wake_rules.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "tests/scenarios/cluster/cluster.h"
#include "tests/scenarios/cluster/kubelets.h"
#include "tests/scenarios/cluster/neighbour.h"
#include "tests/scenarios/waiting/history.h"

namespace gs::scenarios::waiting {

// What has happened, so that a test can tell whether much has.
struct Tally {
  int runs = 0;      // of the scheduler, after which those who slept were looked at
  int slept = 0;     // of them, in how many somebody slept
  int rests = 0;     // in which a fresh view was looked at
  int bound = 0;     // pods
  int reserved = 0;  // runs in which a node was kept for somebody

  Tally& operator+=(const Tally& other);
};

class World {
 public:
  explicit World(const cycle::WakeRules& wakes);

  void Do(const Step& step);
  // No more trouble, and much time.
  void ComeToRest();

  // What was wrong first; empty: nothing so far.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  // What has happened, for people.
  [[nodiscard]] const std::vector<std::string>& trace() const { return trace_; }
  void KeepTrace() { is_tracing_ = true; }

 private:
  void DoToPod(Action action, Dice& dice);
  void DoToNode(Action action, Dice& dice);
  void DoToClaims(Action action, Dice& dice);
  void DoToOther(Action action, Dice& dice);
  void PassTime(Action action, Dice& dice);

  [[nodiscard]] model::Pod NewPod(Dice& dice);
  void Create(model::Pod pod);
  void ChangePod(Action action, model::Pod pod, Dice& dice);
  void ChangeNode(Action action, model::Node node, Dice& dice);
  // The volume controller does its part, as far as it can.
  void BindVolume(const Namespace& ns, std::uint32_t number);
  void BindVolumes();
  void Trouble(Dice& dice);
  void Tell(Dice& dice);
  void Restart(Dice& dice);
  void Rest();
  void Settle();
  void Look();
  void Fail(const std::string& wrong);
  template <class... Parts>
  void Note(const Parts&... parts) {
    if (!is_tracing_) return;
    std::ostringstream out;
    (out << ... << parts);
    trace_.push_back(out.str());
  }

  Cluster cluster_;
  Kubelets kubelets_{cluster_};
  Neighbour neighbour_{cluster_.api(), kubelets_, SchedulerName("neighbour")};
  int pods_ = 0;
  int nodes_ = 0;  // that were added
  int volumes_ = 0;
  std::string wrong_;
  Tally tally_;
  bool is_tracing_ = false;
  std::vector<std::string> trace_;
};

// Lives through it and says what was wrong; empty: nothing. What happened is added to the tally.
[[nodiscard]] std::string WhatGoesWrong(const History& history, const cycle::WakeRules& wakes,
                                        Tally* tally = nullptr);
// The same with everything that happened.
[[nodiscard]] std::string Explain(const History& history, const cycle::WakeRules& wakes);

}  // namespace gs::scenarios::waiting
