// ControllerCalls: gathers what each controller looks at, and calls it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"
#include "adapters/localcluster/runner/cluster_objects.h"
#include "adapters/localcluster/runner/owner_index.h"
#include "adapters/localcluster/runner/work_queue.h"
#include "base/time.h"

namespace gs::localcluster {

struct CallSettings {
  std::string ca_certificate;
  Duration node_grace{};
};

class ControllerCalls {
 public:
  // All must outlive it.
  ControllerCalls(const ClusterObjects& objects, const OwnerIndex& owners, CallSettings settings)
      : objects_(objects), owners_(owners), settings_(std::move(settings)) {}

  // What the controller of the task wants for the object. Requires: not a task of the kubelets.
  [[nodiscard]] Reconciled Call(const Task& task, const Json& object, TimePoint now) const;

 private:
  [[nodiscard]] Reconciled CallForPods(const Task& task, const Json& object, TimePoint now) const;
  [[nodiscard]] Reconciled CallForVolume(const Json& volume) const;
  [[nodiscard]] Reconciled CallForNode(const Json& node, TimePoint now) const;
  [[nodiscard]] Reconciled CallForEndpoints(const Task& task, const Json& service) const;
  [[nodiscard]] Reconciled CollectGarbage(const Json& object) const;
  [[nodiscard]] Reconciled SyncNamespace(const Json& space) const;
  // Of one resource, those that the owner controls; of all, those that name it.
  [[nodiscard]] std::vector<Json> Owned(const Json& owner, std::string_view resource) const;
  [[nodiscard]] std::size_t PodsLeft(const std::vector<Json>& sets) const;

  const ClusterObjects& objects_;
  const OwnerIndex& owners_;
  const CallSettings settings_;
};

}  // namespace gs::localcluster
