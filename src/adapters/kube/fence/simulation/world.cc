#include "adapters/kube/fence/simulation/world.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "core/model/fence.h"

namespace gs::kube::simulation {
namespace {

using model::Event;
using model::Kind;
using model::WriteOutcome;
using Content = std::variant<Event, FenceAnswer>;

// The API server works on nothing for longer.
constexpr Duration kLongestRequest = std::chrono::seconds(60);

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

// Executes a command and makes the answer to it.
struct Executor {
  Server& server;
  const Namespace& ns;

  Content operator()(const model::CreateLease& create) const {
    return Event(
        model::LeaseAnswered{create.lease.name, create.attempt, server.Create(ns, create)});
  }
  Content operator()(const model::UpdateLease& update) const {
    return Event(
        model::LeaseAnswered{update.lease.name, update.attempt, server.Update(ns, update)});
  }
  Content operator()(const model::DeleteLease& remove) const {
    return Event(model::LeaseAnswered{remove.name, remove.attempt, server.Delete(ns, remove)});
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

Content FailureOf(const Sent& sent, WriteOutcome outcome) {
  if (std::holds_alternative<FenceRequest>(sent)) return FenceAnswer{.outcome = outcome};
  return std::visit(Failure{outcome}, std::get<model::Command>(sent));
}

bool IsBinding(const Sent& sent) {
  const auto* command = std::get_if<model::Command>(&sent);
  return command != nullptr && std::holds_alternative<model::BindPod>(*command);
}

std::string PrintFence(const FenceLease& fence) {
  std::string text = fence.unsettled ? "unsettled" : "settled";
  for (const auto& [key, record] : fence.records) {
    text += "; " + record.scheduler.text() + " by " + record.holder.process + "#" +
            std::to_string(record.write) + " settled " + record.settled.text() + " lists [";
    text += text::Join(record.in_flight, ", ", [](const model::InFlightPod& entry) {
      return ToString(entry.pod) + "@" + entry.noted.text() + " to " + ToString(entry.gpus);
    });
    text += "]";
  }
  return text;
}

struct FencePrinter {
  std::string operator()(const ReadFence&) const { return "read fence"; }
  std::string operator()(const CreateFence& create) const {
    return "create fence: " + PrintFence(create.fence);
  }
  std::string operator()(const PutFence& put) const {
    return "put fence from " + put.fence.metadata.resource_version.text() + ": " +
           PrintFence(put.fence);
  }
  std::string operator()(const EarlierRequest& earlier) const {
    return std::holds_alternative<ReadEarlier>(earlier) ? "read earlier Lease"
                                                        : "take earlier Lease";
  }
};

std::string Print(const Sent& sent) {
  if (const auto* fence = std::get_if<FenceRequest>(&sent)) {
    return std::visit(FencePrinter(), *fence);
  }
  return ToString(std::get<model::Command>(sent));
}

std::size_t EntriesOf(const ReleaseRecord* record) {
  return record == nullptr ? 0 : record->in_flight.size();
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  takeovers += other.takeovers;
  bound += other.bound;
  too_late += other.too_late;
  touched += other.touched;
  refused += other.refused;
  listed += other.listed;
  dropped += other.dropped;
  anew += other.anew;
  leases += other.leases;
  return *this;
}

World::World(const Setup& setup, const AllRules& rules)
    : setup_(setup),
      rules_(rules),
      cluster_({.nodes = setup.nodes, .gpus = setup.gpus, .sharers = 2}) {
  for (std::size_t i = 0; i < setup_.processes.size(); ++i) {
    const std::string letter(1, static_cast<char>('a' + i));
    releases_.push_back({.name = "gpu-" + (setup_.has_one_name ? "a" : letter),
                         .ns = Namespace("ns-" + letter),
                         .processes = setup_.processes[i]});
  }
  for (int i = 0; i < setup_.pods; ++i) CreatePod(static_cast<std::uint16_t>(i));
  if (setup_.was_upgraded) LeaveEarlierVersion();
  for (std::size_t i = 0; i < releases_.size(); ++i) StartRelease(i);
}

// Its last leader was binding the first pod, perhaps, and that Binding is on its way.
void World::LeaveEarlierVersion() {
  for (const Release& release : releases_) {
    const SchedulerName scheduler(release.name);
    const model::Pod& pod = server_.pods().at(PickPod(0));
    const bool is_binding = setup_.was_binding && pod.scheduler == scheduler;
    server_.LeaveEarlierElection(release.ns, scheduler,
                                 is_binding ? std::vector{pod.ref} : std::vector<model::PodRef>());
    if (!is_binding || !requests_.empty()) continue;
    const Wish wish = WishOf(pod);
    model::Allocation allocation;
    allocation.pod = pod.ref.uid;
    allocation.gpus.node = NodeNamed(0);
    for (std::size_t id = 0; id < wish.count; ++id) {
      allocation.gpus.ids.emplace_back(static_cast<std::int32_t>(id));
    }
    allocation.mode = wish.mode;
    allocation.is_enforced = wish.is_enforced;
    requests_.push_back({.process = 0,
                         .sender = "earlier version",
                         .sent = model::Command(model::BindPod{pod.ref, pod.resource_version,
                                                               AttemptId("earlier"), allocation}),
                         .is_given_up = true});
  }
}

std::unique_ptr<Replica> World::NewReplica(const Release& release) {
  return std::make_unique<Replica>(
      ReplicaSettings{.name = release.ns.text() + "." + std::to_string(++starts_),
                      .scheduler = SchedulerName(release.name),
                      .ns = release.ns,
                      .nodes = cluster_.nodes,
                      .gpus = cluster_.gpus,
                      .sharers = cluster_.sharers,
                      .minds_others = setup_.minds_others,
                      .has_late_news = setup_.has_late_news,
                      .rules = rules_});
}

void World::Start(std::size_t index) {
  Process& process = processes_[index];
  if (process.is_left_over) return;
  process.replica = NewReplica(releases_[process.release]);
  process.is_paused = false;
  for (const Kind kind : {Kind::kPod, Kind::kLease}) process.replica->stream(kind).Relist(server_);
  Note("start " + process.replica->name() + " of " + releases_[process.release].name);
}

void World::StartRelease(std::size_t index) {
  Release& release = releases_[index];
  release.is_running = true;
  const auto running = std::ranges::count_if(processes_, [index](const Process& each) {
    return each.release == index && !each.is_left_over;
  });
  for (auto i = running; i < release.processes; ++i) {
    processes_.push_back({.release = index, .replica = nullptr});
    Start(processes_.size() - 1);
  }
}

// Unless it is noticed, its processes go on; nobody starts them again.
void World::EndRelease(std::size_t index, bool is_noticed) {
  releases_[index].is_running = false;
  Note("end release " + releases_[index].name);
  for (Process& process : processes_) {
    if (process.release != index) continue;
    process.is_left_over = true;
    if (is_noticed) process.is_paused = true;
  }
}

void World::RenameRelease(std::size_t index, bool is_noticed) {
  EndRelease(index, is_noticed);
  Release& release = releases_[index];
  release.name = "gpu-" + std::to_string(index) + "-" + std::to_string(++release.renames);
  StartRelease(index);
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other
void World::Do(const Step& step) {
  const std::size_t process = step.a % processes_.size();
  const std::size_t release = step.a % releases_.size();
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
    case Action::kFence:
      if (chosen.is_paused) return;
      if (chosen.replica->is_over()) Start(process);
      Run(process);
      for (int i = 0; i <= step.b % 4 && AnswerFence(process); ++i) {
      }
      return;
    case Action::kWait:
      if (chosen.is_paused) return;
      if (chosen.replica->is_over()) Start(process);
      return Wait(process, std::chrono::seconds(1) * (1 + step.b % 8));
    case Action::kWork:
      if (chosen.is_paused) return;
      if (chosen.replica->is_over()) Start(process);
      return Work(process, 1 + step.b % 4);
    case Action::kWatch: return Watch(process, step.b % 3, 1 + step.b % 5);
    case Action::kRelist:
      return chosen.replica->stream(step.b % 2 == 0 ? Kind::kPod : Kind::kLease).Relist(server_);
    case Action::kPass: {
      const Duration passed = std::chrono::milliseconds(100) * (1 << (step.a % 7));
      if (step.b % 4 != 0 || setup_.is_timely) return Pass(passed);
      processes_[step.b / 4 % processes_.size()].ahead += passed;
      return Run(step.b / 4 % processes_.size());
    }
    case Action::kCrash: return Start(process);
    case Action::kPause: chosen.is_paused = true; return Note("pause " + chosen.replica->name());
    case Action::kResume: chosen.is_paused = false; return Run(process);
    case Action::kResign:
      Note("resign " + chosen.replica->name());
      chosen.replica->Resign();
      return Run(process);
    case Action::kStartRelease: return StartRelease(release);
    case Action::kEndRelease: return EndRelease(release, step.b % 2 == 0);
    case Action::kRenameRelease:
      if (releases_[release].renames < 2) RenameRelease(release, step.b % 2 == 0);
      return;
    case Action::kDeleteLease:
    case Action::kEditLease: return EditLease(step);
    case Action::kDeleteFence:
      if (++deleted_fences_ > 2) return;
      Note("user deletes the fence");
      return server_.DeleteFence();
    case Action::kEditFence: return EditFence(step);
    case Action::kCreatePod: return CreatePod(step.a);
    case Action::kDeletePod: return server_.DeletePod(PickPod(step.a));
    case Action::kForceDeletePod: return server_.ForceDeletePod(PickPod(step.a));
    case Action::kFinishPod: return server_.FinishPod(PickPod(step.a));
    case Action::kPokePod: return server_.PokePod(PickPod(step.a));
    case Action::kRefuseTouches:
      if (setup_.is_timely) server_.RefuseTouches(PickPod(step.a));
      return;
  }
}

void World::EditLease(const Step& step) {
  const Namespace& ns = releases_[step.b % releases_.size()].ns;
  const Leases& leases = server_.leases(ns);
  if (leases.empty()) return;
  const LeaseName name =
      std::next(leases.begin(), static_cast<std::ptrdiff_t>(step.a % leases.size()))->first;
  Note("user edits or deletes " + name.text());
  if (step.action == Action::kDeleteLease) return server_.DeleteLeaseByHand(ns, name);
  server_.EditLease(ns, name, step.b / 2);
}

void World::EditFence(const Step& step) {
  const auto key = PickRecord(step.a);
  if (!key || ++deleted_fences_ > 2) return;
  Note("user edits the fence");
  if (step.b % 2 == 0) return server_.RemoveRecord(*key);
  server_.SpoilRecord(*key);
}

std::optional<std::string> World::PickRecord(std::uint16_t number) const {
  if (!server_.fence() || server_.fence()->records.empty()) return std::nullopt;
  const auto& records = server_.fence()->records;
  return std::next(records.begin(), static_cast<std::ptrdiff_t>(number % records.size()))->first;
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
  const auto index = static_cast<std::size_t>(number % setup_.pods);
  return setup_.wishes[index % setup_.wishes.size()] + std::to_string(index);
}

// Of the releases in turn.
void World::CreatePod(std::uint16_t number) {
  const auto index = static_cast<std::size_t>(number % setup_.pods);
  const Release& release = releases_[index % releases_.size()];
  server_.CreatePod(PickPod(number), SchedulerName(release.name));
}

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
    for (const int kind : {0, 1, 2}) Watch(process, kind, 1000);
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
  Content answer = std::visit(Executor{server_, request.self.release_namespace},
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

// Kinds: pods, Leases, and what the fence says.
void World::Watch(std::size_t process, int kind, int count) {
  if (processes_[process].is_paused) return;
  Replica& replica = *processes_[process].replica;
  if (kind == 2) return TellNews(process, count);
  ViewStream& stream = replica.stream(kind == 0 ? Kind::kPod : Kind::kLease);
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

void World::Pass(Duration duration) {
  now_ += duration;
  for (std::size_t i = 0; i < processes_.size(); ++i) Run(i);
}

std::set<SchedulerName> World::Running() const {
  std::set<SchedulerName> running;
  for (const Release& release : releases_) {
    if (release.is_running) running.insert(SchedulerName(release.name));
  }
  return running;
}

std::optional<Duration> World::NextWake() const {
  std::optional<Duration> wake;
  for (const Process& process : processes_) {
    if (process.is_paused) continue;
    if (const auto at = process.replica->NextWake()) {
      wake = wake ? std::min(*wake, *at - process.ahead) : *at - process.ahead;
    }
  }
  return wake;
}

// Leftovers are gone at last, and a release that nobody can tell what it listed is dealt with as
// the scheduler advises.
void World::EndTrouble() {
  Note("no more trouble");
  if (Running().empty()) StartRelease(0);
  if (!setup_.stays_refusing) server_.AllowTouches();
  for (Process& process : processes_) process.is_paused = process.is_left_over;
  for (std::size_t i = 0; i < processes_.size(); ++i) Run(i);
}

bool World::ComeToRest() {
  EndTrouble();
  const Duration begin = now_;
  while (now_ - begin < std::chrono::minutes(10)) {
    for (int i = 0; MoveOn(); ++i) {
      if (i > 200) return false;
    }
    if (IsAtRest()) return true;
    if (server_.fence() && !server_.fence()->unreadable.empty() &&
        now_ - begin > std::chrono::seconds(10)) {
      server_.DeleteFence();
    }
    const auto wake = NextWake();
    if (!wake) return false;
    Pass(std::max(Duration(0), *wake - now_));
  }
  return false;
}

// One round of everything that is waiting. False: nothing is.
bool World::MoveOn() {
  bool has_moved = !requests_.empty();
  while (!requests_.empty()) Deliver(0, Fate::kFine);
  std::erase_if(answers_, [&](const Answer& each) { return processes_[each.process].is_paused; });
  has_moved = has_moved || !answers_.empty();
  while (!answers_.empty()) HandOver(0);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    if (process.is_paused) continue;
    if (process.replica->is_over()) Start(i);
    for (const int kind : {0, 1}) {
      if (process.replica->stream(kind == 0 ? Kind::kPod : Kind::kLease).IsDone(server_)) continue;
      has_moved = true;
      Watch(i, kind, 1000);
    }
    has_moved = has_moved || !process.replica->news().empty();
    TellNews(i, 1000);
  }
  return has_moved || !requests_.empty();
}

bool World::IsAtRest() const {
  for (const SchedulerName& scheduler : Running()) {
    const bool is_led = std::ranges::any_of(processes_, [&](const Process& process) {
      return !process.is_paused && process.replica->is_ready() &&
             process.replica->self().scheduler == scheduler;
    });
    if (!is_led) return false;
  }
  return !FindLoss(server_, cluster_, Running());
}

void World::Note(const std::string& text) {
  if (is_tracing_) trace_.push_back(PrintDuration(now_) + " " + text);
}

namespace {

std::optional<std::string> RunAll(World& world, const Schedule& schedule) {
  for (const Step& step : schedule.steps) world.Do(step);
  const bool is_at_rest = world.ComeToRest();
  if (auto broken = FindDoubleAllocation(world.server(), world.cluster())) return broken;
  if (is_at_rest) return std::nullopt;
  return "it does not come to rest: " +
         FindLoss(world.server(), world.cluster(), world.Running()).value_or("no leader is ready");
}

}  // namespace

std::optional<std::string> WhatGoesWrong(const Schedule& schedule, const AllRules& rules,
                                         Tally* tally) {
  World world(schedule.setup, rules);
  auto wrong = RunAll(world, schedule);
  if (tally != nullptr) *tally += world.tally();
  return wrong;
}

std::string Explain(const Schedule& schedule, const AllRules& rules) {
  World world(schedule.setup, rules);
  world.KeepTrace();
  std::string text = RunAll(world, schedule).value_or("nothing goes wrong");
  text += " (" + std::to_string(schedule.steps.size()) + " steps)";
  for (const std::string& line : world.trace()) text += "\n  " + line;
  return text;
}

}  // namespace gs::kube::simulation
