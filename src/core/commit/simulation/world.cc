#include "core/commit/simulation/world.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "core/commit/simulation/checker.h"

namespace gs::commit::simulation {
namespace {

using model::Event;
using model::Kind;
using model::WriteOutcome;
using Content = std::variant<Event, ElectionAnswer>;

// Executes a command and makes the answer to it.
struct Executor {
  Server& server;

  Content operator()(const model::CreateLease& create) const {
    return Event(model::LeaseAnswered{create.lease.name, create.attempt, server.Create(create)});
  }
  Content operator()(const model::UpdateLease& update) const {
    return Event(model::LeaseAnswered{update.lease.name, update.attempt, server.Update(update)});
  }
  Content operator()(const model::DeleteLease& remove) const {
    return Event(model::LeaseAnswered{remove.name, remove.attempt, server.Delete(remove)});
  }
  Content operator()(const model::BindPod& bind) const {
    return Event(model::BindAnswered{bind.pod.uid, bind.attempt, server.Bind(bind)});
  }
  Content operator()(const model::TouchPod& touch) const { return Event(server.Touch(touch)); }
  Content operator()(const model::LookUpPod& look) const {
    return Event(model::PodLookedUp{look.pod, server.LookUp(look.pod)});
  }
  Content operator()(const model::AskRevision& ask) const {
    return Event(model::RevisionAnswered{ask.kind, server.version()});
  }
  template <class Other>
  Content operator()(const Other&) const {
    return Event(model::RevisionAnswered{});  // nothing that this world executes
  }
};

// The answer if nobody knows what became of it, or if it was turned away.
struct Failure {
  WriteOutcome outcome;

