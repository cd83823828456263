// Replica: one scheduler process: Commit as it is shipped, the simplest decision that can be made
// around it, and its share of the election. It is the caller that commit.h sketches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/commit.h"
#include "core/commit/simulation/server.h"
#include "core/commit/simulation/view_stream.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::commit::simulation {

struct ReplicaSettings {
  std::string name;          // of this process, used once
  int gpus = 1;              // of the one node
  int sharers = 2;           // pods that may share a GPU
  bool minds_leases = true;  // a GPU whose Lease is in view counts as taken
  Rules rules;
};

struct ElectionAnswer {
  ElectionPut put;
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  std::optional<Election> stored;  // with kDone
};

using Sent = std::variant<model::Command, ElectionPut>;

class Replica {
 public:
  explicit Replica(ReplicaSettings settings);

  // What a process does when it wakes up: decide, and say what to send.
  [[nodiscard]] std::vector<Sent> Run(TimePoint now);
  void Apply(const model::Event& event, TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // Tries to take over, whoever leads and however well: the worst case of an election.
  [[nodiscard]] std::optional<ElectionPut> Campaign(const Server& server);
  // Writes the election Lease again, whether there is news or not.
  [[nodiscard]] std::optional<ElectionPut> Renew();
  // The answer to the last write.
  void PutAnswered(const ElectionAnswer& answer, const Server& server, TimePoint now);

  [[nodiscard]] ViewStream& stream(model::Kind kind) {
    return kind == model::Kind::kPod ? pods_ : leases_;
  }
  [[nodiscard]] bool is_leading() const { return election_.has_value(); }
  [[nodiscard]] bool is_lost() const { return is_lost_; }
  [[nodiscard]] const std::string& name() const { return settings_.name; }

 private:
  void Decide(TimePoint now);
  [[nodiscard]] bool MayBeDecided(const model::Pod& pod) const;
  [[nodiscard]] std::optional<Plan> PlanFor(const model::Pod& pod);
  [[nodiscard]] bool HasRoom(GpuId gpu, Wish wish) const;
  [[nodiscard]] model::GpuLease LockFor(GpuId gpu, const Plan& plan) const;
  void Take(const Report& report, TimePoint now);
  void Forget(const PodUid& pod);
  void Won(const Election& election, TimePoint now);
  void Lost(TimePoint now);

  const ReplicaSettings settings_;
  Commit commit_;
  ViewStream pods_{model::Kind::kPod};
  ViewStream leases_{model::Kind::kLease};

  std::map<PodUid, model::Pod> seen_;
  std::map<PodUid, model::Allocation> assumed_;  // being committed, or bound and not seen yet
  std::map<PodUid, TimePoint> not_before_;
  int attempts_ = 0;

  std::optional<Election> election_;  // as last written by us; only of a leader
  bool is_putting_ = false;
  std::optional<model::ListInFlight> wanted_;
  std::uint64_t listed_ = 0;   // the revision that is stored
  std::uint64_t putting_ = 0;  // the one on its way
  std::uint64_t writes_ = 0;
  bool is_lost_ = false;
};

}  // namespace gs::commit::simulation
