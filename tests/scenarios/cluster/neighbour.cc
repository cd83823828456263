#include "tests/scenarios/cluster/neighbour.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/allocation.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"

namespace gs::scenarios {
namespace {

using model::InFlightPod;
using model::Pod;

bool HasResult(const Pod& pod) {
  return model::FindAnnotation(pod, model::names::kAllocated) != nullptr;
}

bool Takes(const model::NodeGpus& gpus, const NodeName& node, GpuId gpu) {
  return gpus.node == node && std::find(gpus.ids.begin(), gpus.ids.end(), gpu) != gpus.ids.end();
}

}  // namespace

std::vector<const Pod*> Neighbour::Waiting() const {
  const auto is_listed = [this](const Pod& pod) {
    const auto& others = api_.fence().others().others;
    return std::any_of(others.begin(), others.end(), [&pod](const auto& other) {
      return other.in_flight.pod.uid == pod.ref.uid;
    });
  };
  std::vector<const Pod*> waiting;
  for (const auto& [key, pod] : api_.pods()) {
    const bool waits = !pod.is_bound() && !pod.is_terminating && !pod.is_terminal();
    if (pod.scheduler == name_ && waits && !is_listed(pod)) waiting.push_back(&pod);
  }
  return waiting;
}

std::vector<GpuId> Neighbour::FreeOn(const model::Node& node) const {
  std::vector<GpuId> free;
  for (std::int32_t id = 0; id < node.allocatable.gpus; ++id) {
    const GpuId gpu(id);
    const auto& others = api_.fence().others().others;
    const bool is_planned = std::any_of(others.begin(), others.end(), [&](const auto& other) {
      return Takes(other.in_flight.gpus, node.name, gpu);
    });
    if (!IsHeld(node.name, gpu) && !is_planned) free.push_back(gpu);
  }
  return free;
}

// By a pod, or by what is left of one.
bool Neighbour::IsHeld(const NodeName& node, GpuId gpu) const {
  const auto& left = kubelets_.left();
  return std::any_of(left.begin(), left.end(),
                     [&](const auto& each) { return Takes(each.second.had.gpus, node, gpu); }) ||
         std::any_of(api_.pods().begin(), api_.pods().end(), [&](const auto& each) {
           const Pod& pod = each.second;
           if (!IsLive(pod) || !HasResult(pod)) return false;
           const auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
           return allocation && Takes(allocation->gpus, node, gpu);
         });
}

// Pods that a device plugin serves, and pods with exact ids, do not meet on one node.
bool Neighbour::MayCountOn(const model::Node& node, std::int64_t gpus) const {
  std::int64_t counted = gpus;
  for (const auto& [key, pod] : api_.pods()) {
    if (!IsLive(pod) || pod.node != node.name) continue;
    const bool is_counted = model::HasGpuResource(pod.requests);
    if (gpus > 0 ? HasResult(pod) && !is_counted : is_counted) return false;
    counted += pod.requests.gpus;
  }
  for (const auto& [uid, each] : kubelets_.left()) {
    if (gpus > 0 && !each.is_counted && each.had.gpus.node == node.name) return false;
  }
  for (const auto& other : api_.fence().others().others) {
    if (other.in_flight.gpus.node == node.name) return false;
  }
  return counted <= node.allocatable.gpus;
}

void Neighbour::List(std::size_t pod, const NodeName& node) {
  const auto waiting = Waiting();
  const auto found = api_.nodes().find(node);
  if (waiting.empty() || found == api_.nodes().end()) return;
  const Pod& chosen = *waiting[pod % waiting.size()];
  const std::int64_t counted = chosen.requests.gpus;
  std::vector<GpuId> gpus = FreeOn(found->second);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(counted, 1));
  if (gpus.size() < wanted || !MayCountOn(found->second, counted)) return;
  gpus.resize(wanted, GpuId(0));
  InFlightPod entry{.pod = chosen.ref,
                    .noted = chosen.resource_version,
                    .gpus = {.node = node, .ids = std::move(gpus)},
                    .is_enforced = counted == 0};
  if (api_.fence().ListForOther(entry, chosen.scheduler)) plans_.push_back(std::move(entry));
}

void Neighbour::Bind(std::size_t plan, TimePoint now) {
  if (plans_.empty()) return;
  const InFlightPod& entry = plans_[plan % plans_.size()];
  (void)api_.Execute(model::BindPod{entry.pod, entry.noted, {}, AllocationOf(entry)}, name_.text(),
                     now);
  const Pod* pod = api_.FindPod({entry.pod.ns, entry.pod.name});
  if (pod == nullptr || pod->ref.uid != entry.pod.uid || !pod->is_bound()) return;
  api_.fence().TakeOffOther(entry.pod.uid, pod->resource_version);
}

void Neighbour::Resolve(TimePoint now) {
  const auto listed = api_.fence().others().others;
  for (const auto& other : listed) {
    const model::PodRef& ref = other.in_flight.pod;
    const auto answer = api_.Execute(
        model::TouchPod{ref, {}, name_.text() + std::to_string(++touches_)}, name_.text(), now);
    const auto& touched = std::get<model::TouchAnswered>(*answer);
    api_.fence().TakeOffOther(ref.uid,
                              touched.node.empty() ? ResourceVersion() : touched.resource_version);
  }
}

}  // namespace gs::scenarios