  Content operator()(const model::CreateLease& create) const {
    return Event(model::LeaseAnswered{create.lease.name, create.attempt, outcome});
  }
  Content operator()(const model::UpdateLease& update) const {
    return Event(model::LeaseAnswered{update.lease.name, update.attempt, outcome});
  }
  Content operator()(const model::DeleteLease& remove) const {
    return Event(model::LeaseAnswered{remove.name, remove.attempt, outcome});
  }
  Content operator()(const model::BindPod& bind) const {
    return Event(model::BindAnswered{bind.pod.uid, bind.attempt, outcome});
  }
  Content operator()(const model::TouchPod& touch) const {
    return Event(model::TouchAnswered{touch.pod.uid, touch.attempt, outcome, {}, {}});
  }
  Content operator()(const model::LookUpPod& look) const {
    return Event(model::PodLookedUp{look.pod, outcome});
  }
  Content operator()(const model::AskRevision& ask) const {
    return Event(model::RevisionAnswered{ask.kind, {}});
  }
  template <class Other>
  Content operator()(const Other&) const {
    return Event(model::RevisionAnswered{});
  }
};

Content FailureOf(const Sent& sent, WriteOutcome outcome) {
  if (const auto* put = std::get_if<ElectionPut>(&sent)) {
    return ElectionAnswer{.put = *put, .outcome = outcome, .stored = {}};
  }
  return std::visit(Failure{outcome}, std::get<model::Command>(sent));
}

bool IsBinding(const Sent& sent) {
  const auto* command = std::get_if<model::Command>(&sent);
  return command != nullptr && std::holds_alternative<model::BindPod>(*command);
}

std::string Print(const Sent& sent) {
  if (const auto* put = std::get_if<ElectionPut>(&sent)) {
    const auto& list = put->to.list;
    return "put election by " + put->to.holder + " list " +
           (list
                ? "[" + text::Join(*list, " ", [](const auto& pod) { return pod.uid.text(); }) + "]"
                : "unknown");
  }
  return ToString(std::get<model::Command>(sent));
}

}  // namespace

World::World(const Setup& setup, const Rules& rules) : setup_(setup), rules_(rules) {
  // Made when the product is installed: nobody holds it, and its list is empty.
  Election election;
  election.list.emplace();
  (void)server_.Put({.from = {}, .to = election});
  for (int i = 0; i < setup_.pods; ++i) server_.CreatePod(PickPod(static_cast<std::uint16_t>(i)));
  processes_.resize(static_cast<std::size_t>(setup_.replicas));
  for (std::size_t i = 0; i < processes_.size(); ++i) Start(i);
}

void World::Start(std::size_t process) {
  const std::string name = "r" + std::to_string(process) + "." + std::to_string(++starts_);
  processes_[process] = {
      .replica = std::make_unique<Replica>(ReplicaSettings{.name = name,
                                                           .gpus = setup_.gpus,
                                                           .sharers = kSharers,
                                                           .minds_leases = setup_.minds_leases,
                                                           .rules = rules_}),
      .is_paused = false};
  for (const Kind kind : {Kind::kPod, Kind::kLease}) {
    processes_[process].replica->stream(kind).Relist(server_);
  }
  Note("start " + name);
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other
void World::Do(const Step& step) {
  const std::size_t process = step.a % processes_.size();
  Process& chosen = processes_[process];
  switch (step.action) {
    case Action::kDeliver:
      if (requests_.empty()) return;
      return Deliver(PickRequest(step), static_cast<Fate>(step.b % 40 < 35 ? 0 : step.b % 40 - 35));
    case Action::kTimeOut:
      if (requests_.empty()) return;
      return TimeOut(step.a % requests_.size());
    case Action::kAnswer:
      if (answers_.empty()) return;
      return HandOver(step.b % 2 == 0 ? 0 : step.a % answers_.size());
    case Action::kWatch:
      return Watch(process, step.b % 2 == 0 ? Kind::kPod : Kind::kLease, 1 + step.b % 5);
    case Action::kRelist:
      return chosen.replica->stream(step.b % 2 == 0 ? Kind::kPod : Kind::kLease).Relist(server_);
    case Action::kPass: return Pass(std::chrono::milliseconds(100) * (1 << (step.a % 7)));
    case Action::kCrash: return Start(process);
    case Action::kPause: chosen.is_paused = true; return Note("pause " + chosen.replica->name());
    case Action::kResume: chosen.is_paused = false; return Run(process);
    case Action::kCampaign:
      if (chosen.is_paused) return;
      if (chosen.replica->is_lost()) Start(process);
      if (auto put = chosen.replica->Campaign(server_)) Send(process, *std::move(put));
      return;
    case Action::kRenew:
      if (chosen.is_paused) return;
      if (auto put = chosen.replica->Renew()) Send(process, *std::move(put));
      return;
    case Action::kDeleteLease:
      if (server_.leases().empty()) return;
      Note("user deletes a Lease");
      return server_.DeleteLeaseByHand(
          std::next(server_.leases().begin(),
                    static_cast<std::ptrdiff_t>(step.a % server_.leases().size()))
              ->first);
    case Action::kDeleteElection:
      if (std::exchange(has_deleted_election_, true)) return;
      Note("user deletes the election Lease");
      return server_.DeleteElection();
    case Action::kCreatePod: return server_.CreatePod(PickPod(step.a));
    case Action::kDeletePod: return server_.DeletePod(PickPod(step.a));
    case Action::kForceDeletePod: return server_.ForceDeletePod(PickPod(step.a));
    case Action::kFinishPod: return server_.FinishPod(PickPod(step.a));
    case Action::kPokePod: return server_.PokePod(PickPod(step.a));
  }
}

// Half of the time the oldest. Where Bindings are to be late, they hardly ever are chosen.
std::size_t World::PickRequest(const Step& step) const {
  const std::size_t first = step.a % 2 == 0 ? 0 : (step.a / 2) % requests_.size();
  if (!setup_.has_late_bindings || step.b % 16 == 0) return first;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const std::size_t index = (first + i) % requests_.size();
    if (!IsBinding(requests_[index].sent)) return index;
  }
  return first;
}

std::string World::PickPod(std::uint16_t number) const {
  const int index = number % setup_.pods;
  const std::string_view wishes = setup_.gpus > 1 ? "xsxsp" : setup_.pods > 3 ? "xsxs" : "xxx";
  return wishes[static_cast<std::size_t>(index) % wishes.size()] + std::to_string(index);
}

void World::Run(std::size_t process) {
  if (processes_[process].is_paused) return;
  for (Sent& sent : processes_[process].replica->Run(now_)) Send(process, std::move(sent));
}

void World::Tell(std::size_t process, const Event& event) {
  Replica& replica = *processes_[process].replica;
  Note(replica.name() + " is told: " + ToString(event));
  replica.Apply(event, now_);
}

void World::Send(std::size_t process, Sent sent) {
  Replica& replica = *processes_[process].replica;
  Note(replica.name() + " sends: " + Print(sent));
  if (const auto* command = std::get_if<model::Command>(&sent)) {
    if (const auto* refresh = std::get_if<model::RefreshView>(command)) {
      return replica.stream(refresh->kind).Relist(server_);
    }
  }
  requests_.push_back({process, replica.name(), std::move(sent), false});
}

void World::Deliver(std::size_t index, Fate fate) {
  const Request request = std::move(requests_[index]);
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
  if (fate == Fate::kTurnedAway) {
    return PutAway(request, FailureOf(request.sent, WriteOutcome::kNotExecuted));
  }
  if (fate == Fate::kBroken) {
    return PutAway(request, FailureOf(request.sent, WriteOutcome::kUnknown));
  }
  if (fate == Fate::kTwice) (void)Execute(request.sent);
  Content answer = Execute(request.sent);
  Note("arrives from " + request.sender + ": " + Print(request.sent));
  if (fate == Fate::kAnswerLost) answer = FailureOf(request.sent, WriteOutcome::kUnknown);
  PutAway(request, std::move(answer));
}

bool World::Arrive(std::size_t process, std::string_view words) {
  return DeliverNamed(process, words, Fate::kFine);
}

bool World::TurnAway(std::size_t process, std::string_view words) {
  return DeliverNamed(process, words, Fate::kTurnedAway);
}

// Answers that were there before are handed over too.
bool World::DeliverNamed(std::size_t process, std::string_view words, Fate fate) {
  const auto request = std::find_if(requests_.begin(), requests_.end(), [&](const Request& each) {
    return each.process == process && Print(each.sent).find(words) != std::string::npos;
  });
  if (request == requests_.end()) return false;
  Deliver(static_cast<std::size_t>(request - requests_.begin()), fate);
  while (!answers_.empty()) HandOver(0);
  return true;
}

void World::TimeOut(std::size_t index) {
  Request& request = requests_[index];
  PutAway(request, FailureOf(request.sent, WriteOutcome::kUnknown));
  request.is_given_up = true;
}

void World::PutAway(const Request& request, Content content) {
  if (!request.is_given_up) {
    answers_.push_back({request.process, request.sender, std::move(content)});
  }
}

Content World::Execute(const Sent& sent) {
  if (const auto* put = std::get_if<ElectionPut>(&sent)) {
    const WriteOutcome outcome = server_.Put(*put);
    const bool is_takeover = !put->from || put->from->holder != put->to.holder;
    if (is_takeover && outcome == WriteOutcome::kDone) ++tally_.takeovers;
    return ElectionAnswer{.put = *put, .outcome = outcome, .stored = server_.election()};
  }
  Content answer = std::visit(Executor{server_}, std::get<model::Command>(sent));
  Count(std::get<Event>(answer));
  return answer;
}

void World::Count(const Event& answer) {
  if (const auto* bind = std::get_if<model::BindAnswered>(&answer)) {
    ++(bind->outcome == WriteOutcome::kDone ? tally_.bound : tally_.too_late);
  } else if (const auto* touch = std::get_if<model::TouchAnswered>(&answer)) {
    tally_.touched += touch->outcome == WriteOutcome::kDone ? 1 : 0;
  } else if (const auto* lease = std::get_if<model::LeaseAnswered>(&answer)) {
    tally_.locked += lease->outcome == WriteOutcome::kDone ? 1 : 0;
  }
}

void World::HandOver(std::size_t index) {
  if (processes_[answers_[index].process].is_paused) return;
  const Answer answer = std::move(answers_[index]);
  answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(index));
  Replica& replica = *processes_[answer.process].replica;
  if (replica.name() != answer.receiver) return;  // it is dead
  if (const auto* event = std::get_if<Event>(&answer.content)) {
    Tell(answer.process, *event);
  } else {
    const auto& put = std::get<ElectionAnswer>(answer.content);
    Note(replica.name() + " is told: election put " + std::string(ToString(put.outcome)));
    replica.PutAnswered(put, server_, now_);
  }
  Run(answer.process);
}

