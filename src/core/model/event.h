// Everything the core can be told: what was seen in the cluster, and how the writes it asked for
// ended. Plain values, so that a stream of them can be recorded and replayed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/claim.h"
#include "core/model/device.h"
#include "core/model/fence.h"
#include "core/model/labels.h"
#include "core/model/lease.h"
#include "core/model/node.h"
#include "core/model/node_report.h"
#include "core/model/pod.h"
#include "core/model/storage.h"

namespace gs::model {

// Seen: new or changed, in full. Gone: deleted, as a fact and not merely absent from a view.
struct PodSeen {
  Pod pod;
  friend bool operator==(const PodSeen&, const PodSeen&) = default;
};
struct PodGone {
  PodRef pod;
  ResourceVersion resource_version{};  // from which on it is known to be gone
  friend bool operator==(const PodGone&, const PodGone&) = default;
};
struct NodeSeen {
  Node node;
  friend bool operator==(const NodeSeen&, const NodeSeen&) = default;
};
struct NodeGone {
  NodeName node;
  friend bool operator==(const NodeGone&, const NodeGone&) = default;
};
struct ClaimSeen {
  Claim claim;
  friend bool operator==(const ClaimSeen&, const ClaimSeen&) = default;
};
struct ClaimGone {
  Namespace ns;
  ClaimName name;
  friend bool operator==(const ClaimGone&, const ClaimGone&) = default;
};
struct LeaseSeen {
  GpuLease lease;
  friend bool operator==(const LeaseSeen&, const LeaseSeen&) = default;
};
struct LeaseGone {
  LeaseName name;
  LeaseUid uid;
  friend bool operator==(const LeaseGone&, const LeaseGone&) = default;
};

// What the agent of a node reports about its GPUs, apart from the node: either may come first.
struct MachineSeen {
  NodeName node;
  Machine machine;
  ResourceVersion resource_version{};
  NodeUid owner{};         // of the node it was written for; empty: it does not say
  std::string reporter{};  // the agent that writes it; empty: it does not say
  ReportNotes notes{};
  friend bool operator==(const MachineSeen&, const MachineSeen&) = default;
};
struct MachineGone {
  NodeName node;
  ResourceVersion resource_version{};  // from which on nobody reports
  friend bool operator==(const MachineGone&, const MachineGone&) = default;
};

// Labels of a namespace, by which pod affinity may choose it.
struct NamespaceSeen {
  Namespace ns;
  Labels labels;
  friend bool operator==(const NamespaceSeen&, const NamespaceSeen&) = default;
};
struct NamespaceGone {
  Namespace ns;
  friend bool operator==(const NamespaceGone&, const NamespaceGone&) = default;
};

struct StorageSeen {
  StorageObject object;
  friend bool operator==(const StorageSeen&, const StorageSeen&) = default;
};

enum class Kind : std::uint8_t {
  kPod,
  kNode,
  kClaim,
  kLease,
  kMachine,
  kNamespace,
  kVolumeClaim,
  kVolume,
  kStorageClass,
  kNodeDrivers,
  kStorageDriver,
  kStorageCapacity,
  kVolumeAttachment,
};
inline constexpr std::array kAllKinds{Kind::kPod,
                                      Kind::kNode,
                                      Kind::kClaim,
                                      Kind::kLease,
                                      Kind::kMachine,
                                      Kind::kNamespace,
                                      Kind::kVolumeClaim,
                                      Kind::kVolume,
                                      Kind::kStorageClass,
                                      Kind::kNodeDrivers,
                                      Kind::kStorageDriver,
                                      Kind::kStorageCapacity,
                                      Kind::kVolumeAttachment};

[[nodiscard]] std::string_view ToString(Kind kind);

struct StorageGone {
  Kind kind = Kind::kVolume;
  Namespace ns{};  // of claims and capacities
  std::string name;
  friend bool operator==(const StorageGone&, const StorageGone&) = default;
};

// All that happened to this kind up to this version has been told. The first one says that the view
// of the kind is complete.
struct ViewReached {
  Kind kind = Kind::kPod;
  ResourceVersion resource_version;
  bool is_list = false;  // it was listed: what came and went since it was told last was never told
  friend bool operator==(const ViewReached&, const ViewReached&) = default;
};
// The cluster does not know this kind now, so there are none; they may come later.
struct KindMissing {
  Kind kind = Kind::kClaim;
  friend bool operator==(const KindMissing&, const KindMissing&) = default;
};

// A kind's version at the moment somebody asked, as all replicas of the API server agree on it.
struct RevisionAnswered {
  Kind kind = Kind::kPod;
  ResourceVersion resource_version;  // empty: no answer
  friend bool operator==(const RevisionAnswered&, const RevisionAnswered&) = default;
};

// From now on this process decides for its release. What its predecessors may still be binding:
// `inherited`, with the GPUs; `unresolved`, pods that a version without this fence was binding to
// GPUs it did not list; and, unless `is_list_known`, any pod at all, because the fence had to be
// made anew.
struct LeadershipWon {
  std::int64_t transitions = 0;
  bool is_list_known = true;
  std::vector<PodRef> unresolved{};
  std::vector<InFlightPod> inherited{};
  ResourceVersion settled{};  // all else that the release has bound is at this version or before
  friend bool operator==(const LeadershipWon&, const LeadershipWon&) = default;
};
// This process must not write any more.
struct LeadershipLost {
  std::string reason;
  friend bool operator==(const LeadershipLost&, const LeadershipLost&) = default;
};
// The fence holds the list of that revision, or a later one, but for `refused`: another release is
// committing a pod that clashes with it.
struct InFlightListed {
  std::uint64_t revision = 0;
  std::vector<PodUid> refused{};
  friend bool operator==(const InFlightListed&, const InFlightListed&) = default;
};
// What the other releases say in the fence. Only told when it is news.
struct FenceSeen {
  struct Other {
    InFlightPod in_flight;
    bool is_silent = false;     // its release has not been heard of for so long that it may be gone
    SchedulerName scheduler{};  // whose release it is
    friend bool operator==(const Other&, const Other&) = default;
  };
  std::vector<Other> others{};
  ResourceVersion settled{};  // all else that they have bound is at this version or before
  friend bool operator==(const FenceSeen&, const FenceSeen&) = default;
};
// What keeps this process from leading, or from following in case the leader fails; empty: nothing.
struct FenceStanding {
  std::string why_not;
  friend bool operator==(const FenceStanding&, const FenceStanding&) = default;
};

// How a write ended.
enum class WriteOutcome : std::uint8_t {
  kDone,
  kAlreadyExists,  // a create met an object of that name
  kConflict,       // a precondition no longer holds
  kNotFound,       // the object is gone, or another has its name
  kNotExecuted,    // turned away before anything happened; may be tried again
  kRefused,        // the API server will never accept it
  kUnknown,        // no answer, or one that does not say: it may still take effect
};

[[nodiscard]] std::string_view ToString(WriteOutcome outcome);

struct LeaseAnswered {
  LeaseName lease;
  AttemptId attempt;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  friend bool operator==(const LeaseAnswered&, const LeaseAnswered&) = default;
};
struct BindAnswered {
  PodUid pod;
  AttemptId attempt;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  friend bool operator==(const BindAnswered&, const BindAnswered&) = default;
};
// With kDone, `node` is where the pod is bound, empty if nowhere; no Binding sent before can change
// that any more.
struct TouchAnswered {
  PodUid pod;
  AttemptId attempt;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  NodeName node;
  ResourceVersion resource_version;
  std::optional<Duration> retry_after{};  // the API server asks to wait that long
  friend bool operator==(const TouchAnswered&, const TouchAnswered&) = default;
};

// With kDone, `pod` is there now; with kNotFound, nothing of that name is, or another pod that has
// taken the name: the one that was asked for is gone for good. Anything else says nothing.
struct PodLookedUp {
  PodRef pod;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  friend bool operator==(const PodLookedUp&, const PodLookedUp&) = default;
};

// With kDone, `resource_version` is the claim's with that status; empty if the answer does not say.
struct ClaimStatusAnswered {
  Namespace ns;
  ClaimName name;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  ResourceVersion resource_version{};
  friend bool operator==(const ClaimStatusAnswered&, const ClaimStatusAnswered&) = default;
};

// How a write for a claim's volume ended. With kDone, `resource_version` is the object's.
struct StorageAnswered {
  AttemptId attempt;
  Namespace ns;
  std::string claim;
  WriteOutcome outcome = WriteOutcome::kUnknown;
  ResourceVersion resource_version{};
  friend bool operator==(const StorageAnswered&, const StorageAnswered&) = default;
};

using Event =
    std::variant<PodSeen, PodGone, NodeSeen, NodeGone, ClaimSeen, ClaimGone, LeaseSeen, LeaseGone,
                 MachineSeen, MachineGone, NamespaceSeen, NamespaceGone, StorageSeen, StorageGone,
                 ViewReached, KindMissing, RevisionAnswered, LeadershipWon, LeadershipLost,
                 InFlightListed, LeaseAnswered, BindAnswered, TouchAnswered, PodLookedUp,
                 ClaimStatusAnswered, StorageAnswered, FenceSeen, FenceStanding>;

// One line for people.
[[nodiscard]] std::string ToString(const Event& event);

}  // namespace gs::model
