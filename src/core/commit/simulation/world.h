// World: runs a schedule: processes, the network between them and the API server, users, and time.
//
// A request may arrive at any later moment, also long after its sender has given it up or died, and
// twice; it may be turned away; its answer may be lost. A process may stop anywhere and go on as if
// nothing had happened. What it is told of pods and Leases may be as old as it likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/commit/rules.h"
#include "core/commit/simulation/replica.h"
#include "core/commit/simulation/schedule.h"
#include "core/commit/simulation/server.h"
#include "core/model/event.h"

namespace gs::commit::simulation {

// What has happened, so that a test can tell whether much has.
struct Tally {
  int takeovers = 0;
  int bound = 0;
  int too_late = 0;  // Bindings that came to nothing
  int touched = 0;
  int locked = 0;

  Tally& operator+=(const Tally& other) {
    takeovers += other.takeovers;
    bound += other.bound;
    too_late += other.too_late;
    touched += other.touched;
    locked += other.locked;
    return *this;
  }
};

class World {
 public:
  static constexpr int kSharers = 2;

  World(const Setup& setup, const Rules& rules);

  void Do(const Step& step);
  // The oldest request of the process that is printed with these words arrives, with its answer.
  // False: there is none.
  bool Arrive(std::size_t process, std::string_view words);
  // The same, and it is turned away.
  bool TurnAway(std::size_t process, std::string_view words);
  // No more trouble: everything arrives, everybody runs. False: it does not come to rest.
  [[nodiscard]] bool ComeToRest();

  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  // What has happened, for people.
  [[nodiscard]] const std::vector<std::string>& trace() const { return trace_; }
  void KeepTrace() { is_tracing_ = true; }

 private:
  struct Process {
    std::unique_ptr<Replica> replica;
    bool is_paused = false;
  };
  struct Request {
    std::size_t process = 0;
    std::string sender;  // the process' name then
    Sent sent;
    bool is_given_up = false;  // the sender was told that the outcome is unknown
  };
  struct Answer {
    std::size_t process = 0;
    std::string receiver;
    std::variant<model::Event, ElectionAnswer> content;
  };
  // What becomes of a request that arrives.
  enum class Fate : std::uint8_t { kFine, kAnswerLost, kTwice, kTurnedAway, kBroken };

  void Start(std::size_t process);
  void Run(std::size_t process);
  void Tell(std::size_t process, const model::Event& event);
  void Deliver(std::size_t index, Fate fate);
  bool DeliverNamed(std::size_t process, std::string_view words, Fate fate);
  void TimeOut(std::size_t index);
  void HandOver(std::size_t index);
  void Watch(std::size_t process, model::Kind kind, int count);
  void Pass(Duration duration);
  void Send(std::size_t process, Sent sent);
  void PutAway(const Request& request, std::variant<model::Event, ElectionAnswer> content);
  [[nodiscard]] std::variant<model::Event, ElectionAnswer> Execute(const Sent& sent);
  [[nodiscard]] std::size_t PickRequest(const Step& step) const;
  [[nodiscard]] std::string PickPod(std::uint16_t number) const;
  [[nodiscard]] bool MoveOn();
  [[nodiscard]] std::optional<TimePoint> NextWake() const;
  void Note(const std::string& text);
  void Count(const model::Event& answer);

  const Setup setup_;
  const Rules rules_;
  Server server_;
  TimePoint now_;
  std::vector<Process> processes_;
  std::vector<Request> requests_;
  std::vector<Answer> answers_;
  int starts_ = 0;
  bool has_deleted_election_ = false;
  Tally tally_;
  bool is_tracing_ = false;
  std::vector<std::string> trace_;
};

// Runs it and says what was wrong, or nothing. What happened is added to the tally.
[[nodiscard]] std::optional<std::string> WhatGoesWrong(const Schedule& schedule, const Rules& rules,
                                                       Tally* tally = nullptr);
// The same with everything that happened.
[[nodiscard]] std::string Explain(const Schedule& schedule, const Rules& rules);

}  // namespace gs::commit::simulation
