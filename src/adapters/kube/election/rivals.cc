#include "adapters/kube/election/rivals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/http/url.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"

namespace gs::kube {
namespace {

// A Lease that nobody has written to lies where its release keeps its locks.
Namespace LockNamespaceOf(const ElectionLease& lease) {
  return lease.lock_namespace.empty() ? lease.ns : lease.lock_namespace;
}

// Likewise its name tells which scheduler it is for.
bool IsFor(const ElectionLease& lease, const SchedulerName& scheduler) {
  if (lease.scheduler.empty()) return lease.name == ElectionLeaseName(scheduler);
  return lease.scheduler == scheduler;
}

std::string Describe(const ElectionLease& lease) {
  return "another release (Lease " + lease.name.text() + " in namespace " + lease.ns.text() + ")";
}

std::string WithSameName(const ElectionSeat& own, const ElectionLease& rival) {
  return Describe(rival) + " also schedules the pods of schedulerName " + own.scheduler.text() +
         "; set scheduler.name to another name here";
}

std::string WithOtherLocks(const ElectionSeat& own, const ElectionLease& rival) {
  const std::string theirs = LockNamespaceOf(rival).text();
  return Describe(rival) + " keeps its GPU locks in namespace " + theirs + ", this one in " +
         own.lock_namespace.text() +
         ", so one GPU could be given away twice; set locks.namespace to " + theirs + " here";
}

constexpr std::string_view kIfGone = ". If that release is gone, delete its Lease.";

// A Lease without an annotation is for the scheduler that its name says, if that is ours.
SchedulerName NeighbourIn(const ElectionLease& lease, const ElectionSeat& own) {
  if (LockNamespaceOf(lease) != own.lock_namespace || IsFor(lease, own.scheduler)) return {};
  return lease.scheduler;
}

Result<std::vector<ElectionLease>> ReadLeases(std::string_view list) {
  const auto page = ParseListPage(list);
  if (!page) return page.error();
  std::vector<ElectionLease> leases;
  for (const std::string_view item : page->items) {
    auto lease = DecodeElectionLease(item);
    if (!lease) return std::move(lease).error();
    leases.push_back(*std::move(lease));
  }
  return leases;
}

}  // namespace

std::optional<std::string> WhyNotReady(const ElectionSeat& own,
                                       std::span<const ElectionLease> leases) {
  for (const ElectionLease& lease : leases) {
    if (lease.ns >= own.ns) continue;
    const bool has_same_name = IsFor(lease, own.scheduler);
    const bool has_other_locks = LockNamespaceOf(lease) != own.lock_namespace;
    if (!has_same_name && !has_other_locks) continue;
    std::string reason = has_other_locks ? WithOtherLocks(own, lease) : WithSameName(own, lease);
    if (has_same_name && has_other_locks) {
      reason +=
          ", and scheduler.name to another name, since both schedule the pods of "
          "schedulerName " +
          own.scheduler.text();
    }
    return reason + std::string(kIfGone);
  }
  return std::nullopt;
}

model::ReleasesChecked ReadReleases(std::uint64_t number, const ElectionSeat& own,
                                    std::string_view list) {
  model::ReleasesChecked checked{
      .number = number, .is_known = false, .why_not = {}, .neighbours = {}};
  const auto leases = ReadLeases(list);
  if (!leases) {
    checked.why_not = ToString(leases.error());
    return checked;
  }
  const LeaseName name = ElectionLeaseName(own.scheduler);
  checked.is_known = std::any_of(leases->begin(), leases->end(), [&](const auto& lease) {
    return lease.ns == own.ns && lease.name == name;
  });
  if (!checked.is_known) {
    checked.why_not = "our own Lease " + name.text() + " is not there yet";
    return checked;
  }
  checked.why_not = WhyNotReady(own, *leases).value_or("");
  for (const ElectionLease& lease : *leases) {
    const SchedulerName neighbour = NeighbourIn(lease, own);
    if (!neighbour.empty()) checked.neighbours.insert(neighbour);
  }
  return checked;
}

std::string ReleasesPath() {
  return CollectionPath(kLeases, {}) + "?labelSelector=" +
         http::EncodeQuery(std::string(kRoleLabel) + "=" + std::string(kElectionRole));
}

}  // namespace gs::kube
