// WriteEnd: how a write to the API server ended, for whoever counts and logs.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::scheduler {

struct WriteEnd {
  std::string_view kind;  // one of kWriteKinds
  model::PodRef pod{};    // empty: about no pod
  LeaseName lease{};      // likewise
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  std::string message{};  // what the API server said, if it failed
  Duration took{0};
};

inline constexpr std::array<std::string_view, 9> kWriteKinds{
    "create_lease", "update_lease", "delete_lease", "bind",          "touch",
    "condition",    "claim_status", "select_node",  "reserve_volume"};

// Kind and whom it is about.
[[nodiscard]] inline WriteEnd AboutWrite(const model::CreateLease& command) {
  return {.kind = kWriteKinds[0],
          .pod = command.lease.holders.empty() ? model::PodRef() : command.lease.holders.back().pod,
          .lease = command.lease.name};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::UpdateLease& command) {
  return {.kind = kWriteKinds[1], .lease = command.lease.name};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::DeleteLease& command) {
  return {.kind = kWriteKinds[2], .lease = command.name};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::BindPod& command) {
  return {.kind = kWriteKinds[3], .pod = command.pod};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::TouchPod& command) {
  return {.kind = kWriteKinds[4], .pod = command.pod};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::SetUnschedulable& command) {
  return {.kind = kWriteKinds[5], .pod = command.pod};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::WriteClaimStatus& /*command*/) {
  return {.kind = kWriteKinds[6]};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::SelectNode& command) {
  return {.kind = kWriteKinds[7], .pod = command.pod};
}
[[nodiscard]] inline WriteEnd AboutWrite(const model::ReserveVolume& command) {
  return {.kind = kWriteKinds[8], .pod = command.pod};
}

}  // namespace gs::scheduler
