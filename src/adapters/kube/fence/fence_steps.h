// FenceSteps: who leads a release and what the fence lists for it, as a pure state machine.
// Answers, times and lists in; at most one request at a time, a time to wake up, and events out.
// One process walks through it once: candidate, perhaps leader, over.
//
// Why two processes of a release never believe to lead at the same moment, as long as nobody
// deletes the fence or edits our record: a leader believes so until the renew deadline, counted
// from the moment it SENT its last successful write. A candidate takes a held record only after it
// has seen the same record for the whole lease duration, which is longer, counted from the moment
// it first saw that record, which is later than the sending. Both count on boot clocks, which run
// at the same rate and go on while a machine sleeps; wall clocks are never compared. Whoever makes
// a deleted fence anew does not wait, and whoever takes a record that somebody made unreadable
// twice, in the same words, has perhaps not waited long enough: what the old leader can still do is
// bind pods that it had listed, and the mark makes its successor touch them all.
//
// Why a write whose fate is unknown does no harm: every PUT names the UID and the resourceVersion
// it was made from. The fence is read before anything else is written. If our record shows the
// write, it is done. If not, the write may still be under way, but the next PUT is made from the
// version just read: had the version changed, the old write could never succeed; if it is the same,
// then only one of the two can.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kube/fence/earlier_steps.h"
#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/fence_request.h"
#include "adapters/kube/fence/fence_rules.h"
#include "adapters/kube/fence/listing.h"
#include "adapters/kube/fence/record_ages.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube {

struct FenceOptions {
  Duration lease = std::chrono::seconds(15);           // how long others wait for a silent leader
  Duration renew_deadline = std::chrono::seconds(10);  // how long a leader leads without renewing
  Duration retry = std::chrono::seconds(2);            // between renewals, and between looks
  Duration forget_after = std::chrono::minutes(10);    // a record that nobody writes may go then

  friend bool operator==(const FenceOptions&, const FenceOptions&) = default;
};

// Fine: lease > renew_deadline > 1.2 retry > 0, which leaves time to try again.
[[nodiscard]] Result<void> CheckFenceOptions(const FenceOptions& options);

struct FenceTime {
  Duration since_boot{0};
  TimePoint wall;  // only written down for people
};

// What to do now, in this order: tell the events, send the request, wait.
struct FenceStep {
  std::vector<model::Event> events{};
  std::optional<FenceRequest> request{};
  Duration timeout{0};                 // for the request
  Duration wake_at = Duration::max();  // on the boot clock; without a request
};

class FenceSteps {
 public:
  // Requires: options that CheckFenceOptions accepts. `rules` is for tests.
  FenceSteps(FenceSelf self, FenceOptions options, FenceRules rules = {});

  [[nodiscard]] FenceStep Advance(FenceTime now);
  // Of the request that was given out last. Requires: it was not answered before.
  void Answer(FenceTime now, const FenceAnswer& answer);

  // The list to write from now on; older revisions are ignored, but what was settling once stays
  // so. What the predecessor left stays listed until the first call, so that call must still name
  // whatever of it is not settled. Means nothing unless this process leads.
  void SetInFlight(model::ListInFlight list);
  // Hand over as soon as nothing is under way. Nobody has to wait if no pod is in flight; otherwise
  // the record is left as it is, list and all.
  void Resign() { is_resigning_ = true; }

  // Leading only while the boot clock shows less; zero if not leading.
  [[nodiscard]] Duration leads_until() const { return leads_until_; }
  [[nodiscard]] bool is_over() const { return phase_ == Phase::kOver; }

 private:
  // Leaving: has lost, and is giving the record back.
  enum class Phase : std::uint8_t { kCandidate, kLeader, kLeaving, kOver };
  enum class Next : std::uint8_t { kRead, kTake, kCreate, kEarlier };

  struct Write {
    std::int64_t number = 0;
    Duration sent{0};
    std::optional<std::uint64_t> revision{};  // all of which is in it; none: as inherited
    std::vector<PodUid> refused{};
  };

