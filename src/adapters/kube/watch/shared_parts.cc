#include "adapters/kube/watch/shared_parts.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace gs::kube {
namespace {

// As nodes come and go, what is known is forgotten now and then: what is shared stays shared.
constexpr std::size_t kMostKnown = 30'000;
// Clusters have fewer kinds of machines; where they do not, looking for one would take longer.
constexpr std::size_t kMostWirings = 32;

template <class Known, class Value>
void ShareWith(Known& known, Value& value) {
  if (known.size() >= kMostKnown) known.clear();
  value = *known.insert(value).first;
}

}  // namespace

std::size_t SharedParts::Hash::operator()(const model::Labels& labels) const {
  constexpr std::size_t kFactor = 31;
  std::size_t hash = 0;
  for (const auto& [name, value] : labels) {
    hash = hash * kFactor + std::hash<std::string>()(name);
    hash = hash * kFactor + std::hash<std::string>()(value);
  }
  return hash;
}

void SharedParts::Share(SharedText& text) {
  if (!text.empty()) ShareWith(texts_, text);
}

void SharedParts::Share(model::Labels& labels) {
  if (!labels.empty()) ShareWith(labels_, labels);
}

void SharedParts::Share(Shared<model::Controller>& controller) {
  if (!controller) return;
  if (!controllers_.contains(controller)) {
    model::Controller shared = *controller;
    Share(shared.kind);
    controller = std::move(shared);
  }
  ShareWith(controllers_, controller);
}

template <class Id>
void SharedParts::ShareId(Id& id) {
  SharedText text = id.shared();
  Share(text);
  id = Id(std::move(text));
}

void SharedParts::Share(ObjectMeta& meta) { Share(meta.key.ns); }

void SharedParts::Share(model::Event& event, const ObjectMeta& meta) {
  if (auto* pod = std::get_if<model::PodSeen>(&event)) Share(pod->pod, meta);
  if (auto* node = std::get_if<model::NodeSeen>(&event)) node->node.name = NodeName(meta.key.name);
  if (auto* seen = std::get_if<model::MachineSeen>(&event)) {
    seen->node = NodeName(meta.key.name);
    Share(seen->machine);
  }
}

// Machines of one kind have their GPUs in the same places.
void SharedParts::Share(model::GpuDevice& device) {
  Share(device.model);
  Share(device.pci_bus_id);
  ShareId(device.island);
  Share(device.health_reason);
}

void SharedParts::Share(model::Machine& machine) {
  for (model::GpuDevice& device : machine.devices) Share(device);
  const auto known = std::find(wirings_.begin(), wirings_.end(), machine.links);
  if (known != wirings_.end()) {
    machine.links = *known;
  } else if (wirings_.size() < kMostWirings) {
    wirings_.push_back(machine.links);
  }
}

void SharedParts::Share(model::Pod& pod, const ObjectMeta& meta) {
  pod.ref = {Namespace(meta.key.ns), PodName(meta.key.name), PodUid(meta.uid)};
  pod.resource_version = meta.resource_version;
  ShareId(pod.scheduler);
  ShareId(pod.node);
  Share(pod.controller);
  Share(pod.labels);
}

}  // namespace gs::kube
