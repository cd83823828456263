// Server: an API server as far as the commit protocol can tell: objects with versions and
// preconditions, and a history that watches read. It does what it is asked at the moment it is
// asked; being late, lost or repeated is the World's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::commit::simulation {

inline const SchedulerName kScheduler{"gpu-scheduler"};
inline const NodeName kNode{"node-a"};

// What a pod wants is in its name, so that there is nothing to keep elsewhere.
enum class Wish : std::uint8_t { kOne, kPair, kShared };
[[nodiscard]] Wish WishOf(const model::Pod& pod);

// The election Lease.
struct Election {
  std::uint64_t uid = 0;
  std::uint64_t version = 0;
  std::string holder;
  std::int64_t transitions = 0;
  std::uint64_t write = 0;                         // counts the holder's writes
  std::optional<std::vector<model::PodRef>> list;  // none: cannot be read
};

// A write to the election Lease: made from the version that was read; none: there was no Lease.
struct ElectionPut {
  std::optional<Election> from;
  Election to;
};

// A change to one object, as a watch tells it.
struct Change {
  std::uint64_t revision = 0;
  model::Event event;
};

class Server {
 public:
  model::WriteOutcome Bind(const model::BindPod& bind);
  model::TouchAnswered Touch(const model::TouchPod& touch);
  model::WriteOutcome Create(const model::CreateLease& create);
  model::WriteOutcome Update(const model::UpdateLease& update);
  model::WriteOutcome Delete(const model::DeleteLease& remove);
  [[nodiscard]] model::WriteOutcome LookUp(const model::PodRef& pod) const;
  model::WriteOutcome Put(const ElectionPut& put);

  // What users, controllers and kubelets do.
  void CreatePod(const std::string& name);
  void DeletePod(const std::string& name);  // first it is only asked to go
  void ForceDeletePod(const std::string& name);
  void FinishPod(const std::string& name);
  void PokePod(const std::string& name);  // somebody writes something into its status
  void DeleteLeaseByHand(const LeaseName& name);
  void DeleteElection();

  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] ResourceVersion version() const;
  [[nodiscard]] const std::map<std::string, model::Pod>& pods() const { return pods_; }
  [[nodiscard]] const std::map<LeaseName, model::GpuLease>& leases() const { return leases_; }
  [[nodiscard]] const std::optional<Election>& election() const { return election_; }
  [[nodiscard]] const std::vector<Change>& pod_history() const { return pod_history_; }
  [[nodiscard]] const std::vector<Change>& lease_history() const { return lease_history_; }

 private:
  [[nodiscard]] model::Pod* Find(const model::PodRef& ref);
  void Store(model::Pod& pod);
  void Store(model::GpuLease lease);
  void Remove(const model::GpuLease& lease);

  std::uint64_t revision_ = 1;
  std::uint64_t uids_ = 0;
  std::map<std::string, model::Pod> pods_;
  std::map<std::string, std::string> fences_;  // the message of each pod's fence condition
  std::map<LeaseName, model::GpuLease> leases_;
  std::optional<Election> election_;
  std::vector<Change> pod_history_;
  std::vector<Change> lease_history_;
};

}  // namespace gs::commit::simulation
