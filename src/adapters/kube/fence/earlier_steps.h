// EarlierSteps: taking the election Lease of the version before for ever, by the rule of that
// version: if nobody holds it, or if its holder has written nothing for the whole lease. One that
// is not there is made, so that nobody makes it later.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kube/fence/earlier_election.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::kube {

struct ReadEarlier {};
struct CreateEarlier {
  EarlierElection lease;
};
struct PutEarlier {
  EarlierElection lease;
};
using EarlierRequest = std::variant<ReadEarlier, CreateEarlier, PutEarlier>;

class EarlierSteps {
 public:
  // `fresh` is what is made where there is none; the others are ours, as the fence has them.
  EarlierSteps(LeaseMetadata fresh, Duration lease, Duration retry)
      : fresh_(std::move(fresh)), lease_(lease), retry_(retry) {}

  [[nodiscard]] bool is_done() const { return is_done_; }
  // Once it is done: what its last leader was committing; nothing: not known.
  [[nodiscard]] const std::optional<std::vector<model::PodRef>>& list() const { return list_; }
  // Nothing is to be asked before.
  [[nodiscard]] Duration not_before() const { return not_before_; }

  // Requires: not done.
  [[nodiscard]] EarlierRequest Next(TimePoint wall);
  // Of what Next() gave out last. False: something is wrong, and it may be asked again some time
  // later.
  [[nodiscard]] bool Answer(Duration now, model::WriteOutcome outcome,
                            const std::optional<EarlierElection>& lease);

 private:
  enum class Step : std::uint8_t { kRead, kCreate, kTake };

  void Observe(Duration now, const EarlierElection& lease);

  const LeaseMetadata fresh_;
  const Duration lease_;
  const Duration retry_;
  Step step_ = Step::kRead;  // next
  bool is_create_ = false;   // the one before
  std::optional<EarlierElection> seen_;
  Duration since_{0};  // nothing has happened to it since
  Duration not_before_{0};
  bool is_done_ = false;
  std::optional<std::vector<model::PodRef>> list_;
};

}  // namespace gs::kube
