// The part of World that sets it up, and does what a schedule says.
#include "adapters/kube/fence/simulation/world.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "base/text.h"

namespace gs::kube::simulation {

using model::Kind;

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
  left += other.left;
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
  for (int i = 0; setup_.has_agents && i < setup_.nodes; ++i) {
    agents_.emplace_back(NodeNamed(i), setup_.gpus);
  }
  (void)WriteReports();
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
                      .has_agents = setup_.has_agents,
                      .rules = rules_});
}

void World::Start(std::size_t index) {
  Process& process = processes_[index];
  if (process.is_left_over) return;
  process.replica = NewReplica(releases_[process.release]);
  process.is_paused = false;
  for (const Kind kind : {Kind::kPod, Kind::kLease, Kind::kMachine}) {
    process.replica->stream(kind).Relist(server_);
  }
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
    default:
      if (setup_.has_agents) DoOnNodes(step);
  }
}

void World::DoOnNodes(const Step& step) {
  Agent& agent = agents_[step.a % agents_.size()];
  switch (step.action) {
    case Action::kRunPod: return server_.RunPod(PickPod(step.a));
    case Action::kFailPod: return server_.FailPod(PickPod(step.a));
    case Action::kEndWorkload: return EndWorkload(step.a);
    case Action::kAgentWatch: return agent.Watch(server_, 1 + step.b % 5);
    case Action::kAgentLook: return agent.Look(server_);
    case Action::kAgentWrite: return Write(agent);
    default: return Watch(step.a % processes_.size(), 3, 1 + step.b % 5);
  }
}

void World::EndWorkload(std::uint16_t number) {
  const std::vector<PodUid> left = server_.LeftBehind();
  if (left.empty()) return;
  const PodUid& pod = left[number % left.size()];
  Note("what is left of " + pod.text() + " ends");
  ++tally_.left;
  server_.EndWorkload(pod);
}

void World::Write(Agent& agent) {
  const std::uint64_t before = server_.revision();
  agent.Write(server_);
  if (!is_tracing_ || server_.revision() == before) return;
  const auto& report = std::get<model::MachineSeen>(server_.report_history().back().event);
  std::string text = report.node.text() + " reports at " + report.resource_version.text();
  for (const model::GpuDevice& device : report.machine.devices) {
    text += " [" + text::Join(device.in_use_by, ", ", [](const auto& pod) { return pod; });
    for (const PodUid& pod : device.residue) text += " left of " + pod.text();
    text += "]";
  }
  Note(text);
}

void World::ConfirmReports() {
  for (Agent& agent : agents_) {
    agent.Watch(server_, 1000);
    agent.Look(server_);
    Write(agent);
  }
}

bool World::WriteReports() {
  bool has_written = false;
  for (Agent& agent : agents_) {
    agent.Watch(server_, 1000);
    if (!agent.HasNews(server_)) continue;
    agent.Look(server_);
    Write(agent);
    has_written = true;
  }
  return has_written;
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
