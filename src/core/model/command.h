// Everything the core can ask for. Each command carries what makes it safe to send: the UID and the
// version it was decided on, and the attempt it belongs to, so that its answer finds its way back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/allocation.h"
#include "core/model/claim_status.h"
#include "core/model/event.h"
#include "core/model/fence.h"
#include "core/model/lease.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::model {

// Write into our record of the fence which pods are being committed. Only after InFlightListed of
// this revision, which does not refuse it, may anything be written for a pod that is new on the
// list.
struct ListInFlight {
  std::uint64_t revision = 0;
  std::vector<InFlightPod> in_flight{};
  // What is new on the list goes together with all pods of this view.
  ResourceVersion view{};
  // Every pod that was ever taken off our list and may be bound was seen at this version or before.
  ResourceVersion settled{};
  // What silent releases list and can no longer succeed: to be taken off their lists, but for
  // entries that are not exactly as here, since their releases have written them later.
  std::vector<InFlightPod> dropped{};
  // No Binding of a time before the fence was made anew can succeed any more.
  bool is_settling = false;
  friend bool operator==(const ListInFlight&, const ListInFlight&) = default;
};
// Show who has a GPU that no Lease is there for.
struct CreateLease {
  GpuLease lease;
  AttemptId attempt;
  friend bool operator==(const CreateLease&, const CreateLease&) = default;
};
// Show other holders; only if it is still at lease.resource_version.
struct UpdateLease {
  GpuLease lease;
  AttemptId attempt;
  friend bool operator==(const UpdateLease&, const UpdateLease&) = default;
};
// Only if it is still this object in this version.
struct DeleteLease {
  LeaseName name;
  LeaseUid uid;
  ResourceVersion resource_version;
  AttemptId attempt;
  friend bool operator==(const DeleteLease&, const DeleteLease&) = default;
};
// Bind the pod to allocation.gpus.node and write the result annotations with it. The version is the
// one noted when it was decided, never a newer one.
struct BindPod {
  PodRef pod;
  ResourceVersion resource_version;
  AttemptId attempt;
  Allocation allocation;
  friend bool operator==(const BindPod&, const BindPod&) = default;
};
// Change the pod's fence condition, which outdates every Binding that was sent before. The message
// must be one that was never there, or nothing changes.
struct TouchPod {
  PodRef pod;
  AttemptId attempt;
  std::string message;
  friend bool operator==(const TouchPod&, const TouchPod&) = default;
};
// Ask the API server itself, not a view of it, whether this pod is still there.
struct LookUpPod {
  PodRef pod;
  friend bool operator==(const LookUpPod&, const LookUpPod&) = default;
};
// Ask which version a kind is at, so that a view can be compared with it.
struct AskRevision {
  Kind kind = Kind::kPod;
  friend bool operator==(const AskRevision&, const AskRevision&) = default;
};
// List the kind again now; ViewReached follows.
struct RefreshView {
  Kind kind = Kind::kPod;
  friend bool operator==(const RefreshView&, const RefreshView&) = default;
};
// Say on the pod that it waits, and why, and since when that is so.
struct SetUnschedulable {
  PodRef pod;
  Reason reason;
  TimePoint since{};
  friend bool operator==(const SetUnschedulable&, const SetUnschedulable&) = default;
};

// Write what the claim's status should be, the whole of it. Whoever writes last wins: it is a view.
struct WriteClaimStatus {
  Namespace ns;
  ClaimName name;
  ClaimStatus status;
  friend bool operator==(const WriteClaimStatus&, const WriteClaimStatus&) = default;
};

// Have a volume made for the claim that this node can reach, or let it wait for one that is being
// made; only if the claim is still at that version.
struct SelectNode {
  PodRef pod;  // for which
  AttemptId attempt;
  std::string claim;
  ResourceVersion resource_version;
  NodeName node;
  friend bool operator==(const SelectNode&, const SelectNode&) = default;
};
// Keep this volume for the claim; only if it is still at that version.
struct ReserveVolume {
  PodRef pod;  // for which
  AttemptId attempt;
  std::string claim;
  std::string claim_uid;
  std::string volume;
  ResourceVersion resource_version;
  friend bool operator==(const ReserveVolume&, const ReserveVolume&) = default;
};

enum class EventType : std::uint8_t { kNormal, kWarning };

[[nodiscard]] std::string_view ToString(EventType type);

// A Kubernetes event about the pod; about the node where the pod's name is not known.
struct RecordEvent {
  PodRef pod;
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;
  NodeName node{};
  friend bool operator==(const RecordEvent&, const RecordEvent&) = default;
};

using Command = std::variant<ListInFlight, CreateLease, UpdateLease, DeleteLease, BindPod, TouchPod,
                             LookUpPod, AskRevision, RefreshView, SetUnschedulable,
                             WriteClaimStatus, SelectNode, ReserveVolume, RecordEvent>;

// One line for people.
[[nodiscard]] std::string ToString(const Command& command);

}  // namespace gs::model
