#include "core/agent/agent.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/model/names.h"

namespace gs::agent {
namespace {

std::optional<model::Allocation> PlanOf(const model::Pod& pod) {
  if (model::FindAnnotation(pod, model::names::kAllocated) == nullptr) return std::nullopt;
  auto plan = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  // What is bound elsewhere than it says was written by somebody else.
  if (!plan || plan->gpus.node != pod.node) return std::nullopt;
  return *std::move(plan);
}

// Other numbers are no trouble of the GPU: they are found out anew.
constexpr std::string_view kRenumbered = "Renumbered";

model::Machine WithoutRenumbered(model::Machine machine) {
  for (auto& device : machine.devices) {
    const std::string_view reason = device.health_reason.view();
    if (reason.starts_with(kRenumbered)) device.health = model::Health::kHealthy;
  }
  return machine;
}

template <class Pods>
void AddOnce(Pods& pods, const PodUid& pod) {
  if (std::find(pods.begin(), pods.end(), pod) == pods.end()) pods.push_back(pod);
}

}  // namespace

Agent::Agent(AgentOptions options)
    : options_(std::move(options)), writes_(options_.reporter, options_.times, options_.seed) {}

void Agent::Apply(const DevicesRead& read) {
  read_ = read.report;
  is_judged_ = false;
  devices_look_ = std::max(devices_look_, read.look);
  notes_.driver_version = read.report.driver_version;
  notes_.observed_at = now_;
  SetStale("");
}

void Agent::Apply(const DevicesUnreadable& unreadable) {
  SetStale(unreadable.why.empty() ? "unknown" : unreadable.why);
}

void Agent::Apply(const FaultSeen& seen) {
  if (judge_.See(seen.fault, now_)) is_judged_ = false;
}

void Agent::JudgeMachine() {
  // The judge remembers what was published before it sees anything.
  if (!read_ || is_judged_ || !writes_.is_view_complete()) return;
  is_judged_ = true;
  const auto verdicts = judge_.See(*read_, now_);
  machine_ = read_->machine;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    machine_->devices[i].health = verdicts[i].health;
    machine_->devices[i].health_reason = verdicts[i].reason;
  }
}

void Agent::SetStale(std::string why) {
  if (notes_.since == TimePoint{} || why.empty() != notes_.why_stale.empty()) notes_.since = now_;
  notes_.why_stale = std::move(why);
}

void Agent::Apply(const HeldRead& read) {
  is_kubelet_heard_ = true;
  held_ = read.held;
  held_look_ = std::max(held_look_, read.look);
}

void Agent::Apply(const HeldUnreadable&) {
  is_kubelet_heard_ = false;
  held_.clear();
}

void Agent::Apply(const model::PodSeen& seen) {
  const model::Pod& pod = seen.pod;
  LivePod live{
      .ref = pod.ref, .plan = PlanOf(pod), .had_running_container = pod.had_running_container};
  if (pod.node == options_.node && !pod.is_terminal()) {
    pods_[pod.ref.uid] = std::move(live);
    return;
  }
  pods_.erase(pod.ref.uid);
  // Its kubelet has not said that its containers have ended: it goes as if it were deleted, once.
  const bool is_cut_off = pod.node == options_.node && pod.had_running_container;
  if (is_cut_off && cut_off_.insert(pod.ref.uid).second) Leave(live);
}

void Agent::Apply(const model::PodGone& gone) {
  cut_off_.erase(gone.pod.uid);
  const auto found = pods_.find(gone.pod.uid);
  if (found == pods_.end()) return;
  const LivePod pod = std::move(found->second);
  pods_.erase(found);
  Leave(pod);
}

// It may have another number than when the pod was given it.
bool Agent::Gone::MayUse(const model::GpuDevice& device) const {
  const bool was_its = std::find(uuids.begin(), uuids.end(), device.uuid) != uuids.end();
  return gpus.contains(device.id) || (was_its && !device.uuid.empty());
}

void Agent::Leave(const LivePod& pod) {
  std::set<GpuId> gpus = GpusUsedBy(pod.ref);
  if (gpus.empty() && pod.plan) gpus.insert(pod.plan->gpus.ids.begin(), pod.plan->gpus.ids.end());
  if (!pod.had_running_container || gpus.empty()) return;
  is_look_wanted_ = true;
  gone_[pod.ref.uid] = {.ref = pod.ref,
                        .gpus = std::move(gpus),
                        .uuids = pod.plan ? pod.plan->uuids : std::vector<GpuUuid>(),
                        .look = look_ + 1,
                        .since = now_};
}

std::set<GpuId> Agent::GpusUsedBy(const model::PodRef& pod) const {
  std::set<GpuId> gpus;
  if (!report_) return gpus;
  const std::string name = model::ToString(pod);
  for (const model::GpuDevice& device : report_->machine.devices) {
    const auto& users = device.in_use_by;
    if (std::count(users.begin(), users.end(), name) > 0) gpus.insert(device.id);
  }
  return gpus;
}

void Agent::Apply(const model::NodeGone&) { node_ = {}; }

void Agent::Apply(const model::ViewReached& view) {
  if (view.kind == model::Kind::kPod) are_pods_complete_ = true;
  if (view.kind != model::Kind::kMachine || writes_.is_view_complete()) return;
  writes_.SeeComplete();
  if (!writes_.stored()) return;
  tellings_.Begin(writes_.stored()->machine);
  judge_.Remember(WithoutRenumbered(writes_.stored()->machine), now_);
}

void Agent::TakeStoredMachine() {
  if (machine_ || notes_.why_stale.empty() || !writes_.stored()) return;
  const model::MachineSeen& stored = *writes_.stored();
  if (!stored.owner.empty() && stored.owner != node_) return;
  machine_ = stored.machine;
  notes_.driver_version = stored.notes.driver_version;
  notes_.observed_at = stored.notes.observed_at;
}

