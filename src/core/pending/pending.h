// Pending: which pods wait, in which order they are tried, and what wakes them.
//
// Pods that ask for the same are one class, and where one of them has no place none has: the class
// sleeps as one until something happens that can help it: a claim it names, a node, room or a GPU
// that became free, pods that it asks to be near to or spread with. Time alone wakes it only as a
// backstop. Order: higher priority first, then older, then by name, so that a run repeats.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/pod.h"
#include "core/model/reason.h"
#include "core/pending/ask_class.h"

namespace gs::pending {

// What has happened that may help somebody.
enum class Help : std::uint8_t {
  kNode,     // a node or its devices are new or changed
  kRoom,     // something was freed
  kClaim,    // a claim was created, changed or deleted
  kStorage,  // volumes, their claims, or who makes or attaches them
};

struct PendingOptions {
  Duration first_backoff = std::chrono::seconds(1);
  Duration longest_backoff = std::chrono::seconds(10);  // after an attempt that failed
  Duration backstop = std::chrono::minutes(5);          // for a class that has no place
};

// How a pod has waited so far.
struct Wait {
  TimePoint since;  // when it came
  int tries = 0;    // that found no place for it, or failed to commit it

  friend bool operator==(const Wait&, const Wait&) = default;
};

// The first of a class that sleeps.
struct Sleeper {
  PodUid pod;
  std::int32_t priority = 0;
  TimePoint since;  // when it came
  model::ReasonToken token = model::ReasonToken::kTooFewGpus;
};

// A pod that is tried before another one.
struct Earlier {
  PodUid pod;
  std::size_t group = 0;  // the same for pods that ask for the same
};

// How many wait, and how.
struct PendingCounts {
  std::size_t ready = 0;
  std::size_t backing_off = 0;
  std::size_t launched = 0;
  std::map<model::ReasonToken, std::size_t> asleep;  // without zeros

  friend bool operator==(const PendingCounts&, const PendingCounts&) = default;
};

class Pending {
 public:
  explicit Pending(PendingOptions options = {}) : options_(options) {}

  // A pod that is new, or has changed. One that asks for the same as before goes on sleeping; one
  // that joins a class that sleeps does so too. Pods with different texts in `apart` are never of
  // one class. One that backs off goes on doing so. Gated pods are not pending. `now` is when it
  // came, if it is new.
  void Put(const model::Pod& pod, const std::string& apart = {}, TimePoint now = {});
  void Remove(const PodUid& pod);

  // Something happened. `ns` and `claim` are read with kClaim. Linear in the classes that sleep.
  void Wake(Help help, const Namespace& ns = {}, const ClaimName& claim = {});
  // The same for the classes of which `helps` says so of one pod that stands for all of them.
  void WakeIf(const std::function<bool(const PodUid&)>& helps);
  // Puts what has slept long enough back among the ready ones.
  void Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // The one to try next. It stays that until Sleep, Launch, Retry or Remove.
  [[nodiscard]] std::optional<PodUid> Next() const;
  // All that are ready, in order. Linear.
  [[nodiscard]] std::vector<PodUid> Ready() const;
  // All there are, asleep, on their way or not. Linear.
  [[nodiscard]] std::vector<PodUid> All() const;

  // It has no place for this reason, and neither has its class. Who has to be told: all of them if
  // they have not slept for such a reason before or it is long ago, else the first and the new
  // ones, so that many who wait cost no more than one. Requires: it is ready.
  [[nodiscard]] std::vector<PodUid> Sleep(const PodUid& pod, const model::Reason& reason,
                                          TimePoint now);
  // Those who have joined a sleeping class since the last call.
  [[nodiscard]] std::vector<PodUid> TakeLateSleepers() { return std::exchange(late_sleepers_, {}); }
  // It has a place and is on its way there: not tried again until Retry. Requires: it is ready.
  void Launch(const PodUid& pod);
  // An attempt to commit it failed: again after a while that doubles.
  void Retry(const PodUid& pod, TimePoint now);

  [[nodiscard]] bool Has(const PodUid& pod) const { return entries_.contains(pod); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // Those that are tried before this pod, in order, the first `most` of them; it need not be
  // pending. Without those that are launched or back off. Linear in the classes and these pods.
  [[nodiscard]] std::vector<Earlier> Before(const model::Pod& pod, std::size_t most) const;
  // One of every class that sleeps, higher priority first, then those who came first. Linear in
  // the classes.
  [[nodiscard]] std::vector<Sleeper> Sleepers() const;
  // Why it sleeps; null if it does not.
  [[nodiscard]] const model::Reason* ReasonOf(const PodUid& pod) const;
  // Why its class slept last, if that is not long ago and nothing but room that was freed has woken
  // it since; null otherwise. Requires: Has(pod).
  [[nodiscard]] const model::Reason* RecentReasonOf(const PodUid& pod, TimePoint now) const;
  // Of those who sleep with it, the one that is tried first; null if it does not sleep.
  [[nodiscard]] const model::PodRef* FirstWith(const PodUid& pod) const;
  // Requires: Has(pod).
  [[nodiscard]] Wait WaitOf(const PodUid& pod) const;
  // Linear in the classes.
  [[nodiscard]] PendingCounts Count() const;

 private:
  struct Rank {
    std::int64_t minus_priority = 0;
    TimePoint created;
    model::PodRef ref;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  struct Class {
    AskClass ask{};
    std::set<Rank> members;                  // without those that are launched or back off
    std::optional<model::Reason> reason;     // set: it sleeps
    TimePoint until;                         // while it sleeps
    std::optional<Rank> head;                // under which it stands in awake_
    int tries = 0;                           // that found no place
    std::optional<model::ReasonToken> told;  // to all members but the newcomers
    TimePoint told_at;
    std::optional<model::Reason> recent;  // why it slept last
    TimePoint recent_at;                  // when that was found out
    std::vector<PodUid> newcomers;        // since then; some may have left again
  };
  struct Entry {
    Rank rank;
    AskClass ask;
    TimePoint since;
    int failures = 0;
    int tries = 0;                   // without a place, in classes that it has left
    int tries_before = 0;            // of its class when it joined
    bool is_launched = false;        // outside its class
    std::optional<TimePoint> until;  // set: it backs off after a failure, likewise

    [[nodiscard]] bool is_in_class() const { return !is_launched && !until; }
  };

  [[nodiscard]] static Rank RankOf(const model::Pod& pod) {
    return {-std::int64_t{pod.priority}, pod.created, pod.ref};
  }
  void Join(Entry& entry);
  void Leave(Entry& entry);
  void WakeUp(Class& group, bool is_for_room);
  [[nodiscard]] std::vector<PodUid> ToTell(Class& group, TimePoint now);
  // After any change of a class: awake_ has its first member, unless it sleeps or is empty.
  void Restand(Class& group);

  PendingOptions options_;
  std::map<PodUid, Entry> entries_;
  std::map<std::string, Class> classes_;  // those with members
  std::map<Rank, Class*> awake_;
  std::set<std::pair<TimePoint, std::string>> asleep_;
  std::set<std::pair<TimePoint, PodUid>> backing_off_;
  std::vector<PodUid> late_sleepers_;
};

}  // namespace gs::pending
