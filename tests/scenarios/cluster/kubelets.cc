#include "tests/scenarios/cluster/kubelets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/model/gpu_resource.h"
#include "core/model/names.h"

namespace gs::scenarios {

bool IsLive(const model::Pod& pod) { return pod.is_bound() && !pod.is_terminal(); }

std::optional<model::Allocation> GpusOf(const model::Pod& pod) {
  const bool has_result = model::FindAnnotation(pod, model::names::kAllocated) != nullptr;
  if (!IsLive(pod) || !has_result) return {};
  auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  return *std::move(allocation);
}

void Kubelets::Start(model::Pod pod) {
  if (!IsLive(pod)) return;
  pod.phase = model::PodPhase::kRunning;
  pod.had_running_container = true;
  cluster_.api().Put(std::move(pod));
}

void Kubelets::End(model::Pod pod, model::PodPhase phase) {
  if (!IsLive(pod)) return;
  pod.phase = phase;
  pod.had_running_container = false;
  cluster_.api().Put(std::move(pod));
}

void Kubelets::Delete(model::Pod pod) {
  if (!IsLive(pod) || pod.is_terminating) {
    return cluster_.api().RemovePod({pod.ref.ns, pod.ref.name});
  }
  pod.is_terminating = true;
  cluster_.api().Put(std::move(pod));
}

void Kubelets::Vanish(const model::Pod& pod) {
  NoteLeft(pod);
  cluster_.api().RemovePod({pod.ref.ns, pod.ref.name});
  Report(pod.node);
}

void Kubelets::DeclareFailed(model::Pod pod) {
  if (!IsLive(pod)) return;
  NoteLeft(pod);
  pod.phase = model::PodPhase::kFailed;
  const NodeName node = pod.node;
  cluster_.api().Put(std::move(pod));
  Report(node);
}

void Kubelets::NoteLeft(const model::Pod& pod) {
  const auto allocation = GpusOf(pod);
  const auto* view = cluster_.scheduler().cache().FindNode(pod.node);
  const bool has_agent = cluster_.api().machines().contains(pod.node) && view != nullptr &&
                         view->node.machine.has_value();
  if (!allocation || !pod.had_running_container || !has_agent) return;
  left_[pod.ref.uid] = {*allocation, model::HasGpuResource(pod.requests), cluster_.now()};
}

void Kubelets::EndProcesses(std::size_t number) {
  if (left_.empty()) return;
  EndProcessesOf(std::next(left_.begin(), static_cast<std::ptrdiff_t>(number % left_.size())));
}

void Kubelets::EndOldProcesses() {
  for (auto each = left_.begin(); each != left_.end();) {
    const auto next = std::next(each);
    if (cluster_.now() - each->second.since >= std::chrono::seconds(90)) EndProcessesOf(each);
    each = next;
  }
}

void Kubelets::EndProcessesOf(LeftBehind::iterator ended) {
  const NodeName node = ended->second.had.gpus.node;
  left_.erase(ended);
  Report(node);
}

void Kubelets::Report(const NodeName& node) {
  const auto known = cluster_.api().machines().find(node);
  if (known != cluster_.api().machines().end()) Report(node, known->second);
}

void Kubelets::Report(const NodeName& node, model::Machine machine) {
  for (model::GpuDevice& device : machine.devices) {
    device.residue.clear();
    for (const auto& [uid, each] : left_) {
      const auto& ids = each.had.gpus.ids;
      const bool is_here =
          each.had.gpus.node == node && std::count(ids.begin(), ids.end(), device.id) > 0;
      if (is_here) device.residue.push_back(uid);
    }
  }
  cluster_.api().PutMachine(node, machine);
}

void Kubelets::RemoveAgent(const NodeName& node) {
  std::erase_if(left_, [&](const auto& each) { return each.second.had.gpus.node == node; });
  cluster_.api().RemoveMachine(node);
}

}  // namespace gs::scenarios
