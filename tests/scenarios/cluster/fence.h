// Fence: the cluster's one fence, and whoever writes it for a release: a list is written at once,
// by the rules of the fence, or held back until it may be.
//
// The scheduler under test has one record. Those of other releases are written by whoever plays
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/fence.h"

namespace gs::scenarios {

class Fence {
 public:
  // The record goes to another process, which is told what it has to know.
  model::LeadershipWon TakeOver(const std::string& leader);
  // As far as the sender leads. Nothing: it waits for a newer view.
  std::optional<model::Event> List(const model::ListInFlight& list, const std::string& sender);
  // What the scheduler is told of the others.
  [[nodiscard]] const model::FenceSeen& others() const { return others_; }

  // By hand. The next to take over makes it anew, and knows nobody's list.
  void Delete();
  // Our release is not in the fence yet; its version before may be binding these pods, to GPUs that
  // it told nobody.
  void LeaveUnresolved(std::vector<model::PodRef> pods);

  // False: it would clash with what is listed, or nobody may list anything now.
  bool ListForOther(const model::InFlightPod& pod, const SchedulerName& scheduler);
  // Its pod was bound at this version; empty: it never will be.
  void TakeOffOther(const PodUid& pod, const ResourceVersion& bound_at);
  // No sign of life of the others for long, or there is one.
  void SetSilent(bool is_silent);

  // From now on a list may clash with what others list, which no fence allows: to show that a test
  // would notice.
  void IgnoreOthers() { ignores_others_ = true; }

 private:
  [[nodiscard]] bool ClashesWithOthers(const model::InFlightPod& pod) const;
  void Drop(const std::vector<model::InFlightPod>& dropped);

  std::string leader_;
  std::int64_t transitions_ = 0;
  std::uint64_t revision_ = 0;  // of our list
  std::vector<model::InFlightPod> ours_;
  ResourceVersion settled_;  // ours
  std::vector<model::PodRef> unresolved_;
  model::FenceSeen others_;
  bool is_unsettled_ = false;
  bool ignores_others_ = false;
};

}  // namespace gs::scenarios
