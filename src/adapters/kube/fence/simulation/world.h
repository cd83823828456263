// World: runs a schedule: releases and their processes, the network between them and the API
// server, users, and time.
//
// A request may arrive at any later moment, also long after its sender has given it up or died, and
// twice; it may be turned away; its answer may be lost. A process may stop anywhere and go on as if
// nothing had happened. What it is told of pods and Leases may be as old as it likes, and its clock
// may run ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/kube/fence/fence_request.h"
#include "adapters/kube/fence/simulation/agent.h"
#include "adapters/kube/fence/simulation/checker.h"
#include "adapters/kube/fence/simulation/replica.h"
#include "adapters/kube/fence/simulation/request.h"
#include "adapters/kube/fence/simulation/schedule.h"
#include "adapters/kube/fence/simulation/server.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/model/event.h"

namespace gs::kube::simulation {

// What has happened, so that a test can tell whether much has.
struct Tally {
  int takeovers = 0;
  int bound = 0;
  int too_late = 0;  // Bindings that came to nothing
  int touched = 0;
  int refused = 0;  // touches
  int listed = 0;   // entries that were put into the fence
  int dropped = 0;  // entries that were taken from another release's record
  int anew = 0;     // fences that were made
  int leases = 0;   // writes of GPU Leases
  int left = 0;     // workloads that outlived their pods

  Tally& operator+=(const Tally& other);
};

class World {
 public:
  World(const Setup& setup, const AllRules& rules);

  void Do(const Step& step);
  // The oldest request of the process that is printed with these words arrives, with its answer.
  // False: there is none.
  bool Arrive(std::size_t process, std::string_view words);
  // The same after its sender has given it up.
  bool ArriveUnheard(std::size_t process, std::string_view words);
  // The same as Arrive, and it is turned away.
  bool TurnAway(std::size_t process, std::string_view words);
  // The fence answers the process whatever it asks, while so much time passes for it alone.
  void Wait(std::size_t process, Duration duration);
  // The process is told everything, and what it asks for is done, but for Bindings if these are
  // late.
  void Work(std::size_t process, int rounds);
  // No more trouble: everything arrives, everybody runs. False: it does not come to rest.
  [[nodiscard]] bool ComeToRest();

  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  // The releases that have processes.
  [[nodiscard]] std::set<SchedulerName> Running() const;
  // What has happened, for people.
  [[nodiscard]] const std::vector<std::string>& trace() const { return trace_; }
  void KeepTrace() { is_tracing_ = true; }

 private:
  struct Release {
    std::string name;
    Namespace ns;
    int processes = 1;
    bool is_running = true;
    int renames = 0;
  };
  struct Process {
    std::size_t release = 0;
    std::unique_ptr<Replica> replica;
    Duration ahead{0};  // of its clock
    bool is_paused = false;
    bool is_left_over = false;  // its release has ended or has another name
  };
  struct Request {
    std::size_t process = 0;
    std::string sender;  // the process' name then
    Sent sent;
    Duration at{0};
    FenceSelf self{};
    bool is_given_up = false;  // the sender was told that the outcome is unknown
  };
  struct Answer {
    std::size_t process = 0;
    std::string receiver;
    Content content;
  };
  // What becomes of a request that arrives.
  enum class Fate : std::uint8_t { kFine, kAnswerLost, kTwice, kTurnedAway, kBroken };

  [[nodiscard]] Duration TimeOf(const Process& process) const { return now_ + process.ahead; }
  [[nodiscard]] std::unique_ptr<Replica> NewReplica(const Release& release);
  void Start(std::size_t process);
  void StartRelease(std::size_t release);
  void EndRelease(std::size_t release, bool is_noticed);
  void RenameRelease(std::size_t release, bool is_noticed);
  void Run(std::size_t process);
  void Tell(std::size_t process, const model::Event& event);
  void Deliver(std::size_t index, Fate fate);
  [[nodiscard]] std::vector<Request>::iterator FindRequest(std::size_t process,
                                                           std::string_view words);
  bool DeliverNamed(std::size_t process, std::string_view words, Fate fate);
  // The fence answers what the process has asked. False: it has asked nothing.
  bool AnswerFence(std::size_t process);
  void TimeOut(std::size_t index);
  void HandOver(std::size_t index);
  void Watch(std::size_t process, int kind, int count);
  void TellNews(std::size_t process, int count);
  void Pass(Duration duration);
  void Send(std::size_t process, Sent sent);
  void PutAway(const Request& request, Content content);
  [[nodiscard]] Content Execute(const Request& request);
  [[nodiscard]] FenceAnswer ExecuteFence(const Request& request, const FenceRequest& asked);
  [[nodiscard]] std::size_t PickRequest(const Step& step) const;
  [[nodiscard]] std::string PickPod(std::uint16_t number) const;
  [[nodiscard]] std::optional<std::string> PickRecord(std::uint16_t number) const;
  void CreatePod(std::uint16_t number);
  void EditLease(const Step& step);
  void EditFence(const Step& step);
  void DoOnNodes(const Step& step);
  void EndWorkload(std::uint16_t number);
  void Write(Agent& agent);
  void ConfirmReports();
  // What agents have to say is stored. False: nothing.
  bool WriteReports();
  void LeaveEarlierVersion();
  void EndTrouble();
  [[nodiscard]] bool MoveOn();
  [[nodiscard]] bool IsAtRest() const;
  [[nodiscard]] std::optional<Duration> NextWake() const;
  void Note(const std::string& text);
  void Count(const model::Event& answer);

  const Setup setup_;
  const AllRules rules_;
  const Cluster cluster_;
  Server server_;
  Duration now_{0};
  std::vector<Release> releases_;
  std::vector<Process> processes_;
  std::vector<Agent> agents_;
  std::vector<Request> requests_;
  std::vector<Answer> answers_;
  int starts_ = 0;
  int deleted_fences_ = 0;
  Tally tally_;
  bool is_tracing_ = false;
  std::vector<std::string> trace_;
};

// Runs it and says what was wrong, or nothing. What happened is added to the tally.
[[nodiscard]] std::optional<std::string> WhatGoesWrong(const Schedule& schedule,
                                                       const AllRules& rules,
                                                       Tally* tally = nullptr);
// The same with everything that happened.
[[nodiscard]] std::string Explain(const Schedule& schedule, const AllRules& rules);

}  // namespace gs::kube::simulation
