#include "core/cycle/conditions.h"

#include <string>

#include "core/cycle/event_reasons.h"

namespace gs::cycle {
namespace {

// A process before us may have said the same.
bool StandsThere(const model::Pod& pod, const model::Reason& reason) {
  return pod.scheduled.status == model::ConditionStatus::kFalse &&
         pod.scheduled.reason.text() == "Unschedulable" &&
         pod.scheduled.message.text() == ToString(reason);
}

TimePoint SinceWhen(const model::Pod& pod, TimePoint now) {
  const bool is_said =
      pod.scheduled.status == model::ConditionStatus::kFalse && pod.scheduled.since != TimePoint{};
  return is_said ? pod.scheduled.since : now;
}

}  // namespace

bool Conditions::IsDue(const PodUid& pod, model::ReasonToken token, TimePoint now) const {
  const auto said = said_.find(pod);
  return said == said_.end() || said->second.reason.token != token ||
         now - said->second.at >= interval_;
}

std::vector<model::Command> Conditions::Say(const model::Pod& pod, const model::Reason& reason,
                                            TimePoint now) {
  if (!IsDue(pod.ref.uid, reason.token, now)) return {};
  const auto said = said_.find(pod.ref.uid);
  const bool is_known = said != said_.end();
  const bool is_said = is_known ? said->second.reason == reason : StandsThere(pod, reason);
  const TimePoint since = is_known ? said->second.since : SinceWhen(pod, now);
  said_.insert_or_assign(pod.ref.uid, Said{reason, now, since});
  if (is_said) return {};
  return {model::SetUnschedulable{pod.ref, reason, since},
          model::RecordEvent{pod.ref, model::EventType::kWarning, std::string(kFailedScheduling),
                             ToString(reason)}};
}

}  // namespace gs::cycle
