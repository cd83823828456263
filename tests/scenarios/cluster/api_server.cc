#include "tests/scenarios/cluster/api_server.h"

#include <variant>

#include "core/model/allocation.h"

namespace gs::scenarios {

using model::GpuLease;
using model::Kind;
using model::Pod;
using model::WriteOutcome;

namespace {

using Answer = std::optional<model::Event>;

// Answers without content.
class Answerer {
 public:
  explicit Answerer(WriteOutcome outcome) : outcome_(outcome) {}

  Answer operator()(const model::CreateLease& create) const { return Lease(create.lease, create); }
  Answer operator()(const model::UpdateLease& update) const { return Lease(update.lease, update); }
  Answer operator()(const model::DeleteLease& remove) const {
    return model::LeaseAnswered{remove.name, remove.attempt, outcome_};
  }
  Answer operator()(const model::BindPod& bind) const {
    return model::BindAnswered{bind.pod.uid, bind.attempt, outcome_};
  }
  Answer operator()(const model::TouchPod& touch) const {
    return model::TouchAnswered{touch.pod.uid, touch.attempt, outcome_, {}, {}};
  }
  Answer operator()(const model::LookUpPod& look) const {
    return model::PodLookedUp{look.pod, outcome_};
  }
  Answer operator()(const model::AskRevision& ask) const {
    return model::RevisionAnswered{ask.kind, {}};
  }
  Answer operator()(const model::WriteClaimStatus& write) const {
    return model::ClaimStatusAnswered{write.ns, write.name, outcome_};
  }
  Answer operator()(const model::SelectNode& select) const { return Storage(select); }
  Answer operator()(const model::ReserveVolume& reserve) const { return Storage(reserve); }
  template <class Other>
  Answer operator()(const Other& /*command*/) const {
    return std::nullopt;
  }

 private:
  template <class Command>
  [[nodiscard]] Answer Lease(const GpuLease& lease, const Command& command) const {
    return model::LeaseAnswered{lease.name, command.attempt, outcome_};
  }

  template <class Command>
  [[nodiscard]] Answer Storage(const Command& command) const {
    return model::StorageAnswered{command.attempt, command.pod.ns, command.claim, outcome_, {}};
  }

  WriteOutcome outcome_;
};

}  // namespace

std::string NameOf(const model::Command& command) {
  struct Namer {
    std::string operator()(const model::ListInFlight&) const { return "ListInFlight"; }
    std::string operator()(const model::CreateLease&) const { return "CreateLease"; }
    std::string operator()(const model::UpdateLease&) const { return "UpdateLease"; }
    std::string operator()(const model::DeleteLease&) const { return "DeleteLease"; }
    std::string operator()(const model::BindPod&) const { return "BindPod"; }
    std::string operator()(const model::TouchPod&) const { return "TouchPod"; }
    std::string operator()(const model::LookUpPod&) const { return "LookUpPod"; }
    std::string operator()(const model::AskRevision&) const { return "AskRevision"; }
    std::string operator()(const model::RefreshView&) const { return "RefreshView"; }
    std::string operator()(const model::SetUnschedulable&) const { return "SetUnschedulable"; }
    std::string operator()(const model::WriteClaimStatus&) const { return "WriteClaimStatus"; }
    std::string operator()(const model::SelectNode&) const { return "SelectNode"; }
    std::string operator()(const model::ReserveVolume&) const { return "ReserveVolume"; }
    std::string operator()(const model::RecordEvent&) const { return "RecordEvent"; }
  };
  return std::visit(Namer(), command);
}

std::optional<model::Event> AnswerTo(const model::Command& command, WriteOutcome outcome) {
  return std::visit(Answerer(outcome), command);
}

ResourceVersion ApiServer::version() const { return ResourceVersion(std::to_string(revision_)); }

void ApiServer::Tell(Kind kind, model::Event event) {
  history_.push_back({kind, std::move(event), version()});
}

void ApiServer::Store(Pod& pod) {
  ++revision_;
  pod.resource_version = version();
  Tell(Kind::kPod, model::PodSeen{pod});
}

void ApiServer::Store(model::Claim& claim) {
  ++revision_;
  claim.resource_version = version();
  Tell(Kind::kClaim, model::ClaimSeen{claim});
}

void ApiServer::Put(Pod pod) {
  const PodKey key(pod.ref.ns, pod.ref.name);
  const auto known = pods_.find(key);
  pod.ref.uid = known != pods_.end()
                    ? known->second.ref.uid
                    : PodUid("uid-" + pod.ref.name.text() + "-" + std::to_string(++uids_));
  Store(pods_.insert_or_assign(key, std::move(pod)).first->second);
}

void ApiServer::Put(model::Node node) {
  ++revision_;
  Tell(Kind::kNode, model::NodeSeen{node});
  NodeName name = node.name;
  nodes_.insert_or_assign(std::move(name), std::move(node));
}

void ApiServer::Put(model::Claim claim) {
  ClaimKey key(claim.ns, claim.name);
  const auto known = claims_.find(key);
  if (known != claims_.end()) claim.status = known->second.status;
  Store(claims_.insert_or_assign(std::move(key), std::move(claim)).first->second);
}

void ApiServer::PutNamespace(const Namespace& ns, const model::Labels& labels) {
  ++revision_;
  namespaces_.insert_or_assign(ns, labels);
  Tell(Kind::kNamespace, model::NamespaceSeen{ns, labels});
}

void ApiServer::RemoveNamespace(const Namespace& ns) {
  if (namespaces_.erase(ns) == 0) return;
  ++revision_;
  Tell(Kind::kNamespace, model::NamespaceGone{ns});
}

void ApiServer::PutMachine(const NodeName& node, const model::Machine& machine) {
  ++revision_;
  machines_.insert_or_assign(node, machine);
  machine_versions_.insert_or_assign(node, version());
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) machine_owners_.insert_or_assign(node, known->second.uid);
  Tell(Kind::kMachine, MachineOf(node));
}

