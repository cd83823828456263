#include "adapters/gpu/watch/watched_devices.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "adapters/runtime/mutex.h"

namespace gs::gpu {
namespace {

using SteadyTime = runtime::Condition::Deadline;

SteadyTime Now() { return std::chrono::steady_clock::now(); }

}  // namespace

// A thread that makes one call after the other, and somebody who waits for each, but not for ever.
// Both share the state, so either may be gone first.
template <class T>
class WatchedDevices::Lane {
 public:
  using Call = std::function<Result<T>()>;

  Lane() : thread_([state = state_] { Run(*state); }) {}
  ~Lane() {
    state_->End();
    if (state_->is_calling()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  Lane(Lane&&) = delete;
  Lane& operator=(Lane&&) = delete;

  // Nothing, if it is not done in time or an earlier one is not.
  [[nodiscard]] std::optional<Result<T>> Do(Call call, SteadyTime deadline) {
    return state_->Do(std::move(call), deadline);
  }

 private:
  class State {
   public:
    std::optional<Result<T>> Do(Call call, SteadyTime deadline) {
      const runtime::MutexLock lock(mutex_);
      if (call_) return std::nullopt;
      answer_.reset();
      call_ = std::move(call);
      changed_.NotifyAll();
      while (call_) {
        if (!changed_.WaitUntil(mutex_, deadline) && call_) return std::nullopt;
      }
      return std::exchange(answer_, std::nullopt);
    }

    // The next call to make; nothing at the end.
    [[nodiscard]] Call Next() {
      const runtime::MutexLock lock(mutex_);
      while (!call_ && !is_ended_) changed_.Wait(mutex_);
      return is_ended_ ? Call() : call_;
    }

    void Answer(Result<T> answer) {
      const runtime::MutexLock lock(mutex_);
      answer_ = std::move(answer);
      call_ = nullptr;
      changed_.NotifyAll();
    }

    void End() {
      const runtime::MutexLock lock(mutex_);
      is_ended_ = true;
      changed_.NotifyAll();
    }

    [[nodiscard]] bool is_calling() {
      const runtime::MutexLock lock(mutex_);
      return call_ != nullptr;
    }

   private:
    runtime::Mutex mutex_;
    runtime::Condition changed_;
    Call call_ GS_GUARDED_BY(mutex_);  // until it is answered
    std::optional<Result<T>> answer_ GS_GUARDED_BY(mutex_);
    bool is_ended_ GS_GUARDED_BY(mutex_) = false;
  };

  static void Run(State& state) {
    while (const Call call = state.Next()) state.Answer(call());
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;  // last: it uses the state
};

WatchedDevices::WatchedDevices(std::shared_ptr<DeviceSource> source, Duration patience, Doing doing)
    : source_(std::move(source)),
      patience_(patience),
      doing_(std::move(doing)),
      reading_(std::make_unique<Lane<model::DeviceReport>>()) {
  if (source_->has_faults()) {
    faults_ = std::make_unique<Lane<std::vector<model::GpuFault>>>();
  }
}

WatchedDevices::~WatchedDevices() = default;

Result<model::DeviceReport> WatchedDevices::Read() {
  auto report = reading_->Do([source = source_] { return source->Read(); }, Now() + patience_);
  if (report) return *std::move(report);
  const std::string what = doing_ ? doing_() : "";
  return Error(ErrorKind::kUnavailable,
               what.empty() ? "does not answer" : what + " does not return")
      .Advise("look for errors of the driver in the kernel's log; the node may need a reboot")
      .Within(name());
}

Result<std::vector<model::GpuFault>> WatchedDevices::WaitFaults(Duration timeout) {
  if (!faults_) return DeviceSource::WaitFaults(timeout);
  auto faults = faults_->Do([source = source_, timeout] { return source->WaitFaults(timeout); },
                            Now() + timeout + patience_);
  if (faults) return *std::move(faults);
  return Error(ErrorKind::kUnavailable, "waiting for faults does not return").Within(name());
}

}  // namespace gs::gpu
