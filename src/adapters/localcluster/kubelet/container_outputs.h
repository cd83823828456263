// ContainerOutputs: what containers have printed and what they were started with, for requests that
// ask a kubelet and not the API: logs, and the environment.
//
// From any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "adapters/localcluster/kubelet/container_log.h"
#include "adapters/localcluster/kubelet/environment.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

struct ContainerName {
  std::string ns;
  std::string pod;
  std::string container;

  friend auto operator<=>(const ContainerName&, const ContainerName&) = default;
};

class ContainerOutputs {
 public:
  // A new run begins; the run before it can still be read as the previous one.
  [[nodiscard]] std::shared_ptr<ContainerLog> Begin(const ContainerName& name,
                                                    Variables environment) GS_EXCLUDES(mutex_);
  void Forget(const std::string& ns, const std::string& pod) GS_EXCLUDES(mutex_);

  enum class Run : std::uint8_t { kLatest, kPrevious };
  // Null if there is none.
  [[nodiscard]] std::shared_ptr<const ContainerLog> Log(const ContainerName& name, Run run) const
      GS_EXCLUDES(mutex_);
  // The same for whoever wants to follow it.
  [[nodiscard]] std::shared_ptr<ContainerLog> Follow(const ContainerName& name) const
      GS_EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Variables> Environment(const ContainerName& name) const
      GS_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::shared_ptr<ContainerLog> latest;
    std::shared_ptr<ContainerLog> previous;
    Variables environment;
  };
  mutable runtime::Mutex mutex_;
  std::map<ContainerName, Entry> entries_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::localcluster
