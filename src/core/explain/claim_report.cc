#include "core/explain/claim_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/model/names.h"

namespace gs::explain {
namespace {

using ClaimKey = std::pair<Namespace, ClaimName>;

bool IsWaiting(const model::Pod& pod) { return !pod.is_bound() && !pod.is_terminal(); }

void Count(const cache::PodRecord& record, const cache::Cache& cache,
           std::map<ClaimKey, ClaimReport>& reports) {
  const model::Pod& pod = record.pod;
  const auto report_of = [&](const ClaimName& claim) {
    const auto found = reports.find({pod.ref.ns, claim});
    return found == reports.end() ? nullptr : &found->second;
  };
  const std::string* named = FindAnnotation(pod, model::names::kClaim);
  if (named != nullptr && IsWaiting(pod)) {
    if (ClaimReport* report = report_of(ClaimName(*named))) ++report->waiting;
  }
  const model::Allocation* held = cache.AllocationOf(pod.ref.uid);
  if (held == nullptr || held->claim.empty() || pod.is_terminal()) return;
  if (ClaimReport* report = report_of(held->claim)) report->holders.push_back({pod.ref, *held});
}

}  // namespace

std::vector<ClaimReport> ReportClaims(const cache::Cache& cache) {
  std::map<ClaimKey, ClaimReport> by_key;
  for (const auto& [key, claim] : cache.claims()) by_key[key].claim = claim;
  for (const auto& [uid, record] : cache.pods()) Count(record, cache, by_key);
  std::vector<ClaimReport> reports;
  for (auto& [key, report] : by_key) {
    std::sort(report.holders.begin(), report.holders.end(),
              [](const ClaimHolder& a, const ClaimHolder& b) { return a.pod < b.pod; });
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace gs::explain
