#include "adapters/localcluster/kubelet/kubelets.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/check.h"
#include "base/quantity.h"

namespace gs::localcluster {
namespace {

// A real kubelet tells its status every five minutes, and at once when it changes.
constexpr auto kStatusEvery = std::chrono::minutes(5);

const Json& ContainerSpec(const Json& pod, const ContainerRun& run) {
  for (const auto* list : {"initContainers", "containers"}) {
    for (const Json& each : Items(pod, {"spec", list})) {
      if (Text(each, {"name"}) == run.name) return each;
    }
  }
  static const Json kNone;
  return kNone;
}

model::Resources RequestsOf(const Json& pod) {
  const auto decoded = kube::DecodePod(boost::json::serialize(pod));
  return decoded ? decoded->requests : model::Resources{};
}

NodeRoom RoomOf(const Json& node) {
  NodeRoom room;
  const auto decoded = kube::DecodeNode(boost::json::serialize(node));
  if (!decoded) return room;
  room.allocatable = decoded->allocatable;
  room.allocatable_pods = decoded->allocatable_pods;
  return room;
}

// Written again if something else than the time of the heartbeat changed, or it is long ago.
bool IsWorthWriting(const Json& stored, const Json& status, TimePoint now) {
  std::optional<TimePoint> last;
  for (const Json& condition : Items(stored, {"status", "conditions"})) {
    if (Text(condition, {"type"}) != "Ready") continue;
    last = TimeAt(condition, {"lastHeartbeatTime"});
    if (Text(condition, {"status"}) != "True") return true;
  }
  if (!last || now - *last >= kStatusEvery) return true;
  return Members(stored, {"status", "allocatable"}) != Members(status, {"allocatable"});
}

std::string Quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

struct Kubelets::Inbox {
  struct End {
    std::string uid;
    std::size_t container = 0;
    ChildProcesses::Id child = 0;
    int exit_code = 0;
    TimePoint at;
  };

  explicit Inbox(Wake wake_owner) : wake(std::move(wake_owner)) {}