model::MachineSeen ApiServer::MachineOf(const NodeName& node) const {
  const auto owner = machine_owners_.find(node);
  return {node, machines_.at(node), machine_versions_.at(node),
          owner == machine_owners_.end() ? NodeUid() : owner->second};
}

void ApiServer::RemovePod(const PodKey& pod) {
  const auto known = pods_.find(pod);
  if (known == pods_.end()) return;
  ++revision_;
  Tell(Kind::kPod, model::PodGone{known->second.ref, version()});
  fences_.erase(known->second.ref.uid);
  pods_.erase(known);
}

void ApiServer::RemoveNode(const NodeName& node) {
  if (nodes_.erase(node) == 0) return;
  ++revision_;
  Tell(Kind::kNode, model::NodeGone{node});
}

void ApiServer::RemoveClaim(const Namespace& ns, const ClaimName& claim) {
  if (claims_.erase({ns, claim}) == 0) return;
  ++revision_;
  Tell(Kind::kClaim, model::ClaimGone{ns, claim});
}

void ApiServer::RemoveMachine(const NodeName& node) {
  if (machines_.erase(node) == 0) return;
  ++revision_;
  Tell(Kind::kMachine, model::MachineGone{node});
}

void ApiServer::RemoveLease(const LeaseName& lease) {
  const auto known = leases_.find(lease);
  if (known == leases_.end()) return;
  ++revision_;
  Tell(Kind::kLease, model::LeaseGone{lease, known->second.uid});
  leases_.erase(known);
}

std::vector<model::Event> ApiServer::List() const {
  std::vector<model::Event> events;
  events.reserve(pods_.size());
  for (const auto& [key, pod] : pods_) events.emplace_back(model::PodSeen{pod});
  for (const auto& [name, node] : nodes_) events.emplace_back(model::NodeSeen{node});
  for (const auto& [key, claim] : claims_) events.emplace_back(model::ClaimSeen{claim});
  for (const auto& [name, lease] : leases_) events.emplace_back(model::LeaseSeen{lease});
  for (const auto& [ns, labels] : namespaces_) {
    events.emplace_back(model::NamespaceSeen{ns, labels});
  }
  for (const auto& [node, machine] : machines_) events.emplace_back(MachineOf(node));
  for (const auto& [key, object] : storage_) events.emplace_back(model::StorageSeen{object});
  return events;
}

const Pod* ApiServer::FindPod(const PodKey& pod) const {
  const auto known = pods_.find(pod);
  return known == pods_.end() ? nullptr : &known->second;
}

Pod* ApiServer::Find(const model::PodRef& ref) {
  const auto known = pods_.find({ref.ns, ref.name});
  return known == pods_.end() || known->second.ref.uid != ref.uid ? nullptr : &known->second;
}

class ApiServer::Executor {
 public:
  Executor(ApiServer& api, const std::string& sender, TimePoint now)
      : api_(api), sender_(sender), now_(now) {}

