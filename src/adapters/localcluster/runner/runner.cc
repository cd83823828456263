#include "adapters/localcluster/runner/runner.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <string_view>

#include "adapters/localcluster/controllers/namespaces.h"
#include "adapters/localcluster/controllers/volumes.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

constexpr std::array<std::pair<std::string_view, Controller>, 13> kOwnControllers{{
    {"namespaces", Controller::kNamespace},
    {"replicasets.apps", Controller::kReplicaSet},
    {"deployments.apps", Controller::kDeployment},
    {"statefulsets.apps", Controller::kStatefulSet},
    {"daemonsets.apps", Controller::kDaemonSet},
    {"jobs.batch", Controller::kJob},
    {"services", Controller::kEndpoints},
    {"events", Controller::kEventExpiry},
    {"pods", Controller::kKubeletPod},
    {"nodes", Controller::kNodeLifecycle},
    {"persistentvolumeclaims", Controller::kClaim},
    {"persistentvolumes", Controller::kVolume},
    {"poddisruptionbudgets.policy", Controller::kBudget},
}};

std::optional<Controller> ControllerFor(std::string_view resource) {
  for (const auto& [name, controller] : kOwnControllers) {
    if (name == resource) return controller;
  }
  return std::nullopt;
}

constexpr std::string_view kLeases = "leases.coordination.k8s.io";
constexpr std::string_view kNodeLeases = "kube-node-lease";

// Controllers that look at many objects wait a little, so that one look serves many changes.
constexpr Duration kPerOwned = std::chrono::microseconds(100);
constexpr Duration kMostPatience = std::chrono::milliseconds(500);
constexpr Duration kBatch = std::chrono::milliseconds(100);

// The kinds that kubelets look up.
std::string ResourceOf(std::string_view kind) {
  if (kind == "Node") return "nodes";
  if (kind == "ConfigMap") return "configmaps";
  if (kind == "Secret") return "secrets";
  return std::string(kLeases);
}

}  // namespace

void Runner::Bell::Ring() {
  const runtime::MutexLock lock(mutex);
  is_rung = true;
  rung.NotifyAll();
}

Runner::Runner(RunnerOptions options, Objects& objects, runtime::IoThreads& threads,
               runtime::Logger log)
    : options_(std::move(options)),
      objects_(objects),
      log_(std::move(log)),
      bell_(std::make_shared<Bell>()),
      children_(threads),
      kubelets_(
          options_.kubelets, objects.clock(), children_, outputs_,
          [this](std::string_view kind, std::string_view ns, std::string_view name) {
            return objects_.Get(
                {.resource = ResourceOf(kind), .ns = std::string(ns), .name = std::string(name)});
          },
          [bell = bell_](const std::string& ns, const std::string& pod) {
            const runtime::MutexLock lock(bell->mutex);
            bell->pods.emplace(ns, pod);
            bell->is_rung = true;
            bell->rung.NotifyAll();
          }),
      calls_(objects_, owners_,
             {.ca_certificate = options_.ca_certificate, .node_grace = options_.node_grace}),
      wake_(objects.store().OnChange("", [bell = bell_] { bell->Ring(); })) {
  for (const Write& write : FirstNamespaces()) (void)objects_.Apply(write);
  (void)objects_.Apply(Create(DefaultStorageClass()));
  for (const std::string& node : kubelets_.NodeNames()) {
    Queue(Controller::kKubeletNode, {.resource = "nodes", .ns = "", .name = node});
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Runner::~Runner() {
  thread_.request_stop();
  bell_->Ring();
  thread_.join();
}

void Runner::StopNode(const std::string& node) {
  const runtime::MutexLock lock(bell_->mutex);
  bell_->nodes.emplace_back(node, false);
  bell_->is_rung = true;
  bell_->rung.NotifyAll();
}

void Runner::StartNode(const std::string& node) {
  const runtime::MutexLock lock(bell_->mutex);
  bell_->nodes.emplace_back(node, true);
  bell_->is_rung = true;
  bell_->rung.NotifyAll();
}

void Runner::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    TakeMessages();
    ReadChanges();
    if (const auto task = queue_.Pop(now())) {
      Work(*task);
    } else {
      WaitForWork(stop);
    }
  }
}

void Runner::WaitForWork(const std::stop_token& stop) {
  auto deadline = runtime::Condition::Deadline::max();
  if (const auto due = queue_.NextDue()) {
    deadline = std::chrono::steady_clock::now() + std::max<Duration>(*due - now(), Duration{});
  }
  const runtime::MutexLock lock(bell_->mutex);
  while (!bell_->is_rung && !stop.stop_requested()) {
    if (!bell_->rung.WaitUntil(bell_->mutex, deadline)) break;
  }
  bell_->is_rung = false;
}

