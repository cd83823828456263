// Stays: pods with GPUs that did not end while their node was kept for somebody else, and until
// when no node is kept any more in the hope that they do.
//
// A service may never end, and a node that is kept beside it would have its free GPUs idle for
// ever. So a node is kept for a limited time without anybody there ending; whoever has stayed that
// long is not waited for during a pause, and both times double whenever that happens again. In the
// end the node stands idle for a twenty-fifth of the time; a pod that runs for a few hours is still
// waited for long enough.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/model/pod.h"

namespace gs::cycle {

class Stays {
 public:
  struct Stay {
    model::PodRef pod;
    int times = 0;
    TimePoint until;  // not waited for before then
  };

  // All times are multiples of how long a pod waits before a node is kept for it.
  explicit Stays(Duration patience) : patience_(patience) {}

  // How long a node with these is kept without any of them ending.
  [[nodiscard]] Duration KeepFor(const std::set<model::PodRef>& holders) const;
  // These have stayed that long.
  void Note(const std::set<model::PodRef>& holders, TimePoint now);
  // Forgets who has left.
  void Tidy(const cache::Cache& cache);

  // Those who are not waited for, by UID.
  [[nodiscard]] std::set<PodUid> At(TimePoint now) const;
  // When the first of them is waited for again.
  [[nodiscard]] std::optional<TimePoint> NextEnd(TimePoint now) const;
  [[nodiscard]] const std::map<PodUid, Stay>& all() const { return stays_; }

 private:
  const Duration patience_;
  std::map<PodUid, Stay> stays_;
};

}  // namespace gs::cycle
