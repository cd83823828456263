// ViewProof: brings the view of one kind to where it is known to be at least as new as a moment,
// and knows when it is.
//
// The moment is that of Begin. Unless a version is known that is of after it, the API server is
// asked which one the kind is at. A view that was complete and has not come there after a while is
// listed again.
#pragma once

#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/turn.h"
#include "core/model/event.h"

namespace gs::commit {

class ViewProof {
 public:
  explicit ViewProof(model::Kind kind) : kind_(kind) {}

  void Begin(Turn& turn);
  void Answered(const model::RevisionAnswered& answer, Turn& turn);
  // The view must have come to this version too, which is known to be of after Begin.
  void Require(const ResourceVersion& version);
  void Tick(Turn& turn);

  // The view is newer than Begin, though perhaps not all that is required has come.
  [[nodiscard]] bool HasBegun(const Observed& observed) const;
  [[nodiscard]] bool Holds(const Observed& observed) const;
  [[nodiscard]] std::optional<TimePoint> NextWake(const Observed& observed) const;

 private:
  model::Kind kind_;        // constant after construction
  ResourceVersion first_;   // the oldest version known to be of after Begin
  ResourceVersion newest_;  // the newest that is required
  int failures_ = 0;        // to answer
  std::optional<TimePoint> ask_at_;
  std::optional<TimePoint> refresh_at_;
};

}  // namespace gs::commit