void Runner::TakeMessages() {
  std::set<std::pair<std::string, std::string>> pods;
  std::vector<std::pair<std::string, bool>> nodes;
  {
    const runtime::MutexLock lock(bell_->mutex);
    pods.swap(bell_->pods);
    nodes.swap(bell_->nodes);
  }
  for (const auto& [ns, pod] : pods) {
    Queue(Controller::kKubeletPod, {.resource = "pods", .ns = ns, .name = pod});
  }
  for (const auto& [node, is_started] : nodes) {
    is_started ? kubelets_.StartNode(node) : kubelets_.StopNode(node);
    Queue(Controller::kKubeletNode, {.resource = "nodes", .ns = "", .name = node});
    for (const Json& pod : objects_.List("pods", "")) {
      if (Text(pod, {"spec", "nodeName"}) != node) continue;
      Queue(Controller::kKubeletPod, {.resource = "pods",
                                      .ns = std::string(NamespaceOf(pod)),
                                      .name = std::string(NameOf(pod))});
    }
  }
}

void Runner::ReadChanges() {
  constexpr std::size_t kAtATime = 1000;
  Store& store = objects_.store();
  const Revision revision = store.revision();
  if (seen_ == revision) return;
  seen_ = revision;
  for (const KindPtr& kind : objects_.AllKinds()) {
    const std::string resource = kind->resource();
    const auto from = read_.find(resource);
    if (from == read_.end()) {
      ReadAll(resource);
      continue;
    }
    // To the end: a controller that does not see its own last writes would do them again.
    Changes changes;
    do {
      changes = store.ReadChanges(resource, from->second, kAtATime);
      if (changes.is_gone) {
        ReadAll(resource);
        break;
      }
      for (const Change& change : changes.changes) See(resource, change);
      from->second = changes.through;
    } while (changes.changes.size() == kAtATime);
  }
}

void Runner::ReadAll(const std::string& resource) {
  const Listing listing = objects_.store().List(resource);
  read_[resource] = listing.revision;
  for (const ObjectPtr& object : listing.objects) {
    See(resource, {.kind = ChangeKind::kAdded, .object = object, .before = nullptr});
  }
}

void Runner::See(const std::string& resource, const Change& change) {
  const bool is_gone = change.kind == ChangeKind::kDeleted;
  const ObjectKey key{.resource = resource, .ns = change.object->ns, .name = change.object->name};
  if (resource == "events") {
    if (!is_gone) Queue(Controller::kEventExpiry, key);
    return;
  }
  const Json object(ParseStored(change.object->text));
  bool has_new_owners = false;
  if (is_gone) {
    owners_.Remove(key);
  } else {
    has_new_owners = owners_.Set(key, object);
  }
  QueueOwn(key);
  QueueVolumes(key, object);
  QueueOwners(key, object);
  QueueGarbage(key, object, has_new_owners, is_gone);
  if (resource == "namespaces") {
    if (IsBeingDeleted(object) && !is_gone) {
      dying_.insert(key.name);
    } else {
      dying_.erase(key.name);
    }
  }
  const bool has_defaults = resource == "serviceaccounts" || resource == "configmaps";
  if (is_gone && (has_defaults || dying_.contains(key.ns))) {
    Queue(Controller::kNamespace, {.resource = "namespaces", .ns = "", .name = key.ns});
  }
}

void Runner::QueueOwn(const ObjectKey& key) {
  if (const auto controller = ControllerFor(key.resource)) Queue(*controller, key);
  if (key.resource == "nodes") QueueAll(Controller::kDaemonSet, "daemonsets.apps", "");
  if (key.resource == kLeases && key.ns == kNodeLeases) {
    Queue(Controller::kNodeLifecycle, {.resource = "nodes", .ns = "", .name = key.name});
  }
  if (key.resource != "pods") return;
  QueueAll(Controller::kEndpoints, "services", key.ns);
  QueueAll(Controller::kBudget, "poddisruptionbudgets.policy", key.ns);
}

void Runner::QueueAll(Controller controller, const std::string& resource, const std::string& ns) {
  const TimePoint due = now() + kBatch;
  for (const ObjectPtr& each : objects_.store().List(resource, ns).objects) {
    queue_.Add({controller, {.resource = resource, .ns = each->ns, .name = each->name}}, due);
  }
}

