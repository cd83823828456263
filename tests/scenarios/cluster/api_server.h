// ApiServer: the objects of a cluster in memory, with versions and preconditions, as far as a
// scheduler can tell it from a real one. It does what it is asked at the moment it is asked; being
// late or lost is the Cluster's business.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "tests/scenarios/cluster/fence.h"

namespace gs::scenarios {

// A change as a watch of its kind tells it.
struct ObjectChange {
  model::Kind kind = model::Kind::kPod;
  model::Event event;
  ResourceVersion version;
};

class ApiServer {
 public:
  using PodKey = std::pair<Namespace, PodName>;

  // What users, controllers, kubelets and agents do. A pod, node, claim or machine that is there is
  // replaced; a pod then keeps its UID, and a claim its status.
  void Put(model::Pod pod);
  void Put(model::Node node);
  void Put(model::Claim claim);
  void Put(model::StorageObject object);
  void PutNamespace(const Namespace& ns, const model::Labels& labels);
  void PutMachine(const NodeName& node, const model::Machine& machine);
  void RemovePod(const PodKey& pod);
  void RemoveNode(const NodeName& node);
  void RemoveNamespace(const Namespace& ns);
  void RemoveClaim(const Namespace& ns, const ClaimName& claim);
  void RemoveMachine(const NodeName& node);
  void RemoveLease(const LeaseName& lease);
  void RemoveStorage(model::Kind kind, const Namespace& ns, const std::string& name);
  // The volume controller, or a driver, does its part: the claim gets the volume that is kept for
  // it, or a new one in reach of the node that was selected. Nothing without either.
  void BindVolume(const Namespace& ns, const std::string& claim);

  [[nodiscard]] Fence& fence() { return fence_; }
  [[nodiscard]] const Fence& fence() const { return fence_; }

  // From now on a Binding succeeds whatever has happened to the pod since it was sent, which no
  // real API server does: to show that a test would notice.
  void IgnoreVersionsOfBindings() { ignores_versions_ = true; }

  // Carries a command out and says how it ended. Nothing: nobody waits for an answer.
  std::optional<model::Event> Execute(const model::Command& command, const std::string& sender,
                                      TimePoint now);

  [[nodiscard]] ResourceVersion version() const;
  [[nodiscard]] const std::vector<ObjectChange>& history() const { return history_; }
  // Everything there is, as a new watcher is told it.
  [[nodiscard]] std::vector<model::Event> List() const;

  [[nodiscard]] const std::map<PodKey, model::Pod>& pods() const { return pods_; }
  [[nodiscard]] const model::Pod* FindPod(const PodKey& pod) const;
  [[nodiscard]] const std::map<NodeName, model::Node>& nodes() const { return nodes_; }
  using ClaimKey = std::pair<Namespace, ClaimName>;
  [[nodiscard]] const std::map<ClaimKey, model::Claim>& claims() const { return claims_; }
  [[nodiscard]] const model::VolumeClaim* FindVolumeClaim(const Namespace& ns,
                                                          const std::string& name) const;
  [[nodiscard]] const std::map<NodeName, model::Machine>& machines() const { return machines_; }
  [[nodiscard]] const std::map<LeaseName, model::GpuLease>& leases() const { return leases_; }

 private:
  class Executor;  // one function per command

  [[nodiscard]] model::Pod* Find(const model::PodRef& ref);
  void Store(model::Pod& pod);
  void Store(model::Claim& claim);
  using StorageKey = std::tuple<model::Kind, Namespace, std::string>;
  template <class Object>
  [[nodiscard]] Object* FindStorage(model::Kind kind, const Namespace& ns, const std::string& name);
  void Store(const StorageKey& key, model::StorageObject object);
  std::optional<model::Event> Select(const model::SelectNode& select);
  std::optional<model::Event> Reserve(const model::ReserveVolume& reserve);
  void Tell(model::Kind kind, model::Event event);
  [[nodiscard]] model::MachineSeen MachineOf(const NodeName& node) const;

  std::uint64_t revision_ = 1;
  std::uint64_t uids_ = 0;
  std::map<PodKey, model::Pod> pods_;
  std::map<PodUid, std::string> fences_;  // the message of each pod's fence condition
  std::map<NodeName, model::Node> nodes_;
  std::map<ClaimKey, model::Claim> claims_;
  std::map<StorageKey, model::StorageObject> storage_;
  std::map<Namespace, model::Labels> namespaces_;
  std::map<NodeName, model::Machine> machines_;
  std::map<NodeName, ResourceVersion> machine_versions_;
  std::map<NodeName, NodeUid> machine_owners_;  // the node as it was when the agent reported
  std::map<LeaseName, model::GpuLease> leases_;
  bool ignores_versions_ = false;
  Fence fence_;
  std::vector<ObjectChange> history_;
};

// "BindPod"
[[nodiscard]] std::string NameOf(const model::Command& command);
// What the sender hears of a command that ended like this.
[[nodiscard]] std::optional<model::Event> AnswerTo(const model::Command& command,
                                                   model::WriteOutcome outcome);

}  // namespace gs::scenarios
