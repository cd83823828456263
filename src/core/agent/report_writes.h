// ReportWrites: when the report of a node is written, and how it comes to be ours to write.
//
// What is wanted is compared with what is there, so nothing is lost while the API server is away,
// and one write brings everything when it is back. A change of who uses a GPU waits a little for
// more of its kind; any other is written at once; without a change the report is only confirmed
// now and then.
//
// The object names the agent that writes it. One that starts takes the object over; one that finds
// another agent's name in its object stands back until that agent has been silent for long. So of
// two agents for one node the younger reports, and they never undo each other's writes for ever.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "core/agent/command.h"
#include "core/agent/event.h"
#include "core/model/event.h"
#include "core/model/node_report.h"

namespace gs::agent {

struct WriteTimes {
  Duration use_delay = std::chrono::seconds(10);     // a change of inUseBy waits about that long
  Duration confirm_every = std::chrono::minutes(5);  // observedAt is never older than that
  Duration min_gap = std::chrono::seconds(1);        // between two writes
  Duration first_retry = std::chrono::seconds(1);    // doubles from failure to failure
  Duration max_retry = std::chrono::seconds(60);
};

class ReportWrites {
 public:
  // `seed` keeps the agents of many nodes from writing at the same moment.
  ReportWrites(std::string reporter, WriteTimes times, std::uint64_t seed)
      : reporter_(std::move(reporter)), times_(times), seed_(seed) {}

  // What a watch tells of the object. Older news than our own last write are ignored.
  void See(const model::MachineSeen& seen, TimePoint now);
  void SeeNone(const model::MachineGone& gone);
  void SeeComplete() { is_view_complete_ = true; }
  // How the command that Next() gave ended.
  void Answer(const WriteAnswered& answer, TimePoint now);

  // The report has to be written even if it says nothing new: somebody waits for one that was made
  // after a certain moment.
  void Owe() { ++owed_; }

  // What to send now; nothing while an answer is awaited. Call it again at NextWake().
  [[nodiscard]] std::optional<Command> Next(const NodeUid& owner, const model::NodeReport& wanted,
                                            TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const { return wake_; }

  // Whether it is known what is there.
  [[nodiscard]] bool is_view_complete() const { return is_view_complete_; }
  // What is there, as far as we know.
  [[nodiscard]] const std::optional<model::MachineSeen>& stored() const { return stored_; }
  // Another agent reports for the node.
  [[nodiscard]] bool is_standing_back() const { return rival_.has_value(); }
  [[nodiscard]] const std::string& rival() const { return rival_->name; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  struct Rival {
    std::string name;
    TimePoint last_heard;
  };
  enum class Sent : std::uint8_t { kNothing, kCreate, kAdopt, kReport };

  [[nodiscard]] bool IsOld(const ResourceVersion& version) const;
  [[nodiscard]] bool IsRivalSilent(TimePoint now);
  [[nodiscard]] Command Send(Sent sent, const NodeUid& owner, const model::NodeReport& report);
  [[nodiscard]] bool IsDue(const model::NodeReport& wanted, TimePoint now);
  void TakeDone(const WriteAnswered& answer, TimePoint now);
  void Fail(TimePoint now);
  void WakeAt(TimePoint time);
  // The time with a part taken off that differs from node to node and from call to call.
  [[nodiscard]] Duration Jittered(Duration time);

  const std::string reporter_;
  const WriteTimes times_;
  std::uint64_t seed_;
  bool is_view_complete_ = false;
  bool may_exist_ = false;                    // a create met an object that the view does not show
  std::optional<model::MachineSeen> stored_;  // with our own writes on top
  bool is_ours_ = false;                      // since this process took it over
  bool is_content_known_ = false;             // stored_ holds what the report says
  ResourceVersion written_;                   // of our last write
  std::optional<Rival> rival_;

  Sent sent_ = Sent::kNothing;
  NodeUid sent_owner_;
  model::NodeReport sent_report_;
  std::uint64_t sent_owed_ = 0;

  std::uint64_t owed_ = 0;  // so many times
  std::uint64_t paid_ = 0;  // those before this one
  int failures_ = 0;
  std::optional<TimePoint> not_before_;  // the gap, or the wait after a failure
  std::optional<TimePoint> use_due_;     // a change of inUseBy is written then
  std::optional<TimePoint> confirm_at_;
  std::optional<TimePoint> wake_;
};

}  // namespace gs::agent
