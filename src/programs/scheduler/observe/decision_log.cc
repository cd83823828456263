#include "programs/scheduler/observe/decision_log.h"

#include <string>
#include <variant>

#include "base/gpu_ids.h"
#include "core/cycle/event_reasons.h"

namespace gs::scheduler {
namespace {

runtime::Logger About(const runtime::Logger& log, const model::PodRef& pod) {
  return log.With({{"pod", ToString(pod)}, {"uid", pod.uid.text()}});
}

std::string GpusOf(const decide::Placement& placement) {
  return placement.allocation ? PrintGpuIds(placement.allocation->gpus.ids) : "";
}

void LogEnded(const runtime::Logger& log, const cycle::Ended& ended, TimePoint now) {
  const cycle::Launched& launched = ended.launched;
  if (!ended.not_bound) {
    About(log, ended.pod)
        .Info("bound", {{"node", launched.placement.node.text()},
                        {"gpus", GpusOf(launched.placement)},
                        {"waited", PrintDuration(launched.at - launched.wait.since)},
                        {"commit", PrintDuration(now - launched.at)},
                        {"attempts", launched.wait.tries + 1}});
    return;
  }
  About(log, ended.pod)
      .Warning("not bound", {{"node", launched.placement.node.text()},
                             {"gpus", GpusOf(launched.placement)},
                             {"step", ToString(ended.not_bound->step)},
                             {"outcome", ToString(ended.not_bound->outcome)},
                             {"why", ended.not_bound->reason}});
}

// Of the events only those that no other line tells.
void LogEvent(const runtime::Logger& log, const model::RecordEvent& event) {
  if (event.reason == cycle::kScheduled || event.reason == cycle::kFailedScheduling) return;
  const runtime::Logger about = About(log, event.pod);
  if (event.type == model::EventType::kWarning) {
    about.Warning("event", {{"reason", event.reason}, {"message", event.message}});
  } else {
    about.Info("event", {{"reason", event.reason}, {"message", event.message}});
  }
}

void LogCommand(const runtime::Logger& log, const model::Command& command) {
  if (log.IsOn(runtime::LogLevel::kDebug)) log.Debug("command", {{"what", ToString(command)}});
  if (const auto* waits = std::get_if<model::SetUnschedulable>(&command)) {
    About(log, waits->pod)
        .Info("waits",
              {{"reason", ToString(waits->reason.token)}, {"message", waits->reason.message}});
  }
  if (const auto* event = std::get_if<model::RecordEvent>(&command)) LogEvent(log, *event);
}

}  // namespace

void LogRun(const runtime::Logger& log, const cycle::RunNotes& notes,
            const std::vector<model::Command>& commands, TimePoint now) {
  for (const cycle::Ended& ended : notes.ended) LogEnded(log, ended, now);
  for (const model::Command& command : commands) LogCommand(log, command);
}

void LogWrite(const runtime::Logger& log, const WriteEnd& end) {
  if (end.outcome == model::WriteOutcome::kDone) return;
  const runtime::Logger about = end.pod.uid.empty() ? log : About(log, end.pod);
  const runtime::Logger named =
      end.lease.empty() ? about : about.With({{"lease", end.lease.text()}});
  named.Warning("write failed",
                {{"kind", end.kind}, {"outcome", ToString(end.outcome)}, {"why", end.message}});
}

}  // namespace gs::scheduler
