#include "adapters/localcluster/runner/controller_calls.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <utility>

#include "adapters/localcluster/controllers/daemon_set.h"
#include "adapters/localcluster/controllers/deployment.h"
#include "adapters/localcluster/controllers/disruption.h"
#include "adapters/localcluster/controllers/endpoints.h"
#include "adapters/localcluster/controllers/expiry.h"
#include "adapters/localcluster/controllers/garbage.h"
#include "adapters/localcluster/controllers/job.h"
#include "adapters/localcluster/controllers/namespaces.h"
#include "adapters/localcluster/controllers/node_lifecycle.h"
#include "adapters/localcluster/controllers/replica_set.h"
#include "adapters/localcluster/controllers/stateful_set.h"
#include "adapters/localcluster/controllers/volumes.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/check.h"

namespace gs::localcluster {

std::vector<Json> ControllerCalls::Owned(const Json& owner, std::string_view resource) const {
  std::vector<Json> owned;
  for (const ObjectKey& key : owners_.OwnedBy(UidOf(owner))) {
    if (!resource.empty() && key.resource != resource) continue;
    auto object = objects_.Get(key);
    if (!object) continue;
    if (!resource.empty() && !IsControlledBy(*object, owner)) continue;
    owned.push_back(*std::move(object));
  }
  return owned;
}

std::size_t ControllerCalls::PodsLeft(const std::vector<Json>& sets) const {
  std::size_t left = 0;
  for (const Json& set : sets) {
    if (Int(set, {"spec", "replicas"}) > 0) continue;
    for (const Json& pod : Owned(set, "pods")) left += IsFinished(pod) ? 0 : 1;
  }
  return left;
}

Reconciled ControllerCalls::CollectGarbage(const Json& object) const {
  const auto owned = Owned(object, "");
  Reconciled wanted = CollectOwner(object, owned);
  if (!wanted.writes.empty()) return wanted;
  return CollectOwned(object, !owned.empty(), [&](const Json& reference) {
    const auto key = objects_.KeyOf(Text(reference, {"apiVersion"}), Text(reference, {"kind"}),
                                    NamespaceOf(object), Text(reference, {"name"}));
    const auto owner = key ? objects_.Get(*key) : std::nullopt;
    if (!owner || UidOf(*owner) != Text(reference, {"uid"})) return OwnerState::kGone;
    const bool waits = IsBeingDeleted(*owner) && HasFinalizer(*owner, kForegroundFinalizer);
    return waits ? OwnerState::kWaitsForOwned : OwnerState::kThere;
  });
}

Reconciled ControllerCalls::SyncNamespace(const Json& space) const {
  const std::string name(NameOf(space));
  std::vector<Json> contents;
  if (!IsBeingDeleted(space)) {
    const std::array<ObjectKey, 2> defaults{
        {{.resource = "serviceaccounts", .ns = name, .name = "default"},
         {.resource = "configmaps", .ns = name, .name = "kube-root-ca.crt"}}};
    for (const ObjectKey& key : defaults) {
      if (auto object = objects_.Get(key)) contents.push_back(*std::move(object));
    }
    return ReconcileNamespace(space, contents, settings_.ca_certificate);
  }
  std::set<std::string> listed;
  for (const KindPtr& kind : objects_.AllKinds()) {
    if (!kind->is_namespaced || !listed.insert(kind->resource()).second) continue;
    for (Json& object : objects_.List(kind->resource(), name))
      contents.push_back(std::move(object));
  }
  return ReconcileNamespace(space, contents, settings_.ca_certificate);
}

Reconciled ControllerCalls::CallForPods(const Task& task, const Json& object, TimePoint now) const {
  const auto pods = Owned(object, "pods");
  switch (task.controller) {
    case Controller::kReplicaSet: return ReconcileReplicaSet(object, pods, now);
    case Controller::kJob: return ReconcileJob(object, pods, now);
    case Controller::kStatefulSet:
      return ReconcileStatefulSet(object,
                                  {.pods = pods,
                                   .revisions = Owned(object, "controllerrevisions.apps"),
                                   .claims = objects_.List("persistentvolumeclaims", task.key.ns)},
                                  now);
    default:
      return ReconcileDaemonSet(object,
                                {.pods = pods,
                                 .revisions = Owned(object, "controllerrevisions.apps"),
                                 .nodes = objects_.List("nodes", "")},
                                now);
  }
}

Reconciled ControllerCalls::CallForEndpoints(const Task& task, const Json& service) const {
  const auto endpoints =
      objects_.Get({.resource = "endpoints", .ns = task.key.ns, .name = task.key.name});
  return ReconcileEndpoints(service, objects_.List("pods", task.key.ns),
                            endpoints ? &*endpoints : nullptr);
}

Reconciled ControllerCalls::CallForNode(const Json& node, TimePoint now) const {
  const auto lease = objects_.Get({.resource = "leases.coordination.k8s.io",
                                   .ns = "kube-node-lease",
                                   .name = std::string(NameOf(node))});
  return ReconcileNode(node, lease ? &*lease : nullptr, settings_.node_grace, now);
}

Reconciled ControllerCalls::CallForVolume(const Json& volume) const {
  const auto claim =
      objects_.Get({.resource = "persistentvolumeclaims",
                    .ns = std::string(Text(volume, {"spec", "claimRef", "namespace"})),
                    .name = std::string(Text(volume, {"spec", "claimRef", "name"}))});
  return ReconcileVolume(volume, claim ? &*claim : nullptr);
}

Reconciled ControllerCalls::Call(const Task& task, const Json& object, TimePoint now) const {
  switch (task.controller) {
    case Controller::kNamespace: return SyncNamespace(object);
    case Controller::kGarbage: return CollectGarbage(object);
    case Controller::kReplicaSet:
    case Controller::kStatefulSet:
    case Controller::kDaemonSet:
    case Controller::kJob: return CallForPods(task, object, now);
    case Controller::kDeployment: {
      auto sets = Owned(object, "replicasets.apps");
      const std::size_t left = PodsLeft(sets);
      return ReconcileDeployment(object, std::move(sets), left, now);
    }
    case Controller::kEndpoints: return CallForEndpoints(task, object);
    case Controller::kEventExpiry: return ExpireEvent(object, now);
    case Controller::kNodeLifecycle: return CallForNode(object, now);
    case Controller::kClaim:
      return ReconcileClaim(object,
                            {.volumes = objects_.List("persistentvolumes", ""),
                             .classes = objects_.List("storageclasses.storage.k8s.io", "")});
    case Controller::kVolume: return CallForVolume(object);
    case Controller::kBudget:
      return ReconcileBudget(object, objects_.List("pods", task.key.ns), now);
    case Controller::kKubeletPod:
    case Controller::kKubeletNode: break;
  }
  GS_CHECK(false);
  return {};
}

}  // namespace gs::localcluster
