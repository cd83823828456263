#include "tests/scenarios/waiting/world.h"

#include <array>
#include <iterator>
#include <utility>

#include "tests/scenarios/waiting/in_vain.h"
#include "tests/scenarios/waiting/made_up.h"

namespace gs::scenarios::waiting {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const SchedulerName kOurs("gpu-scheduler");
// Longer than any history.
constexpr Duration kNever = hours(24 * 365);

const std::array<std::string, 5> kRequests{"BindPod", "TouchPod", "LookUpPod", "SelectNode",
                                           "ReserveVolume"};
constexpr std::array kTroubles{Fate::kConflict,       Fate::kNotExecuted, Fate::kUnknownDone,
                               Fate::kUnknownNotDone, Fate::kLate,        Fate::kHeld};

std::uint32_t Number(Dice& dice) { return static_cast<std::uint32_t>(dice.Next() >> 33U); }

cycle::CycleOptions OptionsWith(const cycle::WakeRules& wakes) {
  return {.scheduler = {},
          .leader = {},
          .pending = {.backstop = kNever},
          .reserve_after = minutes(1),
          .wakes = wakes};
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  runs += other.runs;
  slept += other.slept;
  rests += other.rests;
  bound += other.bound;
  reserved += other.reserved;
  return *this;
}

World::World(const cycle::WakeRules& wakes) : cluster_(OptionsWith(wakes)) {
  ApiServer& api = cluster_.api();
  for (std::uint32_t i = 0; i + 1 < kNodes; ++i) {
    model::Node node = NodeOf(NodeAt(i));
    node.uid = NodeUid(node.name.text());
    api.Put(std::move(node));
  }
  for (std::uint32_t i = 0; i < 2; ++i) api.Put(ClaimOf(i));
  for (std::uint32_t i = 0; i < 2; ++i) kubelets_.Report(NodeAt(i), MachineOf());
  for (const Class each : {Class::kLocal, Class::kMade, Class::kAtOnce}) api.Put(ClassOf(each));
  for (std::uint32_t i = 0; i < kVolumeClaims; ++i) {
    api.Put(VolumeClaimOf(Namespace("team"), i));
  }
  api.PutNamespace(Namespace("team"), {});
  cluster_.Observe([this] { Look(); });
  cluster_.Sync();
  cluster_.Lead();
}

void World::Do(const Step& step) {
  Dice dice(step.number);
  Note(ToString(step.action));
  if (step.action <= Action::kResizePod) return DoToPod(step.action, dice);
  if (step.action <= Action::kEndProcesses) return DoToNode(step.action, dice);
  if (step.action <= Action::kBindVolume) return DoToClaims(step.action, dice);
  if (step.action <= Action::kResolveOther) return DoToOther(step.action, dice);
  PassTime(step.action, dice);
}

void World::DoToPod(Action action, Dice& dice) {
  if (action == Action::kCreatePod) {
    model::Pod pod = NewPod(dice);
    pod.scheduler = kOurs;
    return Create(std::move(pod));
  }
  if (action == Action::kCreateForeignPod) {
    model::Pod pod = AnyForeignPod(dice);
    pod.scheduler = SchedulerName("default-scheduler");
    pod.node = NodeAt(Number(dice));
    return Create(std::move(pod));
  }
  const auto& pods = cluster_.api().pods();
  if (pods.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(Number(dice) % pods.size());
  ChangePod(action, std::next(pods.begin(), at)->second, dice);
}

// Often like one that waits, as a controller makes them: these are tried together.
model::Pod World::NewPod(Dice& dice) {
  std::vector<const model::Pod*> waiting;
  for (const auto& [key, pod] : cluster_.api().pods()) {
    if (pod.scheduler == kOurs && !pod.is_bound()) waiting.push_back(&pod);
  }
  if (waiting.empty() || dice.Roll(2) == 0) return AnyPod(dice);
  return LikeIt(*waiting[Number(dice) % waiting.size()], dice);
}

void World::Create(model::Pod pod) {
  pod.ref.name = PodName("p" + std::to_string(++pods_));
  pod.created = cluster_.now();
  Note("  ", pod);
  cluster_.api().Put(std::move(pod));
}

void World::ChangePod(Action action, model::Pod pod, Dice& dice) {
  Note("  ", pod.ref, " on ", pod.node.text());
  const bool ends_well = dice.Roll(3) > 0;
  switch (action) {
    case Action::kStartPod: return kubelets_.Start(std::move(pod));
    case Action::kEndPod:
      return kubelets_.End(std::move(pod),
                           ends_well ? model::PodPhase::kSucceeded : model::PodPhase::kFailed);
    case Action::kDeletePod: return kubelets_.Delete(std::move(pod));
    case Action::kForcePod:
      // The agent may take its time to notice.
      if (ends_well) return kubelets_.Vanish(pod);
      return cluster_.api().RemovePod({pod.ref.ns, pod.ref.name});
    case Action::kDeclareFailed: return kubelets_.DeclareFailed(std::move(pod));
    case Action::kRelabelPod: RelabelIt(pod, dice); break;
    case Action::kEditPod:
      if (pod.is_bound()) return;
      EditIt(pod, dice);
      break;
    case Action::kOpenGate: pod.rules->gates.clear(); break;
    default: pod.requests.cpu_milli = 1000 * dice.Roll(4); break;
  }
  // Only a pod that runs is resized.
  if (action == Action::kResizePod && !IsLive(pod)) return;
  Note("  ", pod);
  cluster_.api().Put(std::move(pod));
}

void World::DoToNode(Action action, Dice& dice) {
  const NodeName name = NodeAt(Number(dice));
  Note("  ", name.text());
  switch (action) {
    case Action::kRemoveNode: return cluster_.api().RemoveNode(name);
    case Action::kReport:
      // Mostly an agent says that all is well, or has nothing new to say.
      if (dice.Roll(3) == 0) return kubelets_.Report(name);
      return kubelets_.Report(name, dice.Roll(2) == 0 ? MachineOf() : AnyMachine(dice));
    case Action::kRemoveAgent: return kubelets_.RemoveAgent(name);
    case Action::kEndProcesses: return kubelets_.EndProcesses(Number(dice));
    default: break;
  }
  const auto known = cluster_.api().nodes().find(name);
  const bool is_there = known != cluster_.api().nodes().end();
  if (is_there != (action != Action::kAddNode)) return;
  if (is_there) return ChangeNode(action, known->second, dice);
  model::Node node = NodeOf(name);
  node.uid = NodeUid(name.text() + "-" + std::to_string(++nodes_));
  ChangeNode(action, std::move(node), dice);
}

void World::ChangeNode(Action action, model::Node node, Dice& dice) {
  switch (action) {
    case Action::kCordonNode: Cordon(node, dice); break;
    case Action::kTaintNode: TaintIt(node, dice); break;
    case Action::kRelabelNode: Relabel(node, dice); break;
    case Action::kResizeNode: Resize(node, dice); break;
    default: break;
  }
  Note("  ", node);
  cluster_.api().Put(std::move(node));
}

void World::DoToClaims(Action action, Dice& dice) {
  ApiServer& api = cluster_.api();
  const std::uint32_t number = Number(dice);
  const Namespace ns = AnyNamespace(dice);
  switch (action) {
    case Action::kPutClaim: return api.Put(AnyClaim(dice));
    case Action::kRemoveClaim: return api.RemoveClaim(ns, ClaimOf(number % 3).name);
    case Action::kLabelNamespace:
      return api.PutNamespace(
          ns, dice.Roll(2) == 0 ? model::Labels() : model::Labels({{"kind", "loud"}}));
    case Action::kPutVolumeClaim:
      if (api.FindVolumeClaim(ns, VolumeClaimAt(number)) != nullptr) return;
      return api.Put(VolumeClaimOf(ns, number));
    case Action::kRemoveVolumeClaim:
      return api.RemoveStorage(model::Kind::kVolumeClaim, ns, VolumeClaimAt(number));
    case Action::kChangeStorage:
      if (dice.Roll(3) > 0) return api.Put(AnyStorage(dice));
      if (dice.Roll(2) > 0) return api.RemoveStorage(model::Kind::kVolumeAttachment, {}, "at");
      return api.RemoveStorage(model::Kind::kStorageClass, {}, ClassOf(Class::kMade).name);
    case Action::kPutVolume: {
      model::Volume volume = AnyVolume(dice);
      volume.name = "pv-" + std::to_string(++volumes_);
      return api.Put(std::move(volume));
    }
    default: return BindVolume(ns, number);
  }
}

void World::DoToOther(Action action, Dice& dice) {
  if (action == Action::kBindForOther) return neighbour_.Bind(Number(dice), cluster_.now());
  if (action == Action::kListForOther) {
    model::Pod pod;
    pod.ref.ns = Namespace("team");
    pod.scheduler = neighbour_.name();
    pod.requests.gpus = dice.Roll(3);
    Create(std::move(pod));
    return neighbour_.List(Number(dice), NodeAt(Number(dice)));
  }
  const int what = dice.Roll(3);
  if (what == 0) return neighbour_.Resolve(cluster_.now());
  cluster_.api().fence().SetSilent(what == 1);
}

void World::PassTime(Action action, Dice& dice) {
  switch (action) {
    case Action::kTrouble: return Trouble(dice);
    case Action::kRelease: return cluster_.Release();
    case Action::kTell: return Tell(dice);
    case Action::kPass: cluster_.Pass(milliseconds(dice.Roll(15000))); return cluster_.Run();
    case Action::kSettle: return Settle();
    case Action::kWait:
      if (!cluster_.Wait(seconds(dice.Roll(600)))) Fail("it does not come to rest");
      return;
    case Action::kRestart: return Restart(dice);
    default: return Rest();
  }
}

// Whoever writes the fence finds out what became of it, so there it may only take long.
void World::Trouble(Dice& dice) {
  if (dice.Roll(6) == 0) return cluster_.Meet("ListInFlight", Fate::kHeld);
  cluster_.Meet(kRequests[Number(dice) % kRequests.size()],
                kTroubles[Number(dice) % kTroubles.size()]);
}

void World::Tell(Dice& dice) {
  if (dice.Roll(2) == 0) cluster_.DeliverAnswer();
  const auto kind = static_cast<std::size_t>(dice.Roll(static_cast<int>(model::kAllKinds.size())));
  // Half of the time about what matters most.
  cluster_.Deliver(dice.Roll(2) == 0 ? model::Kind::kPod : model::kAllKinds.at(kind),
                   static_cast<std::size_t>(1 + dice.Roll(3)));
  cluster_.Run();
}

void World::Restart(Dice& dice) {
  cluster_.StartScheduler();
  cluster_.Sync();
  if (dice.Roll(4) == 0) cluster_.api().fence().Delete();
  cluster_.Lead();
}

void World::Settle() {
  if (!cluster_.Settle()) Fail("it does not come to rest");
}

void World::Rest() {
  if (!cluster_.Wait(seconds(1))) return Fail("it does not come to rest");
  ++tally_.rests;
  Fail(WaitsInVain(cluster_));
}

// After every run.
void World::Look() {
  const cycle::Cycle& scheduler = cluster_.scheduler();
  for (const model::Command& command : cluster_.sent()) Note("  > ", ToString(command));
  cluster_.ForgetSent();
  ++tally_.runs;
  if (!scheduler.pending().Sleepers().empty()) ++tally_.slept;
  if (scheduler.keep().reservation()) ++tally_.reserved;
  for (const auto& ended : scheduler.notes().ended) tally_.bound += ended.not_bound ? 0 : 1;
  Fail(SleepsInVain(scheduler));
}

void World::Fail(const std::string& wrong) {
  if (wrong.empty() || !wrong_.empty()) return;
  wrong_ = wrong;
  Note("WRONG: ", wrong);
}

void World::BindVolume(const Namespace& ns, std::uint32_t number) {
  ApiServer& api = cluster_.api();
  const model::VolumeClaim* claim = api.FindVolumeClaim(ns, VolumeClaimAt(number));
  if (claim == nullptr || claim->is_bound) return;
  Dice dice(number);
  if (claim->storage_class == ClassOf(Class::kAtOnce).name) {
    model::Volume volume = AnyVolume(dice);
    volume.name = "pv-" + std::to_string(++volumes_);
    volume.claim_ns = ns;
    volume.claim_name = claim->name;
    volume.claim_uid = claim->uid;
    api.Put(std::move(volume));
  }
  api.BindVolume(ns, VolumeClaimAt(number));
}

void World::BindVolumes() {
  for (const char* ns : {"team", "other"}) {
    for (std::uint32_t i = 0; i < kVolumeClaims; ++i) BindVolume(Namespace(ns), i);
  }
}

void World::ComeToRest() {
  Note("come to rest");
  cluster_.ForgetFates();
  cluster_.Release();
  neighbour_.Resolve(cluster_.now());
  while (!kubelets_.left().empty()) kubelets_.EndProcesses(0);
  // Longer than anybody is held back after trouble.
  for (int minute = 0; minute < 12; ++minute) {
    BindVolumes();
    if (!cluster_.Wait(minutes(1))) return Fail("it does not come to rest");
  }
  Rest();
  Fail(IsStuck(cluster_));
}

namespace {

void LiveThrough(World& world, const History& history) {
  for (const Step& step : history) {
    world.Do(step);
    if (!world.wrong().empty()) return;
  }
  world.ComeToRest();
}

}  // namespace

std::string WhatGoesWrong(const History& history, const cycle::WakeRules& wakes, Tally* tally) {
  World world(wakes);
  LiveThrough(world, history);
  if (tally != nullptr) *tally += world.tally();
  return world.wrong();
}

std::string Explain(const History& history, const cycle::WakeRules& wakes) {
  World world(wakes);
  world.KeepTrace();
  LiveThrough(world, history);
  std::string text = world.wrong() + " (" + std::to_string(history.size()) + " steps)";
  for (const std::string& line : world.trace()) text += "\n  " + line;
  return text;
}

}  // namespace gs::scenarios::waiting
