#include "adapters/localcluster/kubelet/container_outputs.h"

#include <utility>

namespace gs::localcluster {

std::shared_ptr<ContainerLog> ContainerOutputs::Begin(const ContainerName& name,
                                                      Variables environment) {
  auto log = std::make_shared<ContainerLog>();
  const runtime::MutexLock lock(mutex_);
  Entry& entry = entries_[name];
  entry.previous = std::exchange(entry.latest, log);
  entry.environment = std::move(environment);
  return log;
}

void ContainerOutputs::Forget(const std::string& ns, const std::string& pod) {
  const runtime::MutexLock lock(mutex_);
  std::erase_if(entries_,
                [&](const auto& each) { return each.first.ns == ns && each.first.pod == pod; });
}

std::shared_ptr<const ContainerLog> ContainerOutputs::Log(const ContainerName& name,
                                                          Run run) const {
  const runtime::MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  return run == Run::kLatest ? found->second.latest : found->second.previous;
}

std::shared_ptr<ContainerLog> ContainerOutputs::Follow(const ContainerName& name) const {
  const runtime::MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.latest;
}

std::optional<Variables> ContainerOutputs::Environment(const ContainerName& name) const {
  const runtime::MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  return found->second.environment;
}

}  // namespace gs::localcluster
