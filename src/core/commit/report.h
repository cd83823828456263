// What the caller is told: how commits ended, and what must never be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::commit {

// How far one pod's commit has come.
enum class Step : std::uint8_t {
  kQueued,    // waits for room on the list
  kListing,   // waits for the fence to hold the list
  kBinding,   // waits for the answer to its Binding
  kTouching,  // makes sure that the Binding cannot come any more, or finds that it has
  kOver,
};

[[nodiscard]] std::string_view ToString(Step step);

// The pod is not bound by this attempt and never will be.
struct NotBound {
  Step step = Step::kQueued;  // where it ended
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  std::string reason;  // for people

  friend bool operator==(const NotBound&, const NotBound&) = default;
};

// One attempt is over.
struct Finished {
  model::PodRef pod;
  AttemptId attempt;
  std::optional<NotBound> not_bound;  // empty: bound as planned

  [[nodiscard]] bool is_bound() const { return !not_bound.has_value(); }

  friend bool operator==(const Finished&, const Finished&) = default;
};

// A predecessor was binding this pod, and it is not known yet what becomes of it: it has these GPUs
// until Finished.
struct Resumed {
  model::PodRef pod;
  model::Allocation allocation;

  friend bool operator==(const Resumed&, const Resumed&) = default;
};

// The pod has refused to be touched for so long that somebody should look at it.
struct NotTouched {
  model::PodRef pod;
  std::string consequence;  // for people

  friend bool operator==(const NotTouched&, const NotTouched&) = default;
};

// These bound pods name one GPU and may not share it. Nothing is deleted because of it; somebody
// has bound a pod, or written annotations, past the scheduler.
struct DoubleAllocation {
  LeaseName lock;
  std::vector<model::PodRef> pods;  // sorted

  friend bool operator==(const DoubleAllocation&, const DoubleAllocation&) = default;
};

using Report = std::variant<Finished, Resumed, NotTouched, DoubleAllocation>;

}  // namespace gs::commit
