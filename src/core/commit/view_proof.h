// ViewProof: knows how new the view of pods has to be, and when it is.
//
// Versions that are required belong to changes of pods, so a view that is told of changes comes
// there by itself. After Ask the version of this moment is required too; nothing may have happened
// to pods in it, and a view that is complete and does not come there is listed again.
#pragma once

#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/turn.h"
#include "core/model/event.h"

namespace gs::commit {

class ViewProof {
 public:
  // From the API server's answer on, the view must be newer than this moment.
  void Ask(Turn& turn);
  void Answered(const model::RevisionAnswered& answer, Turn& turn);
  // The view must have come to this version too. Empty: any will do.
  void Require(const ResourceVersion& version, TimePoint now);
  void Tick(Turn& turn);

  // The view is newer than Ask, though perhaps not all that is required has come.
  [[nodiscard]] bool IsNewerThanAsk(const Observed& observed) const;
  [[nodiscard]] bool Holds(const Observed& observed) const;
  [[nodiscard]] const ResourceVersion& newest() const { return newest_; }
  [[nodiscard]] std::optional<TimePoint> NextWake(const Observed& observed) const;

 private:
  bool is_asking_ = false;
  ResourceVersion asked_;   // the oldest version known to be of after Ask
  ResourceVersion newest_;  // the newest that is required
  int failures_ = 0;        // to answer
  std::optional<TimePoint> ask_at_;
  std::optional<TimePoint> refresh_at_;
};

}  // namespace gs::commit