bool Agent::IsLookedAt(const Gone& gone) const {
  return notes_.why_stale.empty() && devices_look_ >= gone.look &&
         (!is_kubelet_heard_ || held_look_ >= gone.look);
}

GpuUse Agent::FindUseNow() {
  std::vector<LivePod> pods;
  pods.reserve(pods_.size());
  for (const auto& [uid, pod] : pods_) pods.push_back(pod);
  std::vector<model::PodRef> gone;
  gone.reserve(gone_.size());
  for (const auto& [uid, pod] : gone_) gone.push_back(pod.ref);
  std::set<std::string> settled;
  for (const auto& [key, since] : strangers_) {
    if (now_ - since >= options_.stranger_grace) settled.insert(key);
  }
  // A machine that only an agent before us has seen has no processes that we know of.
  const auto processes = read_ ? read_->processes : std::vector<std::vector<model::GpuProcess>>{};
  GpuUse use = FindUse({.machine = *machine_,
                        .processes = processes,
                        .held = held_,
                        .pods = pods,
                        .gone = gone,
                        .strangers = settled});
  // Until somebody has looked, whatever the pod used may still be in use.
  for (const auto& [uid, pod] : gone_) {
    if (pod.is_looked_at) continue;
    for (std::size_t i = 0; i < use.residue.size(); ++i) {
      if (pod.MayUse(machine_->devices[i])) AddOnce(use.residue[i], uid);
    }
  }
  return use;
}

// A look makes a report due, whether it says that something is left or that nothing is.
void Agent::NoteLooks() {
  for (auto& [uid, pod] : gone_) {
    if (pod.is_looked_at || !IsLookedAt(pod)) continue;
    pod.is_looked_at = true;
    writes_.Owe();
  }
}

void Agent::ForgetGone(const GpuUse& use) {
  std::set<PodUid> left;
  for (const auto& pods : use.residue) left.insert(pods.begin(), pods.end());
  for (auto pod = gone_.begin(); pod != gone_.end();) {
    const bool is_over = pod->second.is_looked_at && !left.contains(pod->first);
    pod = is_over ? gone_.erase(pod) : std::next(pod);
  }
}

void Agent::AgeStrangers(const GpuUse& use) {
  std::erase_if(strangers_, [&use](const auto& each) { return !use.unknown.contains(each.first); });
  for (const std::string& key : use.unknown) {
    const TimePoint since = strangers_.try_emplace(key, now_).first->second;
    if (now_ - since < options_.stranger_grace) WakeAt(since + options_.stranger_grace);
  }
}

model::NodeReport Agent::Compose(const GpuUse& use) const {
  model::NodeReport report{.machine = *machine_, .notes = notes_};
  for (std::size_t i = 0; i < report.machine.devices.size(); ++i) {
    model::GpuDevice& device = report.machine.devices[i];
    device.in_use_by = use.in_use_by[i];
    for (const PodUid& pod : use.residue[i]) AddOnce(device.residue, pod);
  }
  for (const Renumbered& renumbered : use.renumbered) {
    model::GpuDevice& device = report.machine.devices[renumbered.device];
    if (device.health != model::Health::kHealthy) continue;
    device.health = model::Health::kUnhealthy;
    device.health_reason = std::string(kRenumbered) + ": " + model::ToString(renumbered.pod) +
                           " was given its GPUs by other numbers";
  }
  return report;
}

std::optional<TimePoint> Agent::HeldUntil() const {
  std::optional<TimePoint> until;
  for (const auto& [uid, pod] : gone_) {
    const TimePoint end = pod.since + options_.look_patience;
    if (!pod.is_looked_at && now_ < end && (!until || end < *until)) until = end;
  }
  return until;
}

void Agent::Write(std::vector<Command>& commands) {
  if (const auto until = HeldUntil()) return WakeAt(until);
  if (auto command = writes_.Next(node_, *report_, now_)) commands.push_back(*std::move(command));
  WakeAt(writes_.NextWake());
}

void Agent::Tell(const GpuUse& use, std::vector<Command>& commands) {
  if (report_->machine.devices.empty() && !writes_.stored()) return;
  const std::string* rival = writes_.is_standing_back() ? &writes_.rival() : nullptr;
  std::vector<RaiseEvent> events = tellings_.About(*report_, use);
  if (rival != nullptr) events.clear();  // that one tells
  if (auto event = tellings_.AboutRival(rival)) events.push_back(*std::move(event));
  for (RaiseEvent& event : events) {
    event.node = node_;
    commands.emplace_back(std::move(event));
  }
}

void Agent::WakeAt(std::optional<TimePoint> time) {
  if (time && (!wake_ || *time < *wake_)) wake_ = time;
}

std::vector<Command> Agent::RunOnce(std::span<const Event> events, TimePoint now) {
  now_ = now;
  wake_.reset();
  for (const Event& event : events) {
    std::visit([this](const auto& one) { Apply(one); }, event);
  }
  std::vector<Command> commands;
  if (std::exchange(is_look_wanted_, false)) commands.emplace_back(LookAgain{++look_});
  JudgeMachine();
  TakeStoredMachine();
  if (!machine_ || !are_pods_complete_) return commands;
  NoteLooks();
  const GpuUse use = FindUseNow();
  ForgetGone(use);
  AgeStrangers(use);
  mismatches_ = use.mismatches.size();
  report_ = Compose(use);
  if (node_.empty() || !writes_.is_view_complete()) return commands;
  Write(commands);
  Tell(use, commands);
  return commands;
}

}  // namespace gs::agent
