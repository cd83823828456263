// ReleaseRecord: what one release says in the fence, and its text there: one annotation per
// release, compact JSON with a format number.
//
// A record that cannot be read is kept as its text and never taken for an empty one: reading it as
// empty would let an old Binding slip through.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/fence.h"
#include "core/model/pod.h"

namespace gs::kube {

// One process. The pod's UID alone would not do: a container that is started again has the same.
struct FenceIdentity {
  PodUid pod;
  std::string process;  // random, made anew at every start

  friend auto operator<=>(const FenceIdentity&, const FenceIdentity&) = default;
};

struct ReleaseRecord {
  SchedulerName scheduler;  // a release is one schedulerName
  Namespace ns;             // of the release: tells two of one name apart

  FenceIdentity holder;  // no pod: nobody leads
  PodName holder_pod;    // for people
  std::int64_t transitions = 0;
  std::chrono::seconds duration{0};
  std::optional<TimePoint> acquired{};  // microseconds; the holder's wall clock, for people only
  std::optional<TimePoint> renewed{};   // likewise
  std::int64_t write = 0;  // counts the holder's writes, so that it knows its own again

  std::vector<model::InFlightPod> in_flight{};
  // Every pod that was taken off the list and may be bound was bound at this version or before.
  ResourceVersion settled{};

  // What a version without this fence may still be binding, until a leader has dealt with it.
  std::vector<model::PodRef> unresolved{};
  bool is_list_lost = false;  // any pod, since nobody knows its list

  [[nodiscard]] bool is_held() const { return !holder.pod.empty(); }

  friend bool operator==(const ReleaseRecord&, const ReleaseRecord&) = default;
};

// "gpu.scheduling/release-<hash of the scheduler's name>"
[[nodiscard]] std::string RecordKey(const SchedulerName& scheduler);
// Whether the annotation is a record, or says so.
[[nodiscard]] bool IsRecordKey(std::string_view annotation);

[[nodiscard]] std::string PrintRecord(const ReleaseRecord& record);
// How much longer a record gets by this entry.
[[nodiscard]] std::size_t PrintedSize(const model::InFlightPod& in_flight);
// Nothing where the text is damaged, has another format or a field that this version does not know.
[[nodiscard]] std::optional<ReleaseRecord> ParseRecord(std::string_view text);

}  // namespace gs::kube
