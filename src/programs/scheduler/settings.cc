#include "programs/scheduler/settings.h"

#include <array>
#include <utility>

namespace gs::scheduler {
namespace {

constexpr auto kNumber = SettingForm::kNumber;
constexpr auto kText = SettingForm::kText;

// In the order of --help and of the printed configuration.
constexpr std::array kSettings{
    Setting{"cluster.kubeconfig", "--kubeconfig", "FILE", "",
            "How to reach the cluster (default: the pod's service account, else KUBECONFIG, else "
            "~/.kube/config)"},
    Setting{"cluster.context", "--context", "NAME", "",
            "Context of the kubeconfig (default: the current one)"},
    Setting{"cluster.maxRequests", "--max-requests", "N", "64",
            "Requests to the API server at a time", kNumber},
    Setting{"scheduler.name", "--scheduler-name", "NAME", "gpu-scheduler",
            "Pods with this spec.schedulerName are ours"},
    Setting{"scheduler.namespace", "--namespace", "NAME", "",
            "Namespace of this release, where the Leases that show who has which GPU are written "
            "(default: the namespace of the connection)"},
    Setting{"scheduler.sharedPodsPerGpu", "--shared-pods-per-gpu", "N", "4", "Pods per shared GPU",
            kNumber},
    Setting{"scheduler.releaseTimeout", "--release-timeout", "TIME", "2m",
            "How long GPUs of a force-deleted pod wait for the agent's word"},
    Setting{"scheduler.reserveAfter", "--reserve-after", "TIME", "5m",
            "How long a pod waits for GPUs before a node is reserved for it; 0: none ever is"},
    Setting{
        "webhook.pods", "--webhook-pods", "WHAT", "off",
        "GPU pods that the webhook has not seen: off (are placed all the same), wait, or recreate "
        "(wait, and once it is back, their controllers make them anew)"},
    Setting{"webhook.url", "--webhook-url", "URL", "",
            "Answers 200 while the webhook is there; for --webhook-pods recreate"},
    Setting{"fence.namespace", "--fence-namespace", "NAME", "kube-system",
            "Where the Lease scheduler-fence is: the same for all releases of a cluster"},
    Setting{"fence.clusterRole", "--cluster-role", "NAME", "",
            "ClusterRole of this release, with which its Leases of GPUs are deleted, and with the "
            "last of them the fence"},
    Setting{"election.leaseDuration", "--lease-duration", "TIME", "15s",
            "How long others wait for a silent leader"},
    Setting{"election.renewDeadline", "--renew-deadline", "TIME", "10s",
            "How long a leader leads without renewing"},
    Setting{"election.retryPeriod", "--retry-period", "TIME", "2s", "Between renewals"},
    Setting{"status.listen", "--listen", "ADDRESS:PORT", "0.0.0.0:8080",
            "/health, /ready and /metrics"},
    Setting{"api.listen", "--api-listen", "ADDRESS:PORT", "127.0.0.1:8090",
            "/api/v1: GPUs, pods and claims as JSON; off: nowhere"},
    Setting{"record.file", "--record", "FILE", "",
            "Record every event and decision there: gpu-scheduler replay runs it again"},
    Setting{"record.maxMib", "--record-max-mib", "N", "256", "Where a recording ends", kNumber},
    Setting{"record.keep", "--record-keep", "N", "3",
            "Recordings of earlier lives that are kept: FILE.1 is the youngest", kNumber},
    Setting{"pod.name", "--pod-name", "NAME", "", "Name of the pod this runs in, for people", kText,
            "POD_NAME"},
    Setting{"pod.uid", "--pod-uid", "UID", "", "UID of the pod this runs in (default: made up)",
            kText, "POD_UID"},
    Setting{"log.level", "--log-level", "LEVEL", "info", "debug, info, warning or error"},
    Setting{"log.format", "--log-format", "FORMAT", "text", "text or json"},
};

}  // namespace

std::span<const Setting> AllSettings() { return kSettings; }

WrittenSettings DefaultSettings() {
  WrittenSettings all;
  for (const Setting& setting : kSettings) {
    all[setting.path] = {.setting = &setting,
                         .text = std::string(setting.fallback),
                         .is_default = true,
                         .file = {},
                         .place = {}};
  }
  return all;
}

Error Refuse(const WrittenSetting& written, const Error& error) {
  if (written.file.empty()) return Error(error).Within(std::string(written.setting->flag));
  Error refusal = Error(error.kind(), std::string(written.setting->path) + ": " + error.message())
                      .Advise(error.advice());
  if (written.place) refusal = std::move(refusal).At(*written.place);
  return std::move(refusal).Within(written.file);
}

}  // namespace gs::scheduler