  void AdvanceCandidate(FenceTime now, FenceStep& step);
  void AdvanceLeader(FenceTime now, FenceStep& step);
  void AdvanceLeaving(FenceTime now, FenceStep& step);
  void StepDown(FenceTime now, FenceStep& step);

  void AnswerCandidate(Duration now, const FenceAnswer& answer);
  void AnswerEarlier(Duration now, const FenceAnswer& answer);
  void AnswerLeader(Duration now, const FenceAnswer& answer);
  void AnswerLeaving(Duration now, const FenceAnswer& answer);
  void LeaderReads(Duration now, const FenceLease& fence);
  void Observe(Duration now, const FenceLease& fence);
  void ObserveAbsence();
  [[nodiscard]] Duration FreeAt(Duration now) const;

  [[nodiscard]] FenceLease TakenOver(FenceTime now) const;
  [[nodiscard]] FenceLease MadeAnew(FenceTime now) const;
  [[nodiscard]] ReleaseRecord FirstRecord() const;
  [[nodiscard]] Listing ListNow(Duration now) const;
  [[nodiscard]] Listing Renewal(FenceTime now, Listing listing) const;
  [[nodiscard]] Listing Farewell(FenceTime now) const;
  [[nodiscard]] ListingOrder Order(Duration now) const;
  void HoldBy(FenceTime now, FenceLease& fence) const;
  [[nodiscard]] std::string NewMark() const;

  void Send(FenceTime now, FenceRequest request, FenceStep& step);
  void SendList(FenceTime now, Listing listing, FenceStep& step);
  void TryAgain(Duration now, const FenceAnswer& answer);
  void BackOff(Duration now, std::optional<Duration> at_least);
  void Calm();
  void ReadAfterConflict(Duration now);
  [[nodiscard]] bool IsOurs(const FenceLease& fence) const;
  [[nodiscard]] bool IsLastWrite(const FenceLease& fence) const;
  [[nodiscard]] bool IsListCurrent() const;
  [[nodiscard]] std::optional<Listing> DueList(Duration now);
  void Listed(std::optional<std::uint64_t> revision, std::vector<PodUid> refused);
  [[nodiscard]] bool HasNothingInFlight() const;
  [[nodiscard]] Duration SilentAt(const std::string& key, const ReleaseRecord& record) const;
  [[nodiscard]] Duration NextSilence(Duration now) const;
  void Win(Duration now);
  void Renewed();
  void TellOthers(Duration now);
  void TellStanding();
  void Lose(std::string reason, Phase then = Phase::kOver);
  [[nodiscard]] bool LoseIfLate(Duration now);

  const FenceSelf self_;
  const FenceOptions options_;
  const FenceRules rules_;
  const std::string key_;  // of our record

  Phase phase_ = Phase::kCandidate;
  std::vector<model::Event> events_;  // not told yet
  std::optional<FenceRequest> outstanding_;
  Write last_write_;
  std::int64_t writes_ = 0;
  Duration not_before_{0};      // nothing is sent earlier
  int failures_ = 0;            // in a row
  std::string trouble_;         // the last of them, for people
  ResourceVersion conflicted_;  // a write from this version met a conflict
  bool is_resigning_ = false;

  FenceLease fence_;  // as stored when we last looked
  RecordAges ages_;

  std::string fence_says_;               // why we cannot lead
  std::string requests_say_;             // likewise
  std::optional<std::string> standing_;  // as told

  // Of a candidate.
  Next next_ = Next::kRead;
  EarlierSteps earlier_;

  // Of a leader.
  std::optional<std::string> mark_;  // the fence's when we took over
  model::FenceSeen others_;          // as told
  Duration leads_until_{0};
  Duration renew_at_{0};
  Duration look_at_{0};
  bool must_read_ = false;  // before the next write
  std::optional<model::ListInFlight> wanted_;
  bool is_settling_ = false;
  std::optional<std::uint64_t> listed_;  // what the fence is known to hold; none: as inherited
  std::vector<PodUid> refused_;          // of that revision
  Duration leave_by_{0};
};

}  // namespace gs::kube
