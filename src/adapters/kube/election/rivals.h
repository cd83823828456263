// Rivals: two releases in one cluster that would book the same GPUs or the same pods without
// knowing of each other. Every scheduler shows itself by its election Lease; of two that cannot
// live together, the one whose Lease is in the namespace that sorts later stays not ready and says
// why.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/kube/election/election_lease.h"
#include "base/ids.h"
#include "core/model/event.h"

namespace gs::kube {

// A scheduler as its election Lease shows it.
struct ElectionSeat {
  Namespace ns;  // of the Lease
  SchedulerName scheduler;
  Namespace lock_namespace;
};

// Why the scheduler of `own` must not be ready, with the value to set, given the Leases with
// kRoleLabel of all namespaces, its own among them or not; nothing if it may be. Two rivals that
// both ask, each after its own Lease was written, never both get "nothing".
[[nodiscard]] std::optional<std::string> WhyNotReady(const ElectionSeat& own,
                                                     std::span<const ElectionLease> leases);

// The answer to that check, from the list of all Leases with kRoleLabel as the API server wrote it.
// Nothing is known unless the list has the Lease of `own`: whoever looks before it has shown itself
// may not be seen by the other.
[[nodiscard]] model::ReleasesChecked ReadReleases(std::uint64_t number, const ElectionSeat& own,
                                                  std::string_view list);
// What to ask for to get that list.
[[nodiscard]] std::string ReleasesPath();

}  // namespace gs::kube
