// The part of World that is the network: what processes send and are told, and when.
#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/kube/fence/simulation/world.h"

namespace gs::kube::simulation {

using model::Event;
using model::Kind;
using model::WriteOutcome;

namespace {

// The API server works on nothing for longer.
constexpr Duration kLongestRequest = std::chrono::seconds(60);

std::size_t EntriesOf(const ReleaseRecord* record) {
  return record == nullptr ? 0 : record->in_flight.size();
}

}  // namespace

void World::Run(std::size_t process) {
  Process& running = processes_[process];
  if (running.is_paused) return;
  for (Sent& sent : running.replica->Run(TimeOf(running))) Send(process, std::move(sent));
}

void World::Tell(std::size_t process, const Event& event) {
  Replica& replica = *processes_[process].replica;
  if (is_tracing_) Note(replica.name() + " is told: " + ToString(event));
  replica.Apply(event, TimeOf(processes_[process]));
}

void World::Send(std::size_t process, Sent sent) {
  Replica& replica = *processes_[process].replica;
  if (is_tracing_) Note(replica.name() + " sends: " + Print(sent));
  if (const auto* command = std::get_if<model::Command>(&sent)) {
    if (const auto* refresh = std::get_if<model::RefreshView>(command)) {
      return replica.stream(refresh->kind).Relist(server_);
    }
    const bool is_too_late = setup_.is_timely && !replica.MayWriteAt(TimeOf(processes_[process]));
    if (is_too_late) return;
  }
  requests_.push_back({.process = process,
                       .sender = replica.name(),
                       .sent = std::move(sent),
                       .at = now_,
                       .self = replica.self()});
}

void World::Deliver(std::size_t index, Fate fate) {
  const Request request = std::move(requests_[index]);
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(index));
  const bool is_too_late = setup_.is_timely && now_ - request.at > kLongestRequest;
  if (is_too_late) fate = Fate::kBroken;
  if (fate == Fate::kTurnedAway) {
    return PutAway(request, FailureOf(request.sent, WriteOutcome::kNotExecuted));
  }
  if (fate == Fate::kBroken) {
    return PutAway(request, FailureOf(request.sent, WriteOutcome::kUnknown));
  }
  if (fate == Fate::kTwice) (void)Execute(request);
  Content answer = Execute(request);
  if (is_tracing_) Note("arrives from " + request.sender + ": " + Print(request.sent));
  if (fate == Fate::kAnswerLost) answer = FailureOf(request.sent, WriteOutcome::kUnknown);
  PutAway(request, std::move(answer));
}

bool World::Arrive(std::size_t process, std::string_view words) {
  return DeliverNamed(process, words, Fate::kFine);
}

bool World::ArriveUnheard(std::size_t process, std::string_view words) {
  const auto request = FindRequest(process, words);
  if (request == requests_.end()) return false;
  const auto index = static_cast<std::size_t>(request - requests_.begin());
  TimeOut(index);
  Deliver(index, Fate::kFine);
  return true;
}

bool World::TurnAway(std::size_t process, std::string_view words) {
  return DeliverNamed(process, words, Fate::kTurnedAway);
}

std::vector<World::Request>::iterator World::FindRequest(std::size_t process,
                                                         std::string_view words) {
  return std::ranges::find_if(requests_, [&](const Request& each) {
    return each.process == process && Print(each.sent).find(words) != std::string::npos;
  });
}

// Answers that were there before are handed over too.
bool World::DeliverNamed(std::size_t process, std::string_view words, Fate fate) {
  const auto request = FindRequest(process, words);
  if (request == requests_.end()) return false;
  Deliver(static_cast<std::size_t>(request - requests_.begin()), fate);
  while (!answers_.empty()) HandOver(0);
  return true;
}

bool World::AnswerFence(std::size_t process) {
  const std::string name = processes_[process].replica->name();
  const auto is_asked = [&](const Request& each) {
    return each.process == process && each.sender == name && !each.is_given_up &&
           std::holds_alternative<FenceRequest>(each.sent);
  };
  const auto request = std::ranges::find_if(requests_, is_asked);
  if (request != requests_.end()) {
    Deliver(static_cast<std::size_t>(request - requests_.begin()), Fate::kFine);
  }
  const auto answer = std::ranges::find_if(answers_, [&](const Answer& each) {
    return each.process == process && each.receiver == name &&
           std::holds_alternative<FenceAnswer>(each.content);
  });
  if (answer == answers_.end()) return false;
  HandOver(static_cast<std::size_t>(answer - answers_.begin()));
  return true;
}

void World::Wait(std::size_t process, Duration duration) {
  const Duration end = TimeOf(processes_[process]) + duration;
  for (int i = 0; i < 40; ++i) {
    Run(process);
    if (AnswerFence(process)) continue;
    Process& waiting = processes_[process];
    const auto wake = waiting.replica->NextFenceWake();
    const Duration time = TimeOf(waiting);
    if (!wake || time >= end || waiting.replica->is_over()) return;
    const Duration passed = std::clamp(*wake, time, end) - time;
    (setup_.is_timely ? now_ : waiting.ahead) += passed;
    if (passed == Duration(0)) return;
  }
}

