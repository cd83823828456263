// TestJudge: looks at every version of the fence that a test's API server stores, and at what its
// writers were told, and says which rule was broken. It knows what no process knows: all versions
// and one time for all. For tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/fence_record.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube {

// Who has sent a write, and what it had been asked to write by then.
struct TestWriter {
  SchedulerName scheduler;
  FenceIdentity identity;
  std::optional<model::ListInFlight> list{};
  bool is_settling = false;
};

class TestJudge {
 public:
  explicit TestJudge(Duration lease) : lease_(lease) {}

  // A write was stored in place of `before`; none: there was no fence.
  void Wrote(const TestWriter& writer, const std::optional<FenceLease>& before,
             const FenceLease& after, Duration now);
  // Somebody has edited or deleted it by hand.
  void Edited(const std::optional<FenceLease>& after, Duration now);

  void Won(const FenceIdentity& process, const model::LeadershipWon& won);
  void Listed(const FenceIdentity& process, const model::ListInFlight& list,
              const model::InFlightListed& listed);

  // How often records had been removed by hand when the process took over: what has lost its record
  // that way may lead for a while beside its successor, which touches all pods.
  [[nodiscard]] int EpochOf(const FenceIdentity& process) const;
  [[nodiscard]] const std::string& violation() const { return violation_; }
  void Violated(std::string what);

 private:
  struct Term {
    FenceLease taken;  // what the process took over, as it was stored last
    int epoch = 0;
    bool has_won = false;
    std::set<std::string> marks{};   // that there had been when it won
    std::set<std::string> stored{};  // lists
    std::uint64_t listed = 0;        // the revision reported last
  };

  void CheckOwn(const TestWriter& writer, const FenceLease& before, const FenceLease& after,
                Duration now);
  void CheckNewEntries(const TestWriter& writer, const FenceLease& before, const FenceLease& after);
  void CheckOthers(const TestWriter& writer, const FenceLease& before, const FenceLease& after,
                   Duration now);
  void CheckMark(const TestWriter& writer, const FenceLease& before, const FenceLease& after);
  void CheckClashes(const FenceLease& after);
  void NoteChanges(const std::optional<FenceLease>& after, Duration now);
  [[nodiscard]] bool IsUnchangedFor(const std::string& key, Duration time, Duration now) const;

  const Duration lease_;
  std::string violation_;
  int epoch_ = 0;
  std::map<FenceIdentity, Term> terms_;
  std::set<std::string> marks_;                 // that there have been
  std::set<std::string> settled_;               // of these, those that were taken off
  std::map<std::string, std::string> texts_;    // of the records, as they are
  std::map<std::string, Duration> changed_at_;  // of each record
};

}  // namespace gs::kube
