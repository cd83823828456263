// VolumeSteps: what happens to a pod's volumes between the decision and its commit. For a claim
// without a volume either one that is there is kept for it, or a node is selected for which one is
// made; then somebody else, the volume controller or a driver, binds the claim.
//
// Nothing is in flight meanwhile: the pod is assumed on its node, so that others leave it its
// place, and no more. Once all its claims are seen bound it is decided anew, with everything as it
// is then. What was written stands in claims and volumes, so the next leader goes on from there,
// and no claim is written twice: each write holds only for the version that was decided on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/cache/volume_choice.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::cycle {

class VolumeSteps {
 public:
  // It came to nothing: the decision has to be taken back.
  struct Failure {
    PodUid pod;
    std::string why;
    bool is_passing = false;  // somebody was faster; not worth a word
  };
  // What there is to do now.
  struct Turn {
    std::vector<model::Command> commands;
    std::vector<PodUid> bound;  // these have all their volumes, and are forgotten
    std::vector<Failure> failed;
    std::vector<PodUid> ended;  // the pods themselves have; forgotten too
  };
  using NextAttempt = std::function<AttemptId()>;

  explicit VolumeSteps(Duration timeout = std::chrono::minutes(10)) : timeout_(timeout) {}

  // Requires: the cache has taken this decision in.
  void Start(const model::PodRef& pod, const NodeName& node, const cache::VolumeChoice& choice,
             TimePoint now);
  // Answers to writes; others do nothing.
  void Apply(const model::Event& event);
  [[nodiscard]] Turn Tick(const cache::Cache& cache, const NextAttempt& next_attempt,
                          TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;
  [[nodiscard]] std::size_t size() const { return waits_.size(); }

 private:
  struct Step {
    std::string claim;
    std::string volume;   // to be kept for it; empty: one is made
    AttemptId attempt{};  // of the write; empty: nothing was written
    std::optional<model::WriteOutcome> outcome{};
    ResourceVersion written{};
  };
  struct Wait {
    model::PodRef pod;
    NodeName node;
    std::vector<Step> steps;
    TimePoint until;
  };
  class Look;  // at one wait, with everything as it is now

  Duration timeout_;  // constant after construction
  std::map<PodUid, Wait> waits_;
};

}  // namespace gs::cycle