void World::Watch(std::size_t process, Kind kind, int count) {
  if (processes_[process].is_paused) return;
  Replica& replica = *processes_[process].replica;
  for (int i = 0; i < count && !replica.stream(kind).IsDone(server_); ++i) {
    Tell(process, replica.stream(kind).Next(server_));
  }
  Run(process);
}

void World::Pass(Duration duration) {
  now_ += duration;
  for (std::size_t i = 0; i < processes_.size(); ++i) Run(i);
}

std::optional<TimePoint> World::NextWake() const {
  std::optional<TimePoint> wake;
  for (const Process& process : processes_) wake = Earlier(wake, process.replica->NextWake());
  return wake;
}

bool World::ComeToRest() {
  Note("no more trouble");
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    processes_[i].is_paused = false;
    Run(i);
    if (auto put = processes_[i].replica->Renew()) Send(i, *std::move(put));
  }
  for (int round = 0; round < 1000; ++round) {
    if (!MoveOn()) return true;
  }
  return false;
}

// One round of everything that is waiting; when nothing is, time passes. False: nothing ever will.
bool World::MoveOn() {
  bool has_moved = !requests_.empty() || !answers_.empty();
  while (!requests_.empty()) Deliver(0, Fate::kFine);
  while (!answers_.empty()) HandOver(0);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].replica->is_lost()) Start(i);
    for (const Kind kind : {Kind::kPod, Kind::kLease}) {
      if (processes_[i].replica->stream(kind).IsDone(server_)) continue;
      has_moved = true;
      Watch(i, kind, 1000);
    }
  }
  if (has_moved) return true;
  const bool has_leader =
      std::any_of(processes_.begin(), processes_.end(),
                  [](const Process& each) { return each.replica->is_leading(); });
  if (!has_leader) {
    if (auto put = processes_[0].replica->Campaign(server_)) Send(0, *std::move(put));
    return true;
  }
  const std::optional<TimePoint> wake = NextWake();
  if (!wake) return false;
  now_ = std::max(now_, *wake);
  Pass(Duration(0));
  return true;
}

void World::Note(const std::string& text) {
  if (is_tracing_) trace_.push_back(text);
}

namespace {

std::optional<std::string> RunAll(World& world, const Schedule& schedule) {
  for (const Step& step : schedule.steps) world.Do(step);
  const bool is_at_rest = world.ComeToRest();
  if (auto broken = FindDoubleAllocation(world.server(), World::kSharers)) return broken;
  if (!is_at_rest) return "it does not come to rest";
  return FindLoss(world.server(), schedule.setup.gpus, World::kSharers);
}

}  // namespace

std::optional<std::string> WhatGoesWrong(const Schedule& schedule, const Rules& rules,
                                         Tally* tally) {
  World world(schedule.setup, rules);
  auto wrong = RunAll(world, schedule);
  if (tally != nullptr) *tally += world.tally();
  return wrong;
}

std::string Explain(const Schedule& schedule, const Rules& rules) {
  World world(schedule.setup, rules);
  world.KeepTrace();
  std::string text = RunAll(world, schedule).value_or("nothing goes wrong");
  text += " (" + std::to_string(schedule.steps.size()) + " steps)";
  for (const std::string& line : world.trace()) text += "\n  " + line;
  return text;
}

}  // namespace gs::commit::simulation
