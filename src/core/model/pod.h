// A pod as the scheduler needs it, and the rule that says which pod of its controller it is.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/shared.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "core/model/labels.h"
#include "core/model/placement_rules.h"
#include "core/model/pod_ties.h"
#include "core/model/rare.h"
#include "core/model/resources.h"

namespace gs::model {

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

[[nodiscard]] std::string_view ToString(PodPhase phase);
[[nodiscard]] std::optional<PodPhase> ParsePodPhase(std::string_view text);

// Enough to address one pod and to notice that a namesake has taken its place.
struct PodRef {
  Namespace ns;
  PodName name;
  PodUid uid;

  friend auto operator<=>(const PodRef&, const PodRef&) = default;
};

// Who owns the pod and would make another one in its place.
struct Controller {
  SharedText kind;
  ControllerUid uid;

  friend bool operator==(const Controller&, const Controller&) = default;
};

enum class ConditionStatus : std::uint8_t { kAbsent, kTrue, kFalse, kUnknown };

[[nodiscard]] std::string_view ToString(ConditionStatus status);
[[nodiscard]] std::optional<ConditionStatus> ParseConditionStatus(std::string_view text);

// The condition PodScheduled as it stands in the cluster: it is written only when it changes.
struct ScheduledCondition {
  ConditionStatus status = ConditionStatus::kAbsent;
  SharedText reason;   // "Unschedulable"; for programs
  SharedText message;  // for people
  TimePoint since{};   // when `status` became what it is; the epoch: nobody says

  friend bool operator==(const ScheduledCondition&, const ScheduledCondition&) = default;
};

struct Pod {
  PodRef ref;
  ResourceVersion resource_version;
  SchedulerName scheduler;
  NodeName node;  // empty: not bound
  PodPhase phase = PodPhase::kPending;
  bool is_terminating = false;  // deletion was asked for; it still holds what it holds
  // Containers have the variable that tells them their GPUs, so the webhook has seen the pod.
  bool has_visible_devices_variable = false;
  // One was running, or had been and may be again, when the status was written. Of a terminal pod:
  // somebody else than its kubelet has declared it so, and the containers may run on.
  bool had_running_container = false;
  std::int32_t priority = 0;
  TimePoint created;
  Shared<Controller> controller;
  Labels labels;
  Labels annotations;  // only those in names.h; the rest is left out when read
  Resources requests;
  // Of a pod that is not bound; nobody asks afterwards, so there are none then.
  Rare<PlacementRules> rules;
  Rare<PodTies> ties;
  NodeName nominated_node;  // status.nominatedNodeName: room is being made for it there
  ScheduledCondition scheduled;

  [[nodiscard]] bool is_bound() const { return !node.empty(); }
  // Will never run again, so it holds nothing.
  [[nodiscard]] bool is_terminal() const {
    return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed;
  }

  friend bool operator==(const Pod&, const Pod&) = default;
};

// The value of that annotation, or nullptr.
[[nodiscard]] const std::string* FindAnnotation(const Pod& pod, std::string_view name);

// The first of these that is a number: the pod-index label, the completion index of its Job, the
// digits behind the last '-' of its name if it belongs to a StatefulSet or to nobody; else 0. Other
// controllers' names end in random letters that may happen to be digits, so they are never asked.
[[nodiscard]] PodIndex PodIndexOf(const Pod& pod);

// "namespace/name"; "pod UID" where the name is not known.
[[nodiscard]] std::string ToString(const PodRef& ref);
std::ostream& operator<<(std::ostream& out, const PodRef& ref);
std::ostream& operator<<(std::ostream& out, const Pod& pod);

}  // namespace gs::model
