// What a process asks of the API server for the fence, and what comes back.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "adapters/kube/fence/earlier_steps.h"
#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/objects/owner_reference.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/model/event.h"

namespace gs::kube {

// Who we are, and which fence we stand in.
struct FenceSelf {
  FenceIdentity identity;
  PodName pod;
  SchedulerName scheduler;
  Namespace release_namespace;
  Namespace fence_namespace;
  std::optional<OwnerReference> owner{};  // of the release: with the last of them the fence goes
};

struct ReadFence {};
struct CreateFence {
  FenceLease fence;
};
struct PutFence {
  FenceLease fence;
};
using FenceRequest = std::variant<ReadFence, CreateFence, PutFence, EarlierRequest>;

struct FenceAnswer {
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  // With kDone: as it is stored, unless it cannot be read; the one that was asked for.
  std::optional<FenceLease> fence{};
  std::optional<EarlierElection> earlier{};
  std::string reason{};                   // for people, where it is not kDone
  std::optional<Duration> retry_after{};  // the server asks to wait that long
};

}  // namespace gs::kube
