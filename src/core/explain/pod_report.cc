#include "core/explain/pod_report.h"

#include <algorithm>

#include "core/model/names.h"

namespace gs::explain {
namespace {

bool IsGated(const model::Pod& pod) {
  return !pod.is_bound() && !pod.is_terminal() && !pod.rules->gates.empty();
}

}  // namespace

std::string_view ToString(PodState state) {
  switch (state) {
    case PodState::kGated: return "gated";
    case PodState::kWaiting: return "waiting";
    case PodState::kInFlight: return "in flight";
    case PodState::kBound: return "bound";
  }
  return "";
}

PodReport ReportPod(const cache::PodRecord& record, const cache::Cache& cache,
                    const pending::Pending& pending) {
  const model::Pod& pod = record.pod;
  const PodUid& uid = pod.ref.uid;
  PodReport report{.pod = pod.ref, .created = pod.created, .node = pod.node};
  if (const auto* claim = FindAnnotation(pod, model::names::kClaim)) {
    report.claim = ClaimName(*claim);
  }
  if (pod.is_bound()) {
    report.state = PodState::kBound;
    if (const auto* allocation = cache.AllocationOf(uid)) report.allocation = *allocation;
    return report;
  }
  if (pending.Has(uid)) report.wait = pending.WaitOf(uid);
  if (const auto* reason = pending.ReasonOf(uid)) report.reason = *reason;
  if (record.assumed) {
    report.state = PodState::kInFlight;
    report.node = record.assumed->node;
    report.allocation = record.assumed->allocation;
  } else if (IsGated(pod)) {
    report.state = PodState::kGated;
  }
  return report;
}

std::vector<PodReport> ReportPods(const cache::Cache& cache, const pending::Pending& pending,
                                  const SchedulerName& scheduler) {
  std::vector<PodReport> reports;
  for (const auto& [uid, record] : cache.pods()) {
    if (record.pod.scheduler != scheduler || record.pod.is_terminal()) continue;
    reports.push_back(ReportPod(record, cache, pending));
  }
  std::sort(reports.begin(), reports.end(),
            [](const PodReport& a, const PodReport& b) { return a.pod < b.pod; });
  return reports;
}

std::size_t CountGated(const cache::Cache& cache, const SchedulerName& scheduler) {
  return static_cast<std::size_t>(
      std::count_if(cache.pods().begin(), cache.pods().end(), [&](const auto& entry) {
        return entry.second.pod.scheduler == scheduler && IsGated(entry.second.pod);
      }));
}

}  // namespace gs::explain