void World::Work(std::size_t process, int rounds) {
  const std::string name = processes_[process].replica->name();
  for (int round = 0; round < rounds; ++round) {
    Run(process);
    while (AnswerFence(process)) {
    }
    for (std::size_t i = 0; i < requests_.size();) {
      const bool is_late = setup_.has_late_bindings && IsBinding(requests_[i].sent);
      const bool is_chosen = requests_[i].sender == name && !is_late;
      if (is_chosen) Deliver(i, Fate::kFine);
      if (!is_chosen) ++i;
    }
    for (std::size_t i = 0; i < answers_.size();) {
      const bool is_chosen = answers_[i].receiver == name;
      if (is_chosen) HandOver(i);
      if (!is_chosen) ++i;
    }
    for (const int kind : {0, 1, 2, 3}) Watch(process, kind, 1000);
  }
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

Content World::Execute(const Request& request) {
  if (const auto* asked = std::get_if<FenceRequest>(&request.sent)) {
    return ExecuteFence(request, *asked);
  }
  Content answer = simulation::Execute(server_, request.self.release_namespace,
                                       std::get<model::Command>(request.sent));
  Count(std::get<Event>(answer));
  return answer;
}

FenceAnswer World::ExecuteFence(const Request& request, const FenceRequest& asked) {
  const std::optional<FenceLease> before = server_.fence();
  FenceAnswer answer = server_.Ask(request.self, asked);
  if (answer.outcome != WriteOutcome::kDone || std::holds_alternative<ReadFence>(asked)) {
    return answer;
  }
  tally_.anew += std::holds_alternative<CreateFence>(asked) ? 1 : 0;
  if (!answer.fence) return answer;
  for (const auto& [key, record] : answer.fence->records) {
    const ReleaseRecord* was = before ? FindRecord(*before, record.scheduler) : nullptr;
    const bool is_ours = record.scheduler == request.self.scheduler;
    const auto entries = static_cast<int>(EntriesOf(&record));
    const auto entries_before = static_cast<int>(EntriesOf(was));
    if (is_ours && record.is_held() && (was == nullptr || was->holder != record.holder)) {
      ++tally_.takeovers;
    }
    if (is_ours) tally_.listed += std::max(0, entries - entries_before);
    if (!is_ours) tally_.dropped += std::max(0, entries_before - entries);
  }
  return answer;
}

void World::Count(const Event& answer) {
  if (const auto* bind = std::get_if<model::BindAnswered>(&answer)) {
    ++(bind->outcome == WriteOutcome::kDone ? tally_.bound : tally_.too_late);
  } else if (const auto* touch = std::get_if<model::TouchAnswered>(&answer)) {
    tally_.touched += touch->outcome == WriteOutcome::kDone ? 1 : 0;
    tally_.refused += touch->outcome == WriteOutcome::kRefused ? 1 : 0;
  } else if (const auto* lease = std::get_if<model::LeaseAnswered>(&answer)) {
    tally_.leases += lease->outcome == WriteOutcome::kDone ? 1 : 0;
  }
}

void World::HandOver(std::size_t index) {
  if (processes_[answers_[index].process].is_paused) return;
  const Answer answer = std::move(answers_[index]);
  answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(index));
  Process& process = processes_[answer.process];
  if (process.replica->name() != answer.receiver) return;  // it is dead
  if (const auto* event = std::get_if<Event>(&answer.content)) {
    Tell(answer.process, *event);
  } else {
    const auto& fence = std::get<FenceAnswer>(answer.content);
    Note(process.replica->name() +
         " is told by the fence: " + std::string(ToString(fence.outcome)));
    process.replica->Answer(fence, TimeOf(process));
  }
  Run(answer.process);
}

// Kinds: pods, Leases, what the fence says, and what agents do.
void World::Watch(std::size_t process, int kind, int count) {
  if (processes_[process].is_paused) return;
  Replica& replica = *processes_[process].replica;
  if (kind == 2) return TellNews(process, count);
  if (kind == 3 && !setup_.has_agents) return;
  ViewStream& stream = replica.stream(kind == 3   ? Kind::kMachine
                                      : kind == 0 ? Kind::kPod
                                                  : Kind::kLease);
  for (int i = 0; i < count && !stream.IsDone(server_); ++i) Tell(process, stream.Next(server_));
  Run(process);
}

void World::TellNews(std::size_t process, int count) {
  std::deque<Event>& news = processes_[process].replica->news();
  for (int i = 0; i < count && !news.empty(); ++i) {
    const Event event = std::move(news.front());
    news.pop_front();
    Tell(process, event);
  }
  Run(process);
}

}  // namespace gs::kube::simulation
