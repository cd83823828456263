#include "core/cycle/claim_status.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/names.h"

namespace gs::cycle {
namespace {

using model::ClaimAllocation;
using model::ClaimStatus;
using model::ConditionStatus;

TimePoint WholeSeconds(TimePoint time) { return std::chrono::floor<std::chrono::seconds>(time); }

// Its condition says that somebody has looked for a place and found none.
bool IsKnownToWait(const model::Pod& pod) {
  return !pod.is_bound() && !pod.is_terminal() && !pod.is_terminating &&
         pod.scheduled.status == ConditionStatus::kFalse;
}

bool IsOlder(const model::Pod& a, const model::Pod& b) {
  return std::tie(a.created, a.ref.name) < std::tie(b.created, b.ref.name);
}

struct Waiting {
  std::size_t count = 0;
  const model::Pod* oldest = nullptr;
};

void AddWaiting(Waiting& waiting, const model::Pod& pod) {
  ++waiting.count;
  if (waiting.oldest == nullptr || IsOlder(pod, *waiting.oldest)) waiting.oldest = &pod;
}

ClaimAllocation AllocationOf(const cache::PodRecord& record, const model::Allocation& held) {
  return {.pod = record.pod.ref.name,
          .uid = record.pod.ref.uid,
          .gpus = held.gpus,
          .uuids = held.uuids,
          .is_enforced = held.is_enforced,
          .since = WholeSeconds(record.bound_at)};
}

// Who comes later stands behind, so that the list grows at its end.
void SortByAge(std::vector<ClaimAllocation>& allocations) {
  std::sort(allocations.begin(), allocations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.since, a.pod, a.uid) < std::tie(b.since, b.pod, b.uid);
  });
}

std::string OnALine(const std::vector<ClaimAllocation>& allocations) {
  const std::size_t named = std::min(allocations.size(), model::kMostClaimPodsOnALine);
  std::string line;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) line += ' ';
    line += ToString(allocations[i].gpus);
  }
  if (allocations.size() > named) line += " +" + std::to_string(allocations.size() - named);
  return line;
}

std::string HoldingSentence(std::size_t pods) {
  return pods == 1 ? "1 pod holds GPUs" : std::to_string(pods) + " pods hold GPUs";
}

std::string WaitingSentence(const Waiting& waiting) {
  const std::string& name = waiting.oldest->ref.name.text();
  const std::string who = waiting.count == 1
                              ? "1 pod waits, " + name
                              : std::to_string(waiting.count) + " pods wait, the oldest is " + name;
  return who + ": " + waiting.oldest->scheduled.message.text();
}

std::string MessageOf(std::size_t holding, const Waiting& waiting) {
  if (holding == 0 && waiting.count == 0) return "no pod uses this claim";
  if (waiting.count == 0) return HoldingSentence(holding);
  if (holding == 0) return WaitingSentence(waiting);
  return HoldingSentence(holding) + "; " + WaitingSentence(waiting);
}

model::ClaimCondition ConditionOf(std::size_t holding, const Waiting& waiting) {
  model::ClaimCondition condition;
  condition.type = "Allocated";
  condition.status = holding > 0 ? ConditionStatus::kTrue : ConditionStatus::kFalse;
  condition.reason = holding > 0 ? "PodsHoldGpus" : waiting.count > 0 ? "PodsWait" : "NoPods";
  condition.message = MessageOf(holding, waiting);
  return condition;
}

TimePoint SinceWhen(const model::ClaimCondition& condition, const std::optional<ClaimStatus>& shown,
                    TimePoint now) {
  if (shown) {
    for (const model::ClaimCondition& old : shown->conditions) {
      if (old.type == condition.type && old.status == condition.status) return old.since;
    }
  }
  return WholeSeconds(now);
}

void FillAllocations(std::vector<ClaimAllocation> allocations, ClaimStatus& status) {
  if (allocations.empty()) return;
  SortByAge(allocations);
  status.phase = model::ClaimPhase::kAllocated;
  status.allocated_count = static_cast<std::int64_t>(allocations.size());
  status.allocated = OnALine(allocations);
  status.first_node = allocations.front().gpus.node;
  status.first_ids = allocations.front().gpus.ids;
  if (allocations.size() > model::kMostClaimAllocations) {
    allocations.resize(model::kMostClaimAllocations);
  }
  status.allocations = std::move(allocations);
}

}  // namespace

std::optional<ClaimKey> ClaimOf(const cache::PodRecord& record) {
  ClaimName name;
  if (record.kept) {
    name = record.kept->claim;
  } else if (const auto* text = model::FindAnnotation(record.pod, model::names::kClaim)) {
    name = ClaimName(*text);
  }
  if (name.empty()) return std::nullopt;
  return ClaimKey(record.pod.ref.ns, std::move(name));
}

ClaimStatus ClaimStatusOf(const std::set<PodUid>& pods, const cache::Cache& cache,
                          const std::optional<ClaimStatus>& shown, TimePoint now) {
  std::vector<ClaimAllocation> allocations;
  Waiting waiting;
  for (const PodUid& uid : pods) {
    const cache::PodRecord& record = cache.pods().at(uid);
    if (IsKnownToWait(record.pod)) AddWaiting(waiting, record.pod);
    const model::Allocation* held = cache.AllocationOf(uid);
    if (held != nullptr && !record.pod.is_terminal()) {
      allocations.push_back(AllocationOf(record, *held));
    }
  }
  ClaimStatus status;
  model::ClaimCondition condition = ConditionOf(allocations.size(), waiting);
  condition.since = SinceWhen(condition, shown, now);
  status.message = condition.message;
  status.conditions.push_back(std::move(condition));
  FillAllocations(std::move(allocations), status);
  return status;
}

}  // namespace gs::cycle