  Answer operator()(const model::ListInFlight& list) {
    ++api_.revision_;
    return api_.fence_.List(list, sender_);
  }
  Answer operator()(const model::CreateLease& create) {
    if (api_.leases_.contains(create.lease.name)) return End(create, WriteOutcome::kAlreadyExists);
    GpuLease lease = create.lease;
    lease.uid = LeaseUid("lease-" + std::to_string(++api_.uids_));
    return Save(std::move(lease), create);
  }
  Answer operator()(const model::UpdateLease& update) {
    const auto outcome =
        Precondition(update.lease.name, update.lease.uid, update.lease.resource_version);
    return outcome == WriteOutcome::kDone ? Save(update.lease, update) : End(update, outcome);
  }
  Answer operator()(const model::DeleteLease& remove) {
    const auto outcome = Precondition(remove.name, remove.uid, remove.resource_version);
    if (outcome == WriteOutcome::kDone) api_.RemoveLease(remove.name);
    return End(remove, outcome);
  }
  Answer operator()(const model::BindPod& bind) {
    Pod* pod = api_.Find(bind.pod);
    if (pod == nullptr) return End(bind, WriteOutcome::kNotFound);
    const bool is_outdated =
        !api_.ignores_versions_ && bind.resource_version != pod->resource_version;
    if (is_outdated || pod->is_bound() || pod->is_terminating) {
      return End(bind, WriteOutcome::kConflict);
    }
    pod->node = bind.allocation.gpus.node;
    pod->rules = {};
    pod->scheduled = {
        .status = model::ConditionStatus::kTrue, .reason = {}, .message = {}, .since = now_};
    for (const auto& [name, text] : model::ResultAnnotations(bind.allocation)) {
      pod->annotations.Set(name, text);
    }
    api_.Store(*pod);
    return End(bind, WriteOutcome::kDone);
  }
  Answer operator()(const model::TouchPod& touch) {
    Pod* pod = api_.Find(touch.pod);
    if (pod == nullptr) return End(touch, WriteOutcome::kNotFound);
    // A patch that changes nothing is not stored.
    std::string& fence = api_.fences_[touch.pod.uid];
    if (std::exchange(fence, touch.message) != touch.message) api_.Store(*pod);
    return model::TouchAnswered{touch.pod.uid, touch.attempt, WriteOutcome::kDone, pod->node,
                                pod->resource_version};
  }
  Answer operator()(const model::LookUpPod& look) {
    const bool is_there = api_.Find(look.pod) != nullptr;
    return End(look, is_there ? WriteOutcome::kDone : WriteOutcome::kNotFound);
  }
  Answer operator()(const model::AskRevision& ask) {
    return model::RevisionAnswered{ask.kind, api_.version()};
  }
  Answer operator()(const model::RefreshView& /*refresh*/) { return std::nullopt; }
  Answer operator()(const model::SetUnschedulable& set) {
    Pod* pod = api_.Find(set.pod);
    if (pod == nullptr || pod->is_bound()) return std::nullopt;
    const model::ScheduledCondition condition{.status = model::ConditionStatus::kFalse,
                                              .reason = "Unschedulable",
                                              .message = ToString(set.reason),
                                              .since = set.since};
    if (std::exchange(pod->scheduled, condition) != condition) api_.Store(*pod);
    return std::nullopt;
  }
  Answer operator()(const model::WriteClaimStatus& write) {
    const auto claim = api_.claims_.find({write.ns, write.name});
    if (claim == api_.claims_.end()) return End(write, WriteOutcome::kNotFound);
    if (std::exchange(claim->second.status, write.status) != write.status) {
      api_.Store(claim->second);
    }
    return model::ClaimStatusAnswered{write.ns, write.name, WriteOutcome::kDone,
                                      claim->second.resource_version};
  }
  Answer operator()(const model::SelectNode& select) { return api_.Select(select); }
  Answer operator()(const model::ReserveVolume& reserve) { return api_.Reserve(reserve); }
  Answer operator()(const model::RecordEvent& /*record*/) { return std::nullopt; }

 private:
  [[nodiscard]] static Answer End(const model::Command& command, WriteOutcome outcome) {
    return AnswerTo(command, outcome);
  }
  [[nodiscard]] WriteOutcome Precondition(const LeaseName& name, const LeaseUid& uid,
                                          const ResourceVersion& version) const {
    const auto lease = api_.leases_.find(name);
    if (lease == api_.leases_.end()) return WriteOutcome::kNotFound;
    const bool is_same = lease->second.uid == uid && lease->second.resource_version == version;
    return is_same ? WriteOutcome::kDone : WriteOutcome::kConflict;
  }
  Answer Save(GpuLease lease, const model::Command& command) {
    ++api_.revision_;
    lease.resource_version = api_.version();
    api_.Tell(Kind::kLease, model::LeaseSeen{lease});
    LeaseName name = lease.name;
    api_.leases_.insert_or_assign(std::move(name), std::move(lease));
    return End(command, WriteOutcome::kDone);
  }

  ApiServer& api_;
  const std::string& sender_;
  const TimePoint now_;
};

std::optional<model::Event> ApiServer::Execute(const model::Command& command,
                                               const std::string& sender, TimePoint now) {
  return std::visit(Executor(*this, sender, now), command);
}

}  // namespace gs::scenarios
