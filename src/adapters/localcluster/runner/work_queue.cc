#include "adapters/localcluster/runner/work_queue.h"

#include <algorithm>
#include <chrono>

namespace gs::localcluster {

void WorkQueue::Add(const Task& task, TimePoint due) {
  const auto [found, is_new] = due_.try_emplace(task, due);
  if (!is_new) {
    if (found->second <= due) return;
    order_.erase({found->second, task});
    found->second = due;
  }
  order_.emplace(due, task);
}

std::optional<Task> WorkQueue::Pop(TimePoint now) {
  if (order_.empty() || order_.begin()->first > now) return std::nullopt;
  Task task = order_.begin()->second;
  order_.erase(order_.begin());
  due_.erase(task);
  return task;
}

std::optional<TimePoint> WorkQueue::NextDue() const {
  if (order_.empty()) return std::nullopt;
  return order_.begin()->first;
}

void WorkQueue::Failed(const Task& task, TimePoint now) {
  constexpr auto kFirst = std::chrono::milliseconds(5);
  constexpr Duration kLongest = std::chrono::seconds(30);
  const int failures = ++failures_[task];
  Duration wait = kFirst;
  for (int i = 1; i < failures && wait < kLongest; ++i) wait *= 2;
  Add(task, now + std::min(wait, kLongest));
}

int WorkQueue::FailuresOf(const Task& task) const {
  const auto found = failures_.find(task);
  return found == failures_.end() ? 0 : found->second;
}

}  // namespace gs::localcluster
