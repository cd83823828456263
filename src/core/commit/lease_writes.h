// LeaseWrites: the Lease of every GPU in use, for people: `kubectl get leases` shows who has which
// GPU. A view that follows the bound pods; nothing is decided by it, and who deletes a Lease does
// no harm: it is written again.
//
// A Lease of our scheduler is right if and only if each of its holders, by UID, is a bound, live
// pod whose allocation names this GPU, or is still releasing it. Holders that are not right are
// taken out, a Lease without holders is deleted, and what is missing for a bound pod of ours is
// written. Every write names the UID and the version it was decided on. Of another scheduler's
// Lease only those holders are taken out that are gone or have ended. A pod that is not in view is
// a question, and the API server is asked.
//
// Few writes and questions are under way at a time, so that Bindings never queue behind thousands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/report.h"
#include "core/commit/turn.h"
#include "core/model/event.h"
#include "core/model/lease.h"

namespace gs::commit {

class LeaseWrites {
 public:
  // `leader` names this process and no other.
  LeaseWrites(SchedulerName scheduler, std::string leader);

  // Look at it again.
  void Mark(const LeaseName& lock) { due_[lock] = TimePoint(); }  // long past
  // The view shows another state of it.
  void LeaseChanged(const LeaseName& lock);
  // These pods are gone, and their GPUs are not free yet.
  void SetReleasing(std::set<PodUid> pods, const Observed& observed);

  void Answered(const model::LeaseAnswered& answer, TimePoint now);
  // Requires: Observed knows it already if the pod is gone.
  void Answered(const model::PodLookedUp& answer, const Observed& observed, TimePoint now);

  // Looks at all that is due. Costs nothing for what has not changed.
  void Evaluate(Turn& turn, std::vector<Report>& reports);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

 private:
  enum class Standing : std::uint8_t { kRight, kWrong, kQuestion };
  // At most one write of ours per Lease is under way, and the next waits for the view.
  struct Gate {
    AttemptId outstanding;     // empty: none
    bool has_changed = false;  // the view has, since it was sent
    int failures = 0;          // in a row
    TimePoint not_before;
  };
  struct Question {
    bool is_asked = false;
    int failures = 0;  // in a row
    TimePoint not_before;
  };
  struct Look {
    const LeaseName& lock;
    const model::GpuLease* lease;  // null: none in view
    std::vector<const KnownPod*> claimants;
    std::vector<const model::LeaseHolder*> kept{};  // of the Lease: all but those that are wrong

    [[nodiscard]] bool IsClaimedBy(const PodUid& pod) const;
  };

  void LookAt(Look look, Turn& turn, std::vector<Report>& reports);
  void Correct(const Look& look, Turn& turn);
  void CreateMissing(const Look& look, Turn& turn);
  [[nodiscard]] Standing StandingOf(const model::LeaseHolder& holder, const Look& look,
                                    const Observed& observed) const;
  void FindKept(Look& look, Turn& turn);
  void ReportDoubles(const Look& look, std::vector<Report>& reports);
  void Ask(const model::PodRef& pod, const LeaseName& lock, Turn& turn);
  // The question about the pod is no question any more.
  void Unask(const PodUid& pod);
  void LookAgain(const LeaseName& lock, TimePoint at);
  [[nodiscard]] AttemptId NextAttempt();
  void Begin(const LeaseName& lock, const AttemptId& attempt);

  const SchedulerName scheduler_;
  const std::string leader_;

  std::map<LeaseName, TimePoint> due_;
  std::unordered_map<LeaseName, Gate> gates_;
  std::map<PodUid, Question> questions_;
  std::set<PodUid> releasing_;
  std::map<LeaseName, std::set<model::PodRef>> reported_;
  std::uint64_t attempts_ = 0;
  std::size_t under_way_ = 0;  // writes and questions
};

}  // namespace gs::commit
