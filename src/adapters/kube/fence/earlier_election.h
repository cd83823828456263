// EarlierElection: the Lease by which the version before the fence elected its leaders, one per
// release. Whoever brings a release into the fence first takes this Lease for ever, so that no
// process of that version leads again, and finds there the pods that it may still be binding.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/fence/lease_metadata.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/pod.h"

namespace gs::kube {

struct EarlierElection {
  LeaseMetadata metadata{};
  std::string holder{};  // empty: nobody
  std::int32_t transitions = 0;
  std::chrono::seconds duration{0};
  std::optional<TimePoint> renewed{};  // microseconds

  friend bool operator==(const EarlierElection&, const EarlierElection&) = default;
};

// `scheduler-leader`; a scheduler with a name of its own had an election of its own.
[[nodiscard]] LeaseName EarlierElectionName(const SchedulerName& scheduler);

// The pods that its last leader was committing; nothing if that cannot be read, which is not the
// same as none.
[[nodiscard]] std::optional<std::vector<model::PodRef>> ListOf(const EarlierElection& election);

// Whether its holder has written nothing between the two. A label that somebody edits is no sign of
// life.
[[nodiscard]] bool IsSameTerm(const EarlierElection& a, const EarlierElection& b);

[[nodiscard]] bool IsTombstone(const EarlierElection& election);
// Held by nobody's process, for longer than anybody waits. The list stays as it is, in case whoever
// makes this dies before it has brought the list into the fence.
[[nodiscard]] EarlierElection TombstoneOf(EarlierElection election, TimePoint now);

[[nodiscard]] std::string EncodeEarlierElection(const EarlierElection& election);
[[nodiscard]] Result<EarlierElection> DecodeEarlierElection(std::string_view json);

}  // namespace gs::kube
