// The part of Cache that keeps the GPUs of pods which went without a proper end, until their agent
// says that nothing of them is left, or for so long.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/gpu_ids.h"
#include "base/resource_version.h"
#include "core/cache/cache.h"

namespace gs::cache {
namespace {

// Whether the agent sees something on the GPU that the pod has left behind. Where it does not know
// the UID it gives the name.
bool IsLeftOn(const model::GpuDevice& device, const model::PodRef& pod) {
  if (device.residue.empty()) return false;
  const PodUid name(ToString(pod));
  return std::any_of(device.residue.begin(), device.residue.end(),
                     [&](const PodUid& left) { return left == pod.uid || left == name; });
}

bool IsLeftBehind(const model::Machine& machine, const model::PodRef& pod) {
  return std::any_of(machine.devices.begin(), machine.devices.end(),
                     [&pod](const auto& device) { return IsLeftOn(device, pod); });
}

bool IsShownOn(const model::GpuDevice& device, const std::string& name) {
  return std::count(device.in_use_by.begin(), device.in_use_by.end(), name) > 0;
}

std::set<std::string> AllShown(const model::Machine& machine) {
  std::set<std::string> names;
  for (const model::GpuDevice& device : machine.devices) {
    names.insert(device.in_use_by.begin(), device.in_use_by.end());
  }
  return names;
}

// Whether the agent has not noticed yet that the pod is gone.
bool IsShown(const model::Machine& machine, const model::PodRef& pod) {
  const std::string name = ToString(pod);
  return std::any_of(machine.devices.begin(), machine.devices.end(),
                     [&name](const auto& device) { return IsShownOn(device, name); });
}

// Whether the pod lives, has a place on that machine's node, and is where it is shown. Of one that
// a device plugin serves nobody knows where that is.
bool IsShownRightly(const PodRecord& record, const model::Machine& machine, const NodeName& node) {
  const Footprint footprint = FootprintOf(record);
  if (footprint.node != node) return false;
  if (footprint.is_counted()) return true;
  if (!footprint.allocation) return false;
  const auto& ids = footprint.allocation->gpus.ids;
  const std::string name = ToString(record.pod.ref);
  return std::all_of(machine.devices.begin(), machine.devices.end(), [&](const auto& device) {
    return !IsShownOn(device, name) || std::count(ids.begin(), ids.end(), device.id) > 0;
  });
}

// The pod of which an agent says that something is left: by UID, or as "namespace/name".
model::PodRef PodLeft(const PodUid& left) {
  const std::string& text = left.text();
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {Namespace(), PodName(), left};
  return {Namespace(text.substr(0, slash)), PodName(text.substr(slash + 1)), left};
}

// The ids that the pod was given, those that its GPUs have now, and those of GPUs where something
// of it is left. Where these differ all of them count.
std::set<GpuId> GpusOf(const model::Allocation& had, const model::PodRef& pod,
                       const std::optional<model::Machine>& machine) {
  std::set<GpuId> gpus(had.gpus.ids.begin(), had.gpus.ids.end());
  if (!machine) return gpus;
  for (const model::GpuDevice& device : machine->devices) {
    const bool was_its =
        !device.uuid.empty() && std::count(had.uuids.begin(), had.uuids.end(), device.uuid) > 0;
    if (was_its || IsLeftOn(device, pod)) gpus.insert(device.id);
  }
  return gpus;
}

void AddOnce(std::vector<model::PodRef>& pods, const model::PodRef& pod) {
  if (std::find(pods.begin(), pods.end(), pod) == pods.end()) pods.push_back(pod);
}

}  // namespace

bool Cache::IsReleasing(const PodUid& uid) const {
  for (auto entry = releasing_.lower_bound({uid, NodeName()});
       entry != releasing_.end() && entry->first.first == uid; ++entry) {
    if (!entry->second.is_over) return true;
  }
  return false;
}

// Until all reports are told any node may have one.
bool Cache::HasAgent(const NodeView& view) const {
  return view.node.machine || !complete_.contains(model::Kind::kMachine);
}

// The agent has reported, not before the pod was gone, that nothing of it is left. A report that
// was on its way when the pod went still shows it; a namesake that has taken its place is shown for
// good.
bool Cache::HasLetGo(const NodeView& view, const Releasing& releasing) const {
  if (!view.node.machine) return false;
  const model::Machine& machine = *view.node.machine;
  const model::PodRef& pod = releasing.pod;
  if (IsLeftBehind(machine, pod)) return false;
  if (!releasing.gone_at) return true;
  if (!IsAtLeast(view.machine_version, *releasing.gone_at)) return false;
  if (!IsShown(machine, pod)) return true;
  return std::any_of(pods_.begin(), pods_.end(), [&](const auto& entry) {
    const model::PodRef& other = entry.second.pod.ref;
    return other.ns == pod.ns && other.name == pod.name && other.uid != pod.uid &&
           IsShownRightly(entry.second, machine, view.node.name);
  });
}

bool Cache::HasSaidEnough(const model::Pod& pod) const {
  if (!pod.is_terminal()) return true;
  if (pod.had_running_container) return false;
  const NodeView* view = FindNode(pod.node);
  return view == nullptr || !view->node.machine || !IsLeftBehind(*view->node.machine, pod.ref);
}

void Cache::StartRelease(const model::PodRef& pod, const Footprint& had,
                         const ResourceVersion& gone_at, TimePoint now) {
  if (!had.allocation && !had.is_counted()) return;
  NodeView& view = NodeFor(had.node);
  if (!HasAgent(view)) return;
  Releasing& releasing = releasing_[{pod.uid, had.node}];
  releasing.pod = pod;
  releasing.gone_at = gone_at;
  if (had.allocation) releasing.allocation = *had.allocation;
  releasing.until = now + options_.release_timeout;
  releasing.is_over = false;
  if (HasLetGo(view, releasing)) {
    releasing_.erase({pod.uid, had.node});
    return;
  }
  (void)KeepBack(had.node, releasing);
  // As long as nobody says which GPUs a plugin gave it, they may be any.
  AddOnce(had.is_counted() ? view.counted_pods : view.direct_pods, pod);
}

bool Cache::KeepBack(const NodeName& node, Releasing& releasing) {
  NodeView& view = NodeFor(node);
  const std::set<GpuId> gpus = GpusOf(releasing.allocation, releasing.pod, view.node.machine);
  for (const GpuId gpu : gpus) {
    view.holders.Add(gpu, releasing.pod, releasing.allocation.mode, releasing.allocation.controller,
                     Evidence::kReleasing);
  }
  bool is_freed = false;
  for (const GpuId gpu : std::exchange(releasing.gpus, gpus)) {
    if (gpus.contains(gpu)) continue;
    is_freed = view.holders.Remove(gpu, releasing.pod.uid, Evidence::kReleasing) || is_freed;
  }
  AddOnce(view.releasing_pods, releasing.pod);
  return is_freed;
}

void Cache::LetGo(const NodeName& node, Releasing& releasing, Changes& changes) {
  NodeView& view = NodeFor(node);
  const PodUid& uid = releasing.pod.uid;
  bool is_freed = false;
  for (const GpuId gpu : std::exchange(releasing.gpus, {})) {
    is_freed = view.holders.Remove(gpu, uid, Evidence::kReleasing) || is_freed;
  }
  const auto is_this = [&uid](const model::PodRef& other) { return other.uid == uid; };
  for (auto* pods : {&view.releasing_pods, &view.counted_pods, &view.direct_pods}) {
    std::erase_if(*pods, is_this);
  }
  changes.push_back({.kind = ChangeKind::kReleaseEnded, .node = node, .pod = releasing.pod});
  if (is_freed) TellFreed(node, releasing.pod, changes);
}

void Cache::EndRelease(const ReleaseKey& key, Changes& changes) {
  auto released = releasing_.extract(key);
  if (!released.mapped().is_over) LetGo(key.second, released.mapped(), changes);
  DropIfEmpty(key.second);
}

void Cache::EndReleasesOf(const PodUid& pod, Changes& changes) {
  std::vector<ReleaseKey> keys;
  for (auto entry = releasing_.lower_bound({pod, NodeName()});
       entry != releasing_.end() && entry->first.first == pod; ++entry) {
    keys.push_back(entry->first);
  }
  for (const ReleaseKey& key : keys) EndRelease(key, changes);
}

void Cache::EndReleasesWithoutAgent(Changes& changes) {
  std::vector<ReleaseKey> keys;
  for (const auto& [key, releasing] : releasing_) {
    const NodeView* view = FindNode(key.second);
    if (view == nullptr || !view->node.machine) keys.push_back(key);
  }
  for (const ReleaseKey& key : keys) EndRelease(key, changes);
}

void Cache::FindUnseen(TimePoint now, Changes& changes) {
  const bool is_use_known =
      complete_.contains(model::Kind::kPod) && complete_.contains(model::Kind::kMachine);
  if (!is_use_known) return;
  std::map<NodeName, std::set<std::string>> shown;
  for (const auto& [node, view] : nodes_) {
    auto names = view.node.machine ? AllShown(*view.node.machine) : std::set<std::string>();
    if (!names.empty()) shown.emplace(node, std::move(names));
  }
  // Names of all pods are made only where somebody asks for one.
  if (shown.empty()) return;
  std::map<std::string, const PodRecord*> by_name;
  for (const auto& [uid, record] : pods_) {
    if (!PlaceOf(record).empty()) by_name.emplace(ToString(record.pod.ref), &record);
  }
  for (const auto& [node, names] : shown) {
    const model::Machine& machine = *FindNode(node)->node.machine;
    for (const std::string& name : names) {
      const auto known = by_name.find(name);
      const bool is_right = known != by_name.end() && IsShownRightly(*known->second, machine, node);
      if (!is_right) KeepUnseen(node, name, now, changes);
    }
  }
}

void Cache::KeepUnseen(const NodeName& node, const std::string& shown, TimePoint now,
                       Changes& changes) {
  const auto [entry, is_new] = releasing_.try_emplace(ReleaseKey(PodUid(shown), node));
  if (!is_new) return;
  Releasing& releasing = entry->second;
  releasing.pod = PodLeft(PodUid(shown));
  releasing.gone_at = pods_listed_;
  releasing.until = now + options_.release_timeout;
  for (const model::GpuDevice& device : FindNode(node)->node.machine->devices) {
    if (!IsShownOn(device, shown)) continue;
    releasing.allocation.gpus.ids.push_back(device.id);
    releasing.allocation.uuids.push_back(device.uuid);
  }
  (void)KeepBack(node, releasing);
  changes.push_back({.kind = ChangeKind::kReleaseStarted, .node = node, .pod = releasing.pod});
}

void Cache::EndUnseen(const PodRecord& record, Changes& changes) {
  if (releasing_.empty() || !record.pod.is_bound()) return;
  const ReleaseKey key(PodUid(ToString(record.pod.ref)), record.pod.node);
  const auto unseen = releasing_.find(key);
  const NodeView* view = FindNode(record.pod.node);
  if (unseen == releasing_.end() || view == nullptr || !view->node.machine) return;
  const bool is_it = !IsLeftBehind(*view->node.machine, unseen->second.pod) &&
                     IsShownRightly(record, *view->node.machine, record.pod.node);
  if (is_it) EndRelease(key, changes);
}

void Cache::NoteResidue(const NodeName& node, const PodUid& left, TimePoint now, Changes& changes) {
  // The report is ahead of our view of pods, and the pod holds its GPUs itself.
  const model::Pod* known = FindPod(left);
  if (known != nullptr && !known->is_terminal()) return;
  const auto is_it = [&](const auto& entry) {
    return entry.first.second == node &&
           (entry.first.first == left || ToString(entry.second.pod) == left.text());
  };
  if (std::any_of(releasing_.begin(), releasing_.end(), is_it)) return;
  Releasing releasing{.pod = known == nullptr ? PodLeft(left) : known->ref,
                      .gone_at = std::nullopt,
                      .allocation = {},
                      .gpus = {},
                      .until = now + options_.release_timeout};
  changes.push_back({.kind = ChangeKind::kReleaseStarted, .node = node, .pod = releasing.pod});
  releasing_.emplace(ReleaseKey(left, node), std::move(releasing));
}

void Cache::FollowResidue(const NodeName& node, TimePoint now, Changes& changes) {
  const NodeView* view = FindNode(node);
  if (view == nullptr || !view->node.machine) return;
  for (const model::GpuDevice& device : view->node.machine->devices) {
    for (const PodUid& left : device.residue) NoteResidue(node, left, now, changes);
  }
  std::vector<ReleaseKey> done;
  for (auto& [key, releasing] : releasing_) {
    if (key.second != node) continue;
    if (HasLetGo(*view, releasing)) {
      done.push_back(key);
    } else if (!releasing.is_over && KeepBack(node, releasing)) {
      TellFreed(node, releasing.pod, changes);
    }
  }
  for (const ReleaseKey& key : done) EndRelease(key, changes);
}

std::vector<Change> Cache::Tick(TimePoint now) {
  Changes changes;
  std::vector<ReleaseKey> late;
  for (const auto& [key, releasing] : releasing_) {
    if (!releasing.is_over && releasing.until <= now) late.push_back(key);
  }
  for (const ReleaseKey& key : late) {
    Releasing& releasing = releasing_.at(key);
    const std::vector<GpuId> gpus(releasing.gpus.begin(), releasing.gpus.end());
    changes.push_back(
        {.kind = ChangeKind::kReleaseTimedOut,
         .node = key.second,
         .pod = releasing.pod,
         .message = (gpus.empty() ? "GPUs of " : "GPUs " + PrintGpuIds(gpus) + " of ") +
                    key.second.text() +
                    " are free again although the agent has not said that nothing "
                    "of " +
                    ToString(releasing.pod) + " is left on them"});
    LetGo(key.second, releasing, changes);
    releasing.is_over = true;
    // What the agent goes on reporting does not begin anew.
    const NodeView* view = FindNode(key.second);
    if (!view->node.machine || !IsLeftBehind(*view->node.machine, releasing.pod)) {
      releasing_.erase(key);
      DropIfEmpty(key.second);
    }
  }
  return changes;
}

std::optional<TimePoint> Cache::NextWake() const {
  std::optional<TimePoint> first;
  for (const auto& [key, releasing] : releasing_) {
    if (!releasing.is_over && (!first || releasing.until < *first)) first = releasing.until;
  }
  return first;
}

}  // namespace gs::cache
