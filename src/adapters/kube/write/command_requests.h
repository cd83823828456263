// What the core asks for, as requests: one overload per command that writes one object.
//
// A request carries everything that makes the command safe, the UID and the version it was decided
// on, so that it fails instead of hitting something else. Pure functions of their arguments.
#pragma once

#include <optional>

#include "adapters/kube/objects/owner_reference.h"
#include "adapters/kube/write/write_request.h"
#include "base/ids.h"
#include "core/model/command.h"

namespace gs::kube {

// The condition that a touch changes.
inline constexpr std::string_view kFenceCondition = "gpu.scheduling/Fence";

struct CommandContext {
  Namespace ns;                           // of the release, where the Leases of GPUs are
  std::optional<OwnerReference> owner{};  // of these Leases
  // Only a test build that shows what the version in a Binding is good for has anything else.
  bool needs_version_to_bind = true;
};

[[nodiscard]] Result<WriteRequest> RequestOf(const model::CreateLease& command,
                                             const CommandContext& context);
// Requires: the lease has a resourceVersion, without which anything would be overwritten.
[[nodiscard]] Result<WriteRequest> RequestOf(const model::UpdateLease& command,
                                             const CommandContext& context);
[[nodiscard]] Result<WriteRequest> RequestOf(const model::DeleteLease& command,
                                             const CommandContext& context);
// The annotations become the pod's in the same transaction as its node.
[[nodiscard]] Result<WriteRequest> RequestOf(const model::BindPod& command,
                                             const CommandContext& context);
// Merged by the type of the condition, so that the others stay.
[[nodiscard]] Result<WriteRequest> RequestOf(const model::TouchPod& command,
                                             const CommandContext& context);
[[nodiscard]] Result<WriteRequest> RequestOf(const model::SetUnschedulable& command,
                                             const CommandContext& context);
// Both fail on a claim or volume that has changed since it was looked at.
[[nodiscard]] Result<WriteRequest> RequestOf(const model::SelectNode& command,
                                             const CommandContext& context);
[[nodiscard]] Result<WriteRequest> RequestOf(const model::ReserveVolume& command,
                                             const CommandContext& context);
// The whole status: what it does not have any more is removed.
[[nodiscard]] Result<WriteRequest> RequestOf(const model::WriteClaimStatus& command,
                                             const CommandContext& context);

}  // namespace gs::kube
