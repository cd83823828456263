// Cluster: one scheduler, the API server it talks to, the network between them, and time that
// passes only when it is told to.
//
// Requests may be turned away, arrive late or lose their answer; what the scheduler is told of each
// kind of object comes in order, as late as the caller likes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "tests/scenarios/cluster/api_server.h"

namespace gs::scenarios {

// What becomes of a request.
enum class Fate : std::uint8_t {
  kFine,
  kConflict,        // 409
  kNotExecuted,     // 429
  kRefused,         // 422
  kUnknownDone,     // carried out, and the answer is lost
  kUnknownNotDone,  // lost, and nobody can tell
  kLate,            // the sender gives it up; it arrives with Release
  kHeld,            // arrives and is answered with Release
};

[[nodiscard]] std::optional<Fate> ParseFate(std::string_view word);
[[nodiscard]] std::string FateNames();

class Cluster {
 public:
  // Of the options the names are the cluster's own.
  explicit Cluster(cycle::CycleOptions options = {});

  [[nodiscard]] ApiServer& api() { return api_; }
  [[nodiscard]] const ApiServer& api() const { return api_; }
  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] const cycle::Cycle& scheduler() const { return *scheduler_; }

  // Called whenever the scheduler has run.
  void Observe(std::function<void()> observer) { observer_ = std::move(observer); }

  // The process that ran dies where it stands; another begins, knowing nothing. What the old one
  // has sent may still arrive.
  void StartScheduler();
  // It is told what there is, of every kind.
  void Sync();
  // It takes the release's record in the fence.
  void Lead();

  // The next request of that name meets that fate.
  void Meet(const std::string& command, Fate fate) { fates_[command].push_back(fate); }
  // All of that name do, until fates are forgotten.
  void MeetAlways(const std::string& command, Fate fate) { lasting_fates_[command] = fate; }
  void ForgetFates() {
    fates_.clear();
    lasting_fates_.clear();
  }
  // What was held arrives now.
  void Release();

  // Everything arrives; time stands still. False: it does not come to rest.
  [[nodiscard]] bool Settle();
  // Time passes, and everything that is due happens.
  [[nodiscard]] bool Wait(Duration duration);

  // For those who want to choose what arrives when: at most so many changes of a kind, one answer,
  // and a turn of the scheduler.
  void Deliver(model::Kind kind, std::size_t count);
  void DeliverAnswer();
  void Run();
  void Pass(Duration duration) { now_ += duration; }

  // What was sent since the last ForgetSent.
  [[nodiscard]] const std::vector<model::Command>& sent() const { return sent_; }
  void ForgetSent() { sent_.clear(); }

 private:
  struct Request {
    model::Command command;
    std::string sender;
    bool is_given_up = false;
  };

  void Send(const model::Command& command);
  void Arrive(const Request& request);
  void TellFence();
  void Answer(const std::string& receiver, const std::optional<model::Event>& answer);
  [[nodiscard]] Fate NextFate(const model::Command& command);
  void DeliverAll();
  [[nodiscard]] bool IsQuiet() const;

  cycle::CycleOptions options_;
  std::function<void()> observer_;
  ApiServer api_;
  TimePoint now_;
  int starts_ = 0;
  std::string leader_;  // the name of the process
  std::unique_ptr<cycle::Cycle> scheduler_;
  bool is_synced_ = false;
  std::map<model::Kind, std::size_t> told_;  // how much of the history
  // How far the view of a kind has come: to the last change of that kind, or to where it was
  // listed; the versions in between mean nothing to whoever watches it.
  std::map<model::Kind, ResourceVersion> reached_;
  std::set<model::Kind> to_list_;  // again
  std::vector<model::Event> inbox_;
  std::deque<model::Event> answers_;
  std::optional<model::FenceSeen> fence_told_;  // nothing: it does not lead
  std::vector<Request> held_;
  std::map<std::string, std::deque<Fate>> fates_;
  std::map<std::string, Fate> lasting_fates_;
  std::vector<model::Command> sent_;
};

}  // namespace gs::scenarios
