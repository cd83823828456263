#include "programs/scheduler/recreator.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "core/pending/ask_class.h"

namespace gs::scheduler {
namespace {

constexpr std::string_view kJob = "Job";

bool IsUnseen(const cache::PodRecord& record, const SchedulerName& scheduler) {
  const model::Pod& pod = record.pod;
  const bool is_waiting = !pod.is_bound() && !record.assumed && !pod.is_terminal();
  return pod.scheduler == scheduler && is_waiting && !pod.is_terminating && pod.controller &&
         !pod.has_visible_devices_variable && pending::ClassOf(pod).uses_gpus;
}

void Wait(const std::stop_token& stop, Duration period) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, period, [] { return false; });
}

}  // namespace

std::vector<UnseenPod> FindUnseen(const cache::Cache& cache, const SchedulerName& scheduler) {
  std::vector<UnseenPod> found;
  for (const auto& [uid, record] : cache.pods()) {
    if (!IsUnseen(record, scheduler)) continue;
    const model::Controller& controller = *record.pod.controller;
    found.push_back({.pod = record.pod.ref,
                     .version = record.pod.resource_version,
                     .controller = controller.uid,
                     .is_of_job = controller.kind.text() == kJob});
  }
  return found;
}

Recreator::Recreator(RecreatorParts parts, const runtime::Clock& clock, Duration period)
    : parts_(std::move(parts)),
      clock_(clock),
      period_(period),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Recreator::Tell(std::vector<UnseenPod> pods) {
  const runtime::MutexLock lock(mutex_);
  pods_ = std::move(pods);
}

void Recreator::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<UnseenPod> pods;
    {
      const runtime::MutexLock lock(mutex_);
      pods = std::exchange(pods_, {});
    }
    if (!pods.empty() && parts_.is_webhook_there()) RemoveDue(pods);
    Wait(stop, period_);
  }
}

void Recreator::RemoveDue(const std::vector<UnseenPod>& pods) {
  const Duration now = clock_.Monotonic();
  std::erase_if(pauses_, [now](const auto& entry) {
    return entry.second.until + kLongestPause <= now;  // all has been well since
  });
  std::set<ControllerUid> due;
  for (const UnseenPod& pod : pods) {
    const auto pause = pauses_.find(pod.controller);
    if (pause != pauses_.end() && now < pause->second.until) continue;
    due.insert(pod.controller);
    parts_.remove(pod);
  }
  for (const ControllerUid& controller : due) {
    const auto [pause, is_first] = pauses_.try_emplace(controller, Pause{kFirstPause, now});
    if (!is_first) pause->second.length = std::min(pause->second.length * 2, kLongestPause);
    pause->second.until = now + pause->second.length;
  }
}

}  // namespace gs::scheduler
