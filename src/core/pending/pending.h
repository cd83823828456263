// Pending: which pods wait, in which order they are tried, and what wakes them.
//
// A pod that was tried in vain sleeps until something happens that can help its class: a claim it
// names, a node, room or a GPU that became free. Time alone wakes it only as a backstop. Order:
// higher priority first, then older, then by name, so that a run repeats.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/pod.h"
#include "core/model/reason.h"
#include "core/pending/ask_class.h"

namespace gs::pending {

// What has happened that may help somebody.
enum class Help : std::uint8_t {
  kNode,   // a node is new or changed
  kRoom,   // something was freed, or devices changed
  kClaim,  // a claim was created, changed or deleted
};

struct PendingOptions {
  Duration first_backoff = std::chrono::seconds(1);
  Duration longest_backoff = std::chrono::seconds(10);  // after an attempt that failed
  Duration backstop = std::chrono::minutes(5);          // for a pod that has no place
};

class Pending {
 public:
  explicit Pending(PendingOptions options = {}) : options_(options) {}

  // A pod that is new, or has changed: it is tried again in any case. Gated pods are not pending.
  void Put(const model::Pod& pod);
  void Remove(const PodUid& pod);

  // Something happened. `ns` and `claim` are read with kClaim.
  void Wake(Help help, const Namespace& ns = {}, const ClaimName& claim = {});
  // Puts what has slept long enough back among the ready ones.
  void Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // The ready ones, in order. They stay ready until Sleep, Retry or Remove.
  [[nodiscard]] std::vector<PodUid> Ready() const;
  [[nodiscard]] const AskClass& ClassOf(const PodUid& pod) const;

  // It has no place for this reason.
  void Sleep(const PodUid& pod, const model::Reason& reason, TimePoint now);
  // An attempt to commit it failed: again after a while that doubles.
  void Retry(const PodUid& pod, TimePoint now);

  [[nodiscard]] bool Has(const PodUid& pod) const { return entries_.contains(pod); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // Why it sleeps; null if it does not.
  [[nodiscard]] const model::Reason* ReasonOf(const PodUid& pod) const;

 private:
  struct Rank {
    std::int64_t minus_priority = 0;
    TimePoint created;
    model::PodRef ref;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  struct Entry {
    Rank rank;
    AskClass ask;
    int failures = 0;
    std::optional<model::Reason> reason;  // set: it sleeps for want of a place
    std::optional<TimePoint> until;       // set: it sleeps
  };

  void MakeReady(Entry& entry);
  void SleepUntil(Entry& entry, TimePoint until);

  PendingOptions options_;
  std::map<PodUid, Entry> entries_;
  std::set<Rank> ready_;
  std::set<std::pair<TimePoint, PodUid>> sleeping_;
};

}  // namespace gs::pending
