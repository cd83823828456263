#include "core/agent/gpu_use.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/parse.h"
#include "base/text.h"

namespace gs::agent {
namespace {

// Domains are written with four digits or with eight, and letters in either case.
std::string PlainPciAddress(std::string_view address) {
  std::string plain = text::ToLower(address);
  const auto domain = plain.find(':');
  if (domain == std::string::npos) return plain;
  const auto digits = std::min(plain.find_first_not_of('0'), domain);
  return plain.substr(digits);
}

template <class Item>
void SortOnce(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

class Finder {
 public:
  explicit Finder(const UseFacts& facts) : facts_(facts) {
    use_.in_use_by.resize(facts.machine.devices.size());
    use_.residue.resize(facts.machine.devices.size());
    for (const LivePod& pod : facts.pods) {
      by_uid_.emplace(pod.ref.uid, &pod);
      by_name_.emplace(model::ToString(pod.ref), &pod);
    }
    for (const model::PodRef& pod : facts.gone) {
      gone_uids_.insert(pod.uid);
      gone_names_.emplace(model::ToString(pod), pod.uid);
    }
  }

  GpuUse Find() {
    for (const Held& held : facts_.held) NoteHeld(held);
    for (const LivePod& pod : facts_.pods) NotePlan(pod);
    const std::size_t count = std::min(facts_.processes.size(), use_.residue.size());
    for (std::size_t i = 0; i < count; ++i) {
      for (const model::GpuProcess& process : facts_.processes[i]) NoteProcess(i, process.pod);
    }
    for (auto& users : use_.in_use_by) SortOnce(users);
    for (auto& pods : use_.residue) SortOnce(pods);
    std::sort(use_.renumbered.begin(), use_.renumbered.end(), [](const auto& a, const auto& b) {
      return std::tie(a.device, a.pod) < std::tie(b.device, b.pod);
    });
    return std::move(use_);
  }

 private:
  void NoteHeld(const Held& held) {
    std::vector<std::size_t> devices;
    for (const std::string& id : held.devices) {
      if (const auto device = FindDevice(facts_.machine, id)) devices.push_back(*device);
    }
    if (devices.empty()) return;
    SortOnce(devices);
    const std::string name = held.ns.text() + "/" + held.pod.text();
    if (const auto pod = by_name_.find(name); pod != by_name_.end()) {
      NoteGiven(*pod->second, devices);
    } else if (const auto gone = gone_names_.find(name); gone != gone_names_.end()) {
      for (const std::size_t device : devices) use_.residue[device].push_back(gone->second);
    } else {
      NoteStranger(name, devices);
    }
  }

  void NoteGiven(const LivePod& pod, const std::vector<std::size_t>& devices) {
    given_.insert(pod.ref.uid);
    std::vector<GpuId> ids;
    for (const std::size_t device : devices) {
      use_.in_use_by[device].push_back(model::ToString(pod.ref));
      ids.push_back(facts_.machine.devices[device].id);
    }
    if (!pod.plan) return;
    std::vector<GpuId> planned = pod.plan->gpus.ids;
    SortOnce(planned);
    if (planned != ids) use_.mismatches.push_back({pod.ref, std::move(planned), std::move(ids)});
  }

  void NotePlan(const LivePod& pod) {
    if (!pod.plan) return;
    for (std::size_t i = 0; i < pod.plan->gpus.ids.size(); ++i) {
      const auto device = PositionOf(pod.plan->gpus.ids[i]);
      if (device && !given_.contains(pod.ref.uid)) {
        use_.in_use_by[*device].push_back(model::ToString(pod.ref));
      }
      if (i < pod.plan->uuids.size()) NoteIdentity(pod, device, pod.plan->uuids[i]);
    }
  }

  // Both the GPU that took over the number and the one that was meant are out of place.
  void NoteIdentity(const LivePod& pod, std::optional<std::size_t> device, const GpuUuid& uuid) {
    if (uuid.empty()) return;
    const bool is_same = !device || facts_.machine.devices[*device].uuid.empty() ||
                         facts_.machine.devices[*device].uuid == uuid;
    if (is_same && device) return;
    if (!is_same) use_.renumbered.push_back({*device, pod.ref});
    for (std::size_t i = 0; i < facts_.machine.devices.size(); ++i) {
      if (facts_.machine.devices[i].uuid == uuid) use_.renumbered.push_back({i, pod.ref});
    }
  }

  void NoteProcess(std::size_t device, const PodUid& pod) {
    if (pod.empty()) return;
    if (const auto live = by_uid_.find(pod); live != by_uid_.end()) {
      use_.in_use_by[device].push_back(model::ToString(live->second->ref));
    } else if (gone_uids_.contains(pod)) {
      use_.residue[device].push_back(pod);
    } else {
      NoteStranger(pod.text(), {device});
    }
  }

  void NoteStranger(const std::string& key, const std::vector<std::size_t>& devices) {
    use_.unknown.insert(key);
    if (!facts_.strangers.contains(key)) return;
    for (const std::size_t device : devices) use_.residue[device].emplace_back(key);
  }

  [[nodiscard]] std::optional<std::size_t> PositionOf(GpuId id) const {
    const auto& devices = facts_.machine.devices;
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [id](const auto& device) { return device.id == id; });
    if (found == devices.end()) return std::nullopt;
    return static_cast<std::size_t>(found - devices.begin());
  }

  const UseFacts& facts_;
  GpuUse use_;
  std::map<PodUid, const LivePod*> by_uid_;
  std::map<std::string, const LivePod*> by_name_;
  std::set<PodUid> gone_uids_;
  std::map<std::string, PodUid> gone_names_;
  std::set<PodUid> given_;  // by plugins
};

}  // namespace

std::optional<std::size_t> FindDevice(const model::Machine& machine, std::string_view id) {
  id = id.substr(0, id.find("::"));
  if (id.empty()) return std::nullopt;
  const std::string address = PlainPciAddress(id);
  const auto number = ParseInt32(id);
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const model::GpuDevice& device = machine.devices[i];
    if (device.uuid.text() == id || (number && device.id.number() == *number)) return i;
    if (!device.pci_bus_id.empty() && PlainPciAddress(device.pci_bus_id.text()) == address)
      return i;
  }
  return std::nullopt;
}

GpuUse FindUse(const UseFacts& facts) { return Finder(facts).Find(); }

}  // namespace gs::agent
