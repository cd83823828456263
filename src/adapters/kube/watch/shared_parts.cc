#include "adapters/kube/watch/shared_parts.h"

#include <variant>

namespace gs::kube {
namespace {

// As nodes come and go, what is known is forgotten now and then: what is shared stays shared.
constexpr std::size_t kMostKnown = 30'000;

template <class Known, class Value>
void ShareWith(Known& known, Value& value) {
  if (value.empty()) return;
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

void SharedParts::Share(SharedText& text) { ShareWith(texts_, text); }

void SharedParts::Share(model::Labels& labels) { ShareWith(labels_, labels); }

template <class Id>
void SharedParts::ShareId(Id& id) {
  SharedText text = id.shared();
  Share(text);
  id = Id(std::move(text));
}

void SharedParts::Share(ObjectMeta& meta) { Share(meta.key.ns); }

void SharedParts::Share(model::Event& event, const ObjectMeta& meta) {
  auto* seen = std::get_if<model::PodSeen>(&event);
  if (seen == nullptr) return;
  model::Pod& pod = seen->pod;
  pod.ref = {Namespace(meta.key.ns), PodName(meta.key.name), PodUid(meta.uid)};
  pod.resource_version = meta.resource_version;
  ShareId(pod.scheduler);
  ShareId(pod.node);
  if (pod.controller) ShareId(pod.controller->uid);
  Share(pod.labels);
}

}  // namespace gs::kube