  runtime::Mutex mutex;
  Wake wake GS_GUARDED_BY(mutex);  // empty once nobody listens
  std::vector<End> ends GS_GUARDED_BY(mutex);
};

Kubelets::Kubelets(KubeletOptions options, const runtime::Clock& clock, ChildProcesses& children,
                   ContainerOutputs& outputs, FindObject find, Wake wake)
    : options_(std::move(options)),
      clock_(clock),
      children_(children),
      outputs_(outputs),
      find_(std::move(find)),
      inbox_(std::make_shared<Inbox>(std::move(wake))) {}

Kubelets::~Kubelets() {
  const runtime::MutexLock lock(inbox_->mutex);
  inbox_->wake = nullptr;
}

bool Kubelets::IsOurs(std::string_view node) const {
  return std::any_of(options_.nodes.begin(), options_.nodes.end(),
                     [&](const NodeDescription& each) { return each.name == node; });
}

std::vector<std::string> Kubelets::NodeNames() const {
  std::vector<std::string> names;
  names.reserve(options_.nodes.size());
  for (const NodeDescription& node : options_.nodes) names.push_back(node.name);
  return names;
}

const NodeDescription& Kubelets::Describe(std::string_view node) const {
  const auto found = std::find_if(options_.nodes.begin(), options_.nodes.end(),
                                  [&](const NodeDescription& each) { return each.name == node; });
  GS_CHECK(found != options_.nodes.end());
  return *found;
}

Reconciled Kubelets::SyncNode(const std::string& name) {
  Reconciled reconciled;
  if (!IsOurs(name) || stopped_.contains(name)) return reconciled;
  const NodeDescription& node = Describe(name);
  const TimePoint now = clock_.WallTime();
  const auto stored = find_("Node", "", name);
  if (!stored) {
    reconciled.writes.push_back(Create(NodeObject(node, now)));
  } else if (Json status = NodeStatusNow(node, *stored, now);
             IsWorthWriting(*stored, status, now)) {
    WriteStatusIfChanged(reconciled, *stored, std::move(status));
  }
  const auto lease = find_("Lease", "kube-node-lease", name);
  Json beat = HeartbeatLease(node, lease ? &*lease : nullptr, now);
  reconciled.writes.push_back(lease ? Update(std::move(beat)) : Create(std::move(beat)));
  LookAgainAt(reconciled, now + options_.times.heartbeat);
  return reconciled;
}

std::optional<Refusal> Kubelets::Admit(const OurPod& pod) const {
  const auto node = find_("Node", "", pod.node);
  if (!node) return std::nullopt;
  NodeRoom room = RoomOf(*node);
  if (const auto use = uses_.find(pod.node); use != uses_.end()) {
    room.used = use->second.resources;
    room.used_pods = use->second.pods;
  }
  return RefuseAdmission(pod.asked, room);
}

void Kubelets::TakeRoom(OurPod& pod, const NodeDescription& node, const Json& object) {
  NodeUse& use = uses_[pod.node];
  use.resources.Add(pod.asked);
  ++use.pods;
  pod.holds_room = true;
  pod.addresses.pod_ip = node.address;
  if (Bool(object, {"spec", "hostNetwork"})) return;
  // More pods than addresses share the last one.
  for (pod.address = 2; pod.address < 255 && use.addresses.contains(pod.address);) ++pod.address;
  use.addresses.insert(pod.address);
  pod.addresses.pod_ip = node.pod_range + "." + std::to_string(pod.address);
}

void Kubelets::GiveRoomBack(OurPod& pod) {
  if (!pod.holds_room) return;
  NodeUse& use = uses_[pod.node];
  use.resources.Remove(pod.asked);
  --use.pods;
  use.addresses.erase(pod.address);
  pod.holds_room = false;
}

Kubelets::OurPod& Kubelets::Take(const Json& object, TimePoint now, Reconciled& reconciled) {
  const PodKey key{NamespaceOf(object), NameOf(object)};
  const auto found = pods_.find(key);
  if (found != pods_.end()) return found->second;
  const NodeDescription& node = Describe(Text(object, {"spec", "nodeName"}));
  OurPod pod{.uid = std::string(UidOf(object)),
             .node = node.name,
             .asked = RequestsOf(object),
             .run = PodRun(object, options_.times, now),
             .addresses = {.host_ip = node.address, .pod_ip = {}},
             .containers = {}};
  pod.containers.resize(pod.run.containers().size());
  if (auto refusal = Admit(pod)) {
    Say(reconciled, object, pod, refusal->reason, refusal->message, true);
    pod.run.Reject(refusal->reason, "Pod was rejected: " + refusal->message);
  } else {
    TakeRoom(pod, node, object);
  }
  return pods_.insert_or_assign(key, std::move(pod)).first->second;
}

void Kubelets::NoteEnds(const Json& object, OurPod& pod, TimePoint now) {
  std::vector<Inbox::End> ends;
  {
    const runtime::MutexLock lock(inbox_->mutex);
    std::erase_if(inbox_->ends, [&](const Inbox::End& end) {
      if (end.uid != pod.uid) return false;
      ends.push_back(end);
      return true;
    });
  }
  for (const Inbox::End& end : ends) {
    Container& container = pod.containers[end.container];
    if (container.child != end.child) continue;
    container.child.reset();
    pod.run.Exited(end.container, end.exit_code, end.at);
  }
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    Container& container = pod.containers[i];
    if (!container.pretends_until || *container.pretends_until > now) continue;
    container.pretends_until.reset();
    container.log->Close(now);
    const ContainerRun& run = pod.run.containers()[i];
    const bool ends_well = run.is_told_to_stop || run.role != ContainerRole::kMain;
    pod.run.Exited(i, ends_well ? 0 : AnnotatedExitCode(object), now);
  }
}

Result<Variables> Kubelets::EnvironmentOf(const Json& object, const OurPod& pod,
                                          std::size_t index) const {
  const auto node = find_("Node", "", pod.node);
  const EnvironmentSources sources{
      .find = [&](std::string_view kind,
                  std::string_view name) { return find_(kind, NamespaceOf(object), name); },
      .addresses = pod.addresses,
      .allocatable = node ? Json(Members(*node, {"status", "allocatable"})) : Json()};
  auto own =
      ResolveEnvironment(object, ContainerSpec(object, pod.run.containers()[index]), sources);
  if (!own) return own;
  const auto host = Text(object, {"spec", "hostname"}, NameOf(object));
  Variables all{{"PATH", options_.path}, {"HOSTNAME", std::string(host)}};
  for (auto& [name, value] : *own) {
    std::erase_if(all, [&](const auto& each) { return each.first == name; });
    all.emplace_back(name, std::move(value));
  }
  return all;
}

void Kubelets::Pretend(const Json& object, OurPod& pod, std::size_t index, TimePoint now) {
  const ContainerRun& run = pod.run.containers()[index];
  Container& container = pod.containers[index];
  container.log->Append(ContainerLog::Output::kOut,
                        "gpu-local: no local program is known for image " + run.image +
                            "; this container only pretends to run\n",
                        now);
  const auto length = PretendedRun(object, run.role, options_.times);
  container.pretends_until.reset();
  if (length) container.pretends_until = now + *length;
}

Result<void> Kubelets::StartProgram(const Json& object, OurPod& pod, std::size_t index,
                                    const Program& program) {
  // The end is told with the number of the child, which is not known before it is started.
  const auto number = std::make_shared<std::atomic<ChildProcesses::Id>>(0);
  const auto log = pod.containers[index].log;
  const auto started = children_.Start(
      program,
      {.output = [log, &clock = clock_](
                     ContainerLog::Output output,
                     std::string_view bytes) { log->Append(output, bytes, clock.WallTime()); },
       .exit =
           [inbox = inbox_, log, number, index, &clock = clock_, uid = pod.uid,
            ns = std::string(NamespaceOf(object)), name = std::string(NameOf(object))](int code) {
             log->Close(clock.WallTime());
             number->wait(0);
             const runtime::MutexLock lock(inbox->mutex);
             inbox->ends.push_back({uid, index, *number, code, clock.WallTime()});
             if (inbox->wake) inbox->wake(ns, name);
           }});
  if (!started) return started.error();
  pod.containers[index].child = *started;
  *number = *started;
  number->notify_all();
  return {};
}

void Kubelets::StartContainer(const Json& object, OurPod& pod, std::size_t index, TimePoint now,
                              Reconciled& reconciled) {
  const ContainerRun& run = pod.run.containers()[index];
  auto environment = EnvironmentOf(object, pod, index);
  if (!environment) {
    const std::string why = environment.error().message();
    if (run.waiting_reason.empty()) {
      Say(reconciled, object, pod, "Failed", "Error: " + why, true);
    }
    return pod.run.CannotStart(index, "CreateContainerConfigError", why, now);
  }
  const Json& spec = ContainerSpec(object, run);
  const auto command = CommandFor(spec, options_.programs, *environment);
  Say(reconciled, object, pod, "Pulled",
      "Container image " + Quote(run.image) + " already present on machine");
  pod.containers[index].log = outputs_.Begin(
      {std::string(NamespaceOf(object)), std::string(NameOf(object)), run.name}, *environment);
  if (command) {
    const auto started =
        StartProgram(object, pod, index, {.argv = *command, .environment = *environment});
    if (!started) {
      Say(reconciled, object, pod, "Failed", "Error: " + started.error().message(), true);
      return pod.run.CannotStart(index, "RunContainerError", started.error().message(), now);
    }
  } else {
    Pretend(object, pod, index, now);
  }
  pod.run.Started(index, object, now);
  Say(reconciled, object, pod, "Created", "Container created");
  Say(reconciled, object, pod, "Started", "Container started");
}

void Kubelets::StopContainer(const Json& object, OurPod& pod, std::size_t index, TimePoint now,
                             Reconciled& reconciled) {
  Container& container = pod.containers[index];
  Say(reconciled, object, pod, "Killing", "Stopping container " + pod.run.containers()[index].name);
  if (container.child) return children_.Signal(*container.child, SIGTERM);
  container.pretends_until = now + AnnotatedSeconds(object, kStopSeconds).value_or(Duration{});
}

bool Kubelets::KillContainer(OurPod& pod, std::size_t index, TimePoint now) {
  Container& container = pod.containers[index];
  if (container.child) {
    children_.Signal(*container.child, SIGKILL);
    return false;
  }
  container.pretends_until.reset();
  if (container.log) container.log->Close(now);
  pod.run.Exited(index, 137, now);
  return true;
}

// Until nothing is left to be done at this moment.
void Kubelets::Obey(const Json& object, OurPod& pod, TimePoint now, Reconciled& reconciled) {
  for (int round = 0; round < 100; ++round) {
    NoteEnds(object, pod, now);
    const Orders orders = pod.run.Advance(object, now);
    for (const std::size_t index : orders.start) {
      StartContainer(object, pod, index, now, reconciled);
    }
    for (const std::size_t index : orders.stop) StopContainer(object, pod, index, now, reconciled);
    bool has_killed = false;
    for (const std::size_t index : orders.kill) {
      has_killed = KillContainer(pod, index, now) || has_killed;
    }
    pod.is_over = orders.is_over;
    if (orders.start.empty() && orders.stop.empty() && !has_killed) {
      if (orders.next) LookAgainAt(reconciled, *orders.next);
      break;
    }
  }
  if (pod.is_over) GiveRoomBack(pod);
  for (const Container& container : pod.containers) {
    if (container.pretends_until) LookAgainAt(reconciled, *container.pretends_until);
  }
}

Reconciled Kubelets::SyncPod(const Json& object) {
  const PodKey key{NamespaceOf(object), NameOf(object)};
  const auto known = pods_.find(key);
  const bool is_another = known != pods_.end() && known->second.uid != UidOf(object);
  Reconciled reconciled;
  if (is_another) Forget(key.first, key.second);
  const auto node = Text(object, {"spec", "nodeName"});
  if (!IsOurs(node) || stopped_.contains(std::string(node))) return reconciled;
  const TimePoint now = clock_.WallTime();
  if (pods_.contains(key) || !IsFinished(object)) {
    OurPod& pod = Take(object, now, reconciled);
    Obey(object, pod, now, reconciled);
    WriteStatusIfChanged(reconciled, object, StatusOf(pod.run, object, pod.addresses, now));
    if (!pod.is_over) return reconciled;
  }
  if (IsBeingDeleted(object)) {
    Write removal = Delete(object);
    removal.grace_seconds = 0;
    reconciled.writes.push_back(std::move(removal));
  }
  return reconciled;
}

void Kubelets::Forget(const std::string& ns, const std::string& name) {
  const auto found = pods_.find({ns, name});
  if (found == pods_.end()) return;
  for (const Container& container : found->second.containers) {
    if (container.child) children_.Signal(*container.child, SIGKILL);
    if (container.log) container.log->Close(clock_.WallTime());
  }
  GiveRoomBack(found->second);
  outputs_.Forget(ns, name);
  pods_.erase(found);
}

void Kubelets::Say(Reconciled& reconciled, const Json& object, const OurPod& pod,
                   std::string_view reason, std::string message, bool is_warning) const {
  reconciled.writes.push_back(EventAbout(object,
                                         {.reason = reason,
                                          .message = std::move(message),
                                          .source = "kubelet",
                                          .is_warning = is_warning,
                                          .host = pod.node},
                                         clock_.WallTime()));
}

}  // namespace gs::localcluster
