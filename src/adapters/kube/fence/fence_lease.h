// FenceLease: the one Lease of the cluster in which every release says who leads it and which pods
// with which GPUs it is committing. Every change is a compare-and-swap of this object.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/fence/fence_record.h"
#include "adapters/kube/fence/lease_metadata.h"
#include "base/ids.h"
#include "base/result.h"

namespace gs::kube {

inline constexpr std::string_view kFenceName = "scheduler-fence";
inline constexpr std::string_view kDefaultFenceNamespace = "kube-system";
inline constexpr std::string_view kRoleLabel = "gpu.scheduling/role";
inline constexpr std::string_view kFenceRole = "fence";

// What an API server lets the annotations of one object have together.
inline constexpr std::size_t kMaxAnnotationBytes = 256UL * 1024;

struct FenceLease {
  LeaseMetadata metadata{};  // labels and annotations: those of others

  // By RecordKey. A record that cannot be read is here as its text, and nowhere else.
  std::map<std::string, ReleaseRecord> records{};
  std::map<std::string, std::string> unreadable{};

  // The mark: nobody knows what was in flight when the fence was made or became incomplete. No two
  // marks are alike, so that whoever has dealt with one does not remove another.
  std::optional<std::string> unsettled{};

  friend bool operator==(const FenceLease&, const FenceLease&) = default;
};

// nullptr: it has none, or one that cannot be read.
[[nodiscard]] const ReleaseRecord* FindRecord(const FenceLease& fence,
                                              const SchedulerName& scheduler);

// The annotations as the API server counts them.
[[nodiscard]] std::size_t AnnotationBytes(const FenceLease& fence);

// JSON for a create or an update.
[[nodiscard]] std::string EncodeFenceLease(const FenceLease& fence);

// Refuses what is no Lease. A fence that has another number of records than it says, because
// somebody removed one or all of them, is unsettled.
[[nodiscard]] Result<FenceLease> DecodeFenceLease(std::string_view json);

}  // namespace gs::kube
