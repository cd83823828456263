// ElectionLease: the Lease that says which scheduler process leads, and which pods it is
// committing. It is the fence: whoever takes over does so by writing this object, and finds there
// the pods that the predecessor may still be binding.
//
// A list that cannot be read is "not known" and never "empty": reading it as empty would let an old
// Binding slip through.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/pod.h"

namespace gs::kube {

inline constexpr std::string_view kRoleLabel = "gpu.scheduling/role";
inline constexpr std::string_view kElectionRole = "election";

// One process. The pod's UID alone would not do: a container that is started again has the same.
struct ElectionIdentity {
  PodUid pod;           // spec.holderIdentity
  std::string process;  // random, made anew at every start

  friend auto operator<=>(const ElectionIdentity&, const ElectionIdentity&) = default;
};

// The annotations of a list that cannot be read, exactly as they were found; they are written back
// so that whoever comes next cannot mistake the list for an empty one either.
struct UnreadableList {
  std::optional<std::string> format;
  std::optional<std::string> pods;

  friend bool operator==(const UnreadableList&, const UnreadableList&) = default;
};

using InFlightList = std::variant<std::vector<model::PodRef>, UnreadableList>;

struct ElectionLease {
  Namespace ns;
  LeaseName name;
  LeaseUid uid;                      // empty until the API server has stored it
  ResourceVersion resource_version;  // likewise

  ElectionIdentity holder;  // no pod: nobody holds it
  PodName holder_pod;       // for people
  SchedulerName scheduler;
  Namespace lock_namespace;

  std::int32_t transitions = 0;  // at least 1 once somebody has held it
  std::chrono::seconds duration{0};
  std::optional<TimePoint> acquired;  // microseconds; the holder's wall clock, for people only
  std::optional<TimePoint> renewed;   // likewise
  std::int64_t write = 0;             // counts the holder's writes, so that it knows its own again

  InFlightList in_flight;

  // What others have put on the object. A PUT replaces everything, so it has to say these again.
  std::map<std::string, std::string> other_labels;
  std::map<std::string, std::string> other_annotations;

  [[nodiscard]] bool is_held() const { return !holder.pod.empty(); }

  friend bool operator==(const ElectionLease&, const ElectionLease&) = default;
};

// `scheduler-leader`; a scheduler with a name of its own has an election of its own.
[[nodiscard]] LeaseName ElectionLeaseName(const SchedulerName& scheduler);

// JSON for a create or an update. uid and resourceVersion are written if they are known, as
// preconditions: without the UID, a PUT would make a Lease anew that was deleted.
[[nodiscard]] std::string EncodeElectionLease(const ElectionLease& lease);

// Refuses what is no Lease. A list that is absent is empty on a Lease that nobody ever held, and
// not known on any other.
[[nodiscard]] Result<ElectionLease> DecodeElectionLease(std::string_view json);

}  // namespace gs::kube
