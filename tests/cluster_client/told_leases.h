// ToldLeases: what a watcher of Leases has told, applied in order, and everything about it that
// must never happen.
//
// From any thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/runtime/mutex.h"
#include "base/error.h"
#include "base/time.h"
#include "core/model/event.h"

namespace gs::testing {

class ToldLeases {
 public:
  using State = std::map<std::string, std::string>;  // name to version

  void Take(const std::vector<model::Event>& events) GS_EXCLUDES(mutex_);
  void TakeProblem(const Error& problem) GS_EXCLUDES(mutex_);

  // Until all that was told amounts to this; false: it does not in time.
  [[nodiscard]] bool WaitFor(const State& state, Duration timeout) const GS_EXCLUDES(mutex_);
  [[nodiscard]] State state() const GS_EXCLUDES(mutex_);
  // What was told against the rules: something twice, something older, something gone that was not
  // there.
  [[nodiscard]] std::vector<std::string> mistakes() const GS_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::string> problems() const GS_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t count() const GS_EXCLUDES(mutex_);

 private:
  [[nodiscard]] State StateNow() const GS_REQUIRES(mutex_);
  void Apply(const model::LeaseSeen& event) GS_REQUIRES(mutex_);
  void Apply(const model::LeaseGone& event) GS_REQUIRES(mutex_);

  mutable runtime::Mutex mutex_;
  mutable runtime::Condition changed_;
  std::map<std::string, model::GpuLease> leases_ GS_GUARDED_BY(mutex_);
  std::set<std::string> versions_ GS_GUARDED_BY(mutex_);
  std::set<std::string> gone_uids_ GS_GUARDED_BY(mutex_);
  std::vector<std::string> mistakes_ GS_GUARDED_BY(mutex_);
  std::vector<std::string> problems_ GS_GUARDED_BY(mutex_);
  std::size_t count_ GS_GUARDED_BY(mutex_) = 0;
};

}  // namespace gs::testing