// A claim and its volume look at each other; a volume that is free may be what any claim waits for.
void Runner::QueueVolumes(const ObjectKey& key, const Json& object) {
  if (key.resource == "persistentvolumeclaims") {
    const auto volume = Text(object, {"spec", "volumeName"});
    if (volume.empty()) return;
    Queue(Controller::kVolume,
          {.resource = "persistentvolumes", .ns = "", .name = std::string(volume)});
  } else if (key.resource == "persistentvolumes") {
    if (Find(object, {"spec", "claimRef"}) == nullptr) {
      return QueueAll(Controller::kClaim, "persistentvolumeclaims", "");
    }
    Queue(Controller::kClaim, {.resource = "persistentvolumeclaims",
                               .ns = std::string(Text(object, {"spec", "claimRef", "namespace"})),
                               .name = std::string(Text(object, {"spec", "claimRef", "name"}))});
  }
}

void Runner::QueueOwners(const ObjectKey& key, const Json& object) {
  const Json* owner = ControllerOf(object);
  if (owner == nullptr) return;
  const auto owner_key = objects_.KeyOf(Text(*owner, {"apiVersion"}), Text(*owner, {"kind"}),
                                        key.ns, Text(*owner, {"name"}));
  if (!owner_key) return;
  const auto controller = ControllerFor(owner_key->resource);
  if (!controller) return;
  // An owner looks at all it owns; the more there are, the more of their changes it takes at once.
  const auto owned = static_cast<std::int64_t>(owners_.CountOwnedBy(Text(*owner, {"uid"})));
  queue_.Add({*controller, *owner_key},
             now() + std::min<Duration>(owned * kPerOwned, kMostPatience));
}

// An object is looked at when its owners change, and when it goes: then what it owns is, and who
// may have waited for it.
void Runner::QueueGarbage(const ObjectKey& key, const Json& object, bool has_new_owners,
                          bool is_gone) {
  if (has_new_owners || (IsBeingDeleted(object) && !is_gone)) Queue(Controller::kGarbage, key);
  if (IsBeingDeleted(object) || is_gone) {
    for (const ObjectKey& owned : owners_.OwnedBy(UidOf(object))) {
      Queue(Controller::kGarbage, owned);
    }
  }
  if (!is_gone) return;
  for (const Json& reference : Items(object, {"metadata", "ownerReferences"})) {
    const auto owner = objects_.KeyOf(Text(reference, {"apiVersion"}), Text(reference, {"kind"}),
                                      key.ns, Text(reference, {"name"}));
    if (owner) Queue(Controller::kGarbage, *owner);
  }
}

void Runner::Queue(Controller controller, const ObjectKey& key) {
  queue_.Add({controller, key}, now());
}

void Runner::Work(const Task& task) {
  const auto object = objects_.Get(task.key);
  Reconciled wanted;
  if (task.controller == Controller::kKubeletPod && !object) {
    kubelets_.Forget(task.key.ns, task.key.name);
  } else if (task.controller == Controller::kKubeletNode) {
    wanted = kubelets_.SyncNode(task.key.name);
  } else if (object) {
    const bool is_pod = task.controller == Controller::kKubeletPod;
    wanted = is_pod ? kubelets_.SyncPod(*object) : calls_.Call(task, *object, now());
  }
  if (!Apply(task, object ? &*object : nullptr, wanted)) return queue_.Failed(task, now());
  queue_.Succeeded(task);
  if (wanted.look_again) queue_.Add(task, *wanted.look_again);
}

bool Runner::Apply(const Task& task, const Json* object, const Reconciled& wanted) {
  for (const Write& write : wanted.writes) {
    const bool is_event = KindOf(write.object) == "Event";
    if (is_event && write.verb == Verb::kCreate && !options_.writes_events) continue;
    const Verdict refused = objects_.Apply(write);
    if (!refused) continue;
    // What is only told need not be heard, and what is already gone need not go.
    const bool is_harmless =
        is_event || (write.verb == Verb::kDelete && (refused->code == 404 || refused->code == 409));
    if (is_harmless) continue;
    const bool is_told = queue_.FailuresOf(task) == 0 && refused->code != 409;
    if (is_told && object != nullptr) TellOfFailure(*object, write, *refused);
    return false;
  }
  return true;
}

// Conflicts are everyday; anything else somebody should know, but once is enough.
void Runner::TellOfFailure(const Json& object, const Write& write, const Status& why) {
  log_.Warning("a write of a controller was refused", {{"kind", KindOf(object)},
                                                       {"namespace", NamespaceOf(object)},
                                                       {"name", NameOf(object)},
                                                       {"why", why.message}});
  if (IsBeingDeleted(object) || write.verb != Verb::kCreate) return;
  (void)objects_.Apply(EventAbout(object,
                                  {.reason = "FailedCreate",
                                   .message = "Error creating: " + why.message,
                                   .source = "gpu-local",
                                   .is_warning = true},
                                  now()));
}

}  // namespace gs::localcluster
