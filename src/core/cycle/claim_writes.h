// ClaimWrites: keeps the status of every claim what it should be, with few writes.
//
// A claim is looked at when something happened to it or to its pods, and written when it shows
// something else: one write under way at a time, at most one per second and claim, and a bounded
// number for all of them together. What comes in between is in the next one. A write that failed is
// tried again after a while; one that somebody else has written over too, after one that doubles.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/cycle/claim_status.h"
#include "core/model/claim_status.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::cycle {

struct ClaimWritesOptions {
  Duration per_claim = std::chrono::seconds(1);              // between two writes of one claim
  Duration between_writes = std::chrono::milliseconds(100);  // of whichever, in the long run
  int burst = 20;                                            // so many may come at once
  Duration longest_backoff = std::chrono::minutes(5);
};

class ClaimWrites {
 public:
  explicit ClaimWrites(ClaimWritesOptions options = {}) : options_(options) {}

  // Requires: the cache has taken the event in already.
  void Apply(const model::Event& event, const cache::Cache& cache, TimePoint now);
  // The pod holds something else now, or is believed now, or no longer.
  void PodChanged(const PodUid& pod, const cache::Cache& cache);

  // Those that hold GPUs through the claim, or wait for them.
  [[nodiscard]] const std::set<PodUid>& PodsOf(const Namespace& ns, const ClaimName& claim) const;

  // What to write now. Only for whoever leads, with a view that is complete.
  [[nodiscard]] std::vector<model::Command> Due(const cache::Cache& cache, TimePoint now);
  // When there may be something due, provided that nothing happens before.
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

 private:
  struct Entry {
    std::optional<model::ClaimStatus> known;  // what the claim shows: as seen, or as we wrote it
    ResourceVersion known_at;
    bool is_known_ours = false;  // `known` is what we wrote
    bool is_marked = false;      // to be looked at
    bool is_under_way = false;
    model::ClaimStatus sent;  // last
    int failures = 0;         // in a row
    int overwritten = 0;      // by others, since there was something new to say
    TimePoint not_before;
    std::optional<TimePoint> due;  // under which it stands in due_
  };

  void On(const model::PodSeen& seen, const cache::Cache& cache, TimePoint now);
  void On(const model::PodGone& gone, const cache::Cache& cache, TimePoint now);
  void On(const model::PodLookedUp& answer, const cache::Cache& cache, TimePoint now);
  void On(const model::LeaseSeen& seen, const cache::Cache& cache, TimePoint now);
  void On(const model::ClaimSeen& seen, const cache::Cache& cache, TimePoint now);
  void On(const model::ClaimGone& gone, const cache::Cache& cache, TimePoint now);
  void On(const model::ClaimStatusAnswered& answer, const cache::Cache& cache, TimePoint now);
  template <class Other>
  void On(const Other& /*event*/, const cache::Cache& /*cache*/, TimePoint /*now*/) {}

  void Mark(const ClaimKey& claim);
  // After any change of an entry: due_ has it exactly if it waits for its turn.
  void Schedule(const ClaimKey& claim, Entry& entry);
  void MoveTo(const PodUid& pod, const std::optional<ClaimKey>& claim);
  static void Delay(Entry& entry, Duration delay, TimePoint now);
  [[nodiscard]] Duration BackoffAfter(int times) const;
  [[nodiscard]] std::optional<model::Command> Write(const ClaimKey& claim, Entry& entry,
                                                    const cache::Cache& cache, TimePoint now);
  // When the next write may be sent, as far as all of them together are concerned.
  [[nodiscard]] TimePoint RoomFrom() const {
    return paid_until_ - options_.between_writes * (options_.burst - 1);
  }

  const ClaimWritesOptions options_;
  std::map<ClaimKey, Entry> entries_;  // the claims that are seen
  std::map<ClaimKey, std::set<PodUid>> pods_;
  std::map<PodUid, ClaimKey> claim_of_;
  std::set<std::pair<TimePoint, ClaimKey>> due_;
  TimePoint paid_until_;  // every write pays for the time behind it
};

}  // namespace gs::cycle
