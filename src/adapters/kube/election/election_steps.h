// ElectionSteps: who leads, as a pure state machine. Answers, times and lists in; at most one
// request at a time, a time to wake up, and events out. One process walks through it once:
// candidate, perhaps leader, over.
//
// Why two processes never believe to lead at the same moment: a leader believes so until the renew
// deadline, counted from the moment it SENT its last successful write. A candidate takes a held
// Lease only after it has seen the same record for the whole lease duration, which is longer,
// counted from the moment it first saw that record, which is later than the sending. Both count on
// boot clocks, which run at the same rate and go on while a machine sleeps; wall clocks are never
// compared. A Lease that vanished says nothing about the time since its last renewal: it is made
// anew as held, and then waited for like any other.
//
// Why a write whose fate is unknown does no harm: every PUT names the UID and the resourceVersion
// it was made from. The Lease is read before anything else is written. If it shows the write, it is
// done. If not, the write may still be under way, but the next PUT is made from the version just
// read: had the version changed, the old write could never succeed; if it is the same, then only
// one of the two can. Either the old one comes first, then the new one meets a conflict and the
// Lease is read again; or the new one comes first, then the old one meets the conflict.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "adapters/kube/election/election_lease.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube {

struct ElectionOptions {
  Duration lease = std::chrono::seconds(15);           // how long others wait for a silent leader
  Duration renew_deadline = std::chrono::seconds(10);  // how long a leader leads without renewing
  Duration retry = std::chrono::seconds(2);            // between renewals, and between looks
};

// Fine: lease > renew_deadline > 1.2 retry > 0, which leaves time to try again.
[[nodiscard]] Result<void> CheckElectionOptions(const ElectionOptions& options);

// Who we are, and which Lease we want.
struct ElectionSelf {
  ElectionIdentity identity;
  PodName pod;
  SchedulerName scheduler;
  Namespace lock_namespace;  // where the Lease is, too
};

struct ElectionTime {
  Duration since_boot{0};
  TimePoint wall;  // only written down for people
};

struct ReadElection {};
struct CreateElection {
  ElectionLease lease;
};
struct PutElection {
  ElectionLease lease;
};
using ElectionRequest = std::variant<ReadElection, CreateElection, PutElection>;

struct ElectionAnswer {
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  std::optional<ElectionLease> lease;   // with kDone: as it is stored, unless it cannot be read
  std::string reason;                   // for people, where it is not kDone
  std::optional<Duration> retry_after;  // the server asks to wait that long
};

// What to do now, in this order: tell the events, send the request, wait.
struct ElectionStep {
  std::vector<model::Event> events;
  std::optional<ElectionRequest> request;
  Duration timeout{0};                 // for the request
  Duration wake_at = Duration::max();  // on the boot clock; without a request
};

class ElectionSteps {
 public:
  // Requires: options that CheckElectionOptions accepts.
  ElectionSteps(ElectionSelf self, ElectionOptions options);

  [[nodiscard]] ElectionStep Advance(ElectionTime now);
  // Of the request that was given out last. Requires: it was not answered before.
  void Answer(ElectionTime now, const ElectionAnswer& answer);

  // The list to write from now on; older revisions are ignored. What the predecessor left stays
  // listed until the first call, so that call must still name whatever of it is unresolved. Means
  // nothing unless this process leads.
  void SetInFlight(model::ListInFlight list);
  // Hand over as soon as nothing is under way. Nobody has to wait if no pod is in flight; otherwise
  // the Lease is left as it is, list and all.
  void Resign() { is_resigning_ = true; }

  // Leading only while the boot clock shows less; zero if not leading.
  [[nodiscard]] Duration leads_until() const { return leads_until_; }
  [[nodiscard]] bool is_over() const { return phase_ == Phase::kOver; }

 private:
  enum class Phase : std::uint8_t { kCandidate, kLeader, kOver };
  enum class Next : std::uint8_t { kRead, kWrite, kCreate };

  // The Lease as a candidate sees it, and since when nothing has happened to it.
  struct Observed {
    ElectionLease lease;
    Duration since{0};
  };
  struct Write {
    std::int64_t number = 0;
    Duration sent{0};
    bool is_create = false;
    std::optional<std::uint64_t> revision;  // of the list in it; none: as inherited
  };

  void AdvanceCandidate(ElectionTime now, ElectionStep& step);
  void AdvanceLeader(ElectionTime now, ElectionStep& step);
  void StepDown(ElectionTime now, ElectionStep& step);

  void AnswerCandidate(Duration now, const ElectionAnswer& answer);
  void AnswerLeader(Duration now, const ElectionAnswer& answer);
  void LeaderReads(const ElectionLease& lease);
  void Observe(Duration now, const ElectionLease& lease);
  void ObserveAbsence();
  [[nodiscard]] Duration FreeAt() const;

  [[nodiscard]] ElectionLease TakenOver(ElectionTime now) const;
  [[nodiscard]] ElectionLease MadeAnew(ElectionTime now) const;
  [[nodiscard]] ElectionLease Renewal(ElectionTime now) const;
  void HoldBy(ElectionTime now, ElectionLease& lease) const;

  void Send(ElectionTime now, ElectionRequest request, ElectionStep& step);
  void TryAgain(Duration now, const ElectionAnswer& answer);
  [[nodiscard]] bool IsOurs(const ElectionLease& lease) const;
  [[nodiscard]] bool IsLastWrite(const ElectionLease& lease) const;
  [[nodiscard]] bool IsListCurrent() const;
  [[nodiscard]] bool HasNothingInFlight() const;
  void Win(const ElectionLease& lease);
  void Renewed(const ElectionLease& lease);
  void Lose(std::string reason);
  [[nodiscard]] bool LoseIfLate(Duration now);

  const ElectionSelf self_;
  const ElectionOptions options_;
  const LeaseName name_;

  Phase phase_ = Phase::kCandidate;
  std::vector<model::Event> events_;  // not told yet
  std::optional<ElectionRequest> outstanding_;
  Write last_write_;
  std::int64_t writes_ = 0;
  Duration not_before_{0};  // nothing is sent earlier
  int failures_ = 0;        // in a row
  std::string trouble_;     // the last of them, for people
  bool is_resigning_ = false;

  // Of a candidate.
  Next next_ = Next::kRead;
  std::optional<Observed> observed_;
  bool has_vanished_ = false;  // the Lease was gone, or another one had its name

  // Of a leader.
  ElectionLease lease_;  // as stored when we last looked
  Duration leads_until_{0};
  Duration renew_at_{0};
  bool must_read_ = false;  // before the next write
  std::optional<model::ListInFlight> wanted_;
  std::optional<std::uint64_t> listed_;  // what the Lease is known to hold; none: as inherited
};

}  // namespace gs::kube
