#include "core/cycle/volume_steps.h"

#include <algorithm>
#include <variant>

#include "base/resource_version.h"

namespace gs::cycle {
namespace {

using model::WriteOutcome;

bool HasEnded(const model::Pod* pod) {
  return pod == nullptr || pod->is_bound() || pod->is_terminal() || pod->is_terminating ||
         !pod->rules->gates.empty();
}

bool IsPassing(WriteOutcome outcome) {
  return outcome == WriteOutcome::kConflict || outcome == WriteOutcome::kNotExecuted ||
         outcome == WriteOutcome::kUnknown;
}

}  // namespace

class VolumeSteps::Look {
 public:
  Look(Wait& wait, const cache::Storage& storage, const NextAttempt& next_attempt)
      : wait_(wait), storage_(storage), next_attempt_(next_attempt) {}

  // Takes every step as far as it can be taken.
  void Take() {
    for (Step& step : wait_.steps) {
      if (!failure_) Take(step);
    }
  }

  [[nodiscard]] bool is_done() const { return !failure_ && bound_ == wait_.steps.size(); }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  [[nodiscard]] std::vector<model::Command>& commands() { return commands_; }

 private:
  void Fail(std::string why) { failure_ = {wait_.pod.uid, std::move(why), false}; }

  void Take(Step& step) {
    const std::string title = "volume claim " + model::InNamespace(wait_.pod.ns, step.claim);
    const auto* claim = storage_.FindClaim({wait_.pod.ns, step.claim});
    if (claim == nullptr || claim->is_lost || claim->is_terminating) {
      return Fail(title + " is not there any more");
    }
    // Wherever that is: the pod follows its volumes.
    if (claim->is_bound) {
      bound_ += storage_.FindVolume(claim->volume) != nullptr ? 1U : 0U;
      return;
    }
    if (step.outcome && *step.outcome != WriteOutcome::kDone) {
      failure_ = {wait_.pod.uid,
                  title + " could not be written: " + std::string(ToString(*step.outcome)),
                  IsPassing(*step.outcome)};
      return;
    }
    step.volume.empty() ? Select(step, *claim, title) : Reserve(step, *claim, title);
  }

  // A write that was answered is seen later, if nobody has written over it.
  [[nodiscard]] static bool IsUnderWay(const Step& step, const ResourceVersion& seen) {
    if (step.attempt.empty()) return false;
    return !step.outcome || step.written.empty() || !IsAtLeast(seen, step.written);
  }

  // Whether this pod is the one that has to write. One claim may be waited for by several.
  [[nodiscard]] bool IsOurs(const Step& step) {
    const PodUid* decider = storage_.DeciderOf({wait_.pod.ns, step.claim});
    if (decider == nullptr) {
      failure_ = {wait_.pod.uid, "whoever wanted the same volume has given up", true};
      return false;
    }
    return *decider == wait_.pod.uid;
  }

  void Select(Step& step, const model::VolumeClaim& claim, const std::string& title) {
    if (claim.selected_node == wait_.node) return;
    if (!claim.selected_node.empty()) {
      return Fail("a volume for " + title + " is being made for " + claim.selected_node.text());
    }
    if (IsUnderWay(step, claim.resource_version)) return;
    if (!step.attempt.empty()) {
      return Fail("no volume for " + title + " could be made for " + wait_.node.text());
    }
    if (!IsOurs(step)) return;
    step.attempt = next_attempt_();
    commands_.emplace_back(
        model::SelectNode{wait_.pod, step.attempt, step.claim, claim.resource_version, wait_.node});
  }

  void Reserve(Step& step, const model::VolumeClaim& claim, const std::string& title) {
    const model::Volume* volume = storage_.FindVolume(step.volume);
    if (volume == nullptr) return Fail("volume " + step.volume + " is not there any more");
    const bool is_named = volume->claim_ns == claim.ns && volume->claim_name == claim.name;
    if (is_named && volume->claim_uid == claim.uid) return;
    if (!volume->claim_name.empty() && !(is_named && volume->claim_uid.empty())) {
      return Fail("volume " + step.volume + " is kept for somebody else");
    }
    if (IsUnderWay(step, volume->resource_version)) return;
    if (!step.attempt.empty()) {
      return Fail("volume " + step.volume + " is no longer kept for " + title);
    }
    if (!IsOurs(step)) return;
    step.attempt = next_attempt_();
    commands_.emplace_back(model::ReserveVolume{wait_.pod, step.attempt, step.claim, claim.uid,
                                                step.volume, volume->resource_version});
  }

  Wait& wait_;
  const cache::Storage& storage_;
  const NextAttempt& next_attempt_;
  std::size_t bound_ = 0;
  std::optional<Failure> failure_;
  std::vector<model::Command> commands_;
};

void VolumeSteps::Start(const model::PodRef& pod, const NodeName& node,
                        const cache::VolumeChoice& choice, TimePoint now) {
  Wait wait{.pod = pod, .node = node, .steps = {}, .until = now + timeout_};
  for (const auto& [claim, volume] : choice.matches) {
    wait.steps.push_back({.claim = claim, .volume = volume});
  }
  for (const auto& claim : choice.to_make) wait.steps.push_back({.claim = claim, .volume = ""});
  waits_.insert_or_assign(pod.uid, std::move(wait));
}

void VolumeSteps::Apply(const model::Event& event) {
  const auto* answer = std::get_if<model::StorageAnswered>(&event);
  if (answer == nullptr) return;
  for (auto& [uid, wait] : waits_) {
    for (Step& step : wait.steps) {
      if (step.attempt != answer->attempt) continue;
      step.outcome = answer->outcome;
      step.written = answer->resource_version;
    }
  }
}

VolumeSteps::Turn VolumeSteps::Tick(const cache::Cache& cache, const NextAttempt& next_attempt,
                                    TimePoint now) {
  Turn turn;
  for (auto entry = waits_.begin(); entry != waits_.end();) {
    auto& [uid, wait] = *entry;
    Look look(wait, cache.storage(), next_attempt);
    const cache::NodeView* node = cache.FindNode(wait.node);
    bool is_over = true;
    if (HasEnded(cache.FindPod(uid))) {
      turn.ended.push_back(uid);
    } else if (node == nullptr || !node->is_known) {
      turn.failed.push_back({uid, "node " + wait.node.text() + " is not there any more"});
    } else if (look.Take(); look.failure()) {
      turn.failed.push_back(*look.failure());
    } else if (look.is_done()) {
      turn.bound.push_back(uid);
    } else if (now >= wait.until) {
      turn.failed.push_back({uid, "its volumes were not bound in time"});
    } else {
      is_over = false;
      std::move(look.commands().begin(), look.commands().end(), std::back_inserter(turn.commands));
    }
    entry = is_over ? waits_.erase(entry) : std::next(entry);
  }
  return turn;
}

std::optional<TimePoint> VolumeSteps::NextWake() const {
  std::optional<TimePoint> first;
  for (const auto& [uid, wait] : waits_) {
    if (!first || wait.until < *first) first = wait.until;
  }
  return first;
}

}  // namespace gs::cycle
