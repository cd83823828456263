// PodRun: what a kubelet knows about one pod it runs, as a value without a clock. Told what
// happened and what time it is, it says which containers to start and stop and when to ask again.
// pod_status.h turns it into the status that the API shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/localcluster/kubelet/simulation.h"
#include "base/time.h"

namespace gs::localcluster {

enum class RestartPolicy : std::uint8_t { kAlways, kOnFailure, kNever };

// A run of a container that has ended.
struct Ended {
  int exit_code = 0;
  TimePoint started;
  TimePoint finished;
};

struct ContainerRun {
  enum class State : std::uint8_t { kWaiting, kRunning, kEnded };

  std::string name;
  std::string image;
  ContainerRole role = ContainerRole::kMain;
  RestartPolicy policy = RestartPolicy::kAlways;

  State state = State::kWaiting;
  std::string waiting_reason;  // empty: nothing but its turn
  std::string waiting_message;
  TimePoint not_before;            // when it may be started at the earliest
  TimePoint started;               // of the run that is going on
  std::optional<TimePoint> ready;  // when that run is ready
  std::optional<Ended> ended;      // the latest run that is over
  std::int64_t restarts = 0;
  std::int64_t backoff_steps = 0;
  bool is_told_to_stop = false;

  // Ended, and not to be started again.
  [[nodiscard]] bool IsDone() const;
  // An init container that lets the next one start: done well, or a sidecar that runs.
  [[nodiscard]] bool IsPassed() const;
};

// What to do now. The caller does it and says so before it asks again.
struct Orders {
  std::vector<std::size_t> start;  // indexes into PodRun::containers
  std::vector<std::size_t> stop;   // tell them to end
  std::vector<std::size_t> kill;   // they had time enough
  std::optional<TimePoint> next;   // ask again then, if nothing happens before
  bool is_over = false;            // nothing runs, and nothing ever will
};

class PodRun {
 public:
  PodRun(const Json& pod, const Times& times, TimePoint now);

  // Not admitted: it fails without ever having started.
  void Reject(std::string reason, std::string message);
  [[nodiscard]] Orders Advance(const Json& pod, TimePoint now);

  void Started(std::size_t container, const Json& pod, TimePoint now);
  void CannotStart(std::size_t container, std::string reason, std::string message, TimePoint now);
  void Exited(std::size_t container, int code, TimePoint now);

  // Init containers first, in the order of the spec.
  [[nodiscard]] const std::vector<ContainerRun>& containers() const { return containers_; }
  [[nodiscard]] TimePoint created() const { return created_; }
  // Why the pod as a whole fails; empty if it does not.
  [[nodiscard]] const std::string& failure_reason() const { return failure_reason_; }
  [[nodiscard]] const std::string& failure_message() const { return failure_message_; }
  [[nodiscard]] bool is_ending() const { return is_ending_; }
  [[nodiscard]] bool has_passed_init() const;
  [[nodiscard]] bool IsAnyRunning() const;

 private:
  void CheckDeadline(const Json& pod, TimePoint now, Orders& orders);
  void End(const Json& pod, TimePoint now, Orders& orders);
  void StartInTurn(TimePoint now, Orders& orders);
  void StartOrWait(std::size_t container, TimePoint now, Orders& orders);
  [[nodiscard]] bool AreMainsDone() const;

  Times times_;
  TimePoint created_;
  std::vector<ContainerRun> containers_;
  std::string failure_reason_;
  std::string failure_message_;
  bool is_ending_ = false;
};

}  // namespace gs::localcluster
