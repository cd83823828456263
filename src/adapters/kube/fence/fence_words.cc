#include "adapters/kube/fence/fence_words.h"

#include <variant>

namespace gs::kube {
namespace {

using model::WriteOutcome;

std::string Quoted(const SchedulerName& scheduler) { return "\"" + scheduler.text() + "\""; }

std::string HolderText(const ReleaseRecord& record) {
  if (!record.is_held()) return "nobody";
  return record.holder_pod.empty() ? record.holder.pod.text() : record.holder_pod.text();
}

std::string FenceText(const Namespace& ns) {
  return "the fence (Lease " + ns.text() + "/" + std::string(kFenceName) + ")";
}

std::string WhyNotOurs(const ReleaseRecord& record, const FenceSelf& self) {
  if (record.scheduler != self.scheduler) {
    return "the scheduler names " + Quoted(record.scheduler) + " and " + Quoted(self.scheduler) +
           " cannot be told apart in the fence; give one of the two another scheduler.name";
  }
  if (!record.is_held() || record.ns == self.release_namespace) return "";
  return "the scheduler name " + Quoted(self.scheduler) + " is led by pod " + HolderText(record) +
         " of the release in namespace " + record.ns.text() +
         "; give one of the two releases another scheduler.name";
}

std::string WhyUnreadable(const FenceLease& fence, const std::string& key) {
  return FenceText(fence.metadata.ns) + " has a record that cannot be read, annotation " + key +
         ", so nobody knows which GPUs its release is giving away and nothing is committed; "
         "start that release, or delete the Lease: it is made anew and all pods are checked";
}

struct Target {
  std::string what;
  bool is_read = false;
  bool is_create = false;
};

Target TargetOf(const FenceRequest& request, const FenceSelf& self) {
  if (const auto* earlier = std::get_if<EarlierRequest>(&request)) {
    return {.what = "the election Lease of the version before (" + self.release_namespace.text() +
                    "/" + EarlierElectionName(self.scheduler).text() + ")",
            .is_read = std::holds_alternative<ReadEarlier>(*earlier),
            .is_create = std::holds_alternative<CreateEarlier>(*earlier)};
  }
  return {.what = FenceText(self.fence_namespace),
          .is_read = std::holds_alternative<ReadFence>(request),
          .is_create = std::holds_alternative<CreateFence>(request)};
}

}  // namespace

std::string WhyNot(const FenceLease& fence, const FenceSelf& self) {
  const std::string key = RecordKey(self.scheduler);
  if (const auto found = fence.records.find(key); found != fence.records.end()) {
    if (std::string why = WhyNotOurs(found->second, self); !why.empty()) return why;
  }
  for (const auto& [other, text] : fence.unreadable) {
    if (other != key) return WhyUnreadable(fence, other);
  }
  return "";
}

std::string WhyFailed(const FenceRequest& request, const FenceAnswer& answer,
                      const FenceSelf& self) {
  const Target target = TargetOf(request, self);
  std::string why = target.what + " cannot be ";
  why += target.is_read ? "read" : target.is_create ? "made" : "written";
  if (!answer.reason.empty()) why += ": " + answer.reason;
  if (target.is_create && answer.outcome == WriteOutcome::kNotFound) {
    return why + "; make that namespace, or set fence.namespace to one that is there, the same " +
           "for all releases";
  }
  // Nothing is deleted, but some API servers let only those who may delete an object set its
  // owners.
  if (answer.outcome == WriteOutcome::kRefused) {
    return why + "; the release's Role in that namespace must allow get, create, update and " +
           "delete of leases, as the chart's does";
  }
  return why;
}

std::string WhyLost(const FenceLease& fence, const SchedulerName& scheduler) {
  if (fence.unreadable.contains(RecordKey(scheduler))) {
    return "our record in the fence was changed and cannot be read";
  }
  const ReleaseRecord* record = FindRecord(fence, scheduler);
  if (record == nullptr) return "our record in the fence was removed";
  return "our record in the fence is held by " + HolderText(*record);
}

}  // namespace gs::kube
