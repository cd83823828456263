#include "adapters/localcluster/kubelet/simulation.h"

#include "adapters/localcluster/objects/metadata.h"
#include "base/parse.h"
#include "base/quantity.h"

namespace gs::localcluster {

Times Faster(const Times& times, std::int64_t factor) {
  return {.start = times.start / factor,
          .init_run = times.init_run / factor,
          .job_run = times.job_run / factor,
          .first_backoff = times.first_backoff / factor,
          .max_backoff = times.max_backoff / factor,
          .backoff_reset = times.backoff_reset / factor,
          .config_retry = times.config_retry / factor,
          .heartbeat = times.heartbeat / factor};
}

std::optional<Duration> AnnotatedSeconds(const Json& pod, std::string_view name) {
  constexpr std::int64_t kMaxMilli = std::int64_t{1000} * 3600 * 24 * 365;
  const auto seconds = Quantity::Parse(AnnotationOf(pod, name));
  if (!seconds || seconds->MilliValue() < 0 || seconds->MilliValue() > kMaxMilli) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(seconds->MilliValue());
}

int AnnotatedExitCode(const Json& pod) {
  const auto code = ParseInt32(AnnotationOf(pod, kExitCode), {.min = 0, .max = 255});
  return code ? *code : 0;
}

std::optional<Duration> PretendedRun(const Json& pod, ContainerRole role, const Times& times) {
  if (role == ContainerRole::kInit) return times.init_run;
  if (role == ContainerRole::kSidecar) return std::nullopt;
  if (const auto seconds = AnnotatedSeconds(pod, kRunSeconds)) return seconds;
  const Json* controller = ControllerOf(pod);
  if (controller != nullptr && KindOf(*controller) == "Job") return times.job_run;
  return std::nullopt;
}

}  // namespace gs::localcluster
