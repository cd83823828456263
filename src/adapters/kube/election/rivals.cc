#include "adapters/kube/election/rivals.h"

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

}  // namespace gs::kube
