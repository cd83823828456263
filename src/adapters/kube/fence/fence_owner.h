// FenceOwner: the one thread that reads and writes the fence, over a connection of its own, so that
// nothing else can delay a renewal. The steps are FenceSteps' business; here are the thread, the
// clock and the requests.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/fence/fence_rules.h"
#include "adapters/kube/fence/fence_steps.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube {

class FenceOwner {
 public:
  // FenceStanding, LeadershipWon, FenceSeen, InFlightListed and, once and last, LeadershipLost; on
  // the owner's thread, and before the write that follows from it. Must not block, and must not
  // destroy the owner.
  using Sink = std::function<void(model::Event)>;

  // Starts at once. Nobody else may use `client`, and it must not be shared with other requests.
  // The clock must outlive the owner. Requires: options that CheckFenceOptions accepts.
  FenceOwner(std::unique_ptr<ApiClient> client, const runtime::Clock& clock, FenceSelf self,
             FenceOptions options, Sink sink, FenceRules rules = {});
  // Stops without a word, as a crash would: the next leader has to wait for the lease to run out.
  ~FenceOwner();
  FenceOwner(const FenceOwner&) = delete;
  FenceOwner& operator=(const FenceOwner&) = delete;
  FenceOwner(FenceOwner&&) = delete;
  FenceOwner& operator=(FenceOwner&&) = delete;

  // Returns at once; of several lists the one with the highest revision is written, but what was
  // settling once stays so. From any thread.
  void SetInFlight(model::ListInFlight list) GS_EXCLUDES(mutex_);

  // Frees the release's record if no pod is in flight, and returns when the thread has ended.
  // Requires: not called by the sink.
  void Resign() GS_EXCLUDES(mutex_);

  // To be asked just before every write, with the boot clock of that moment: a process that was
  // paused or suspended notices here that it has lost. From any thread.
  [[nodiscard]] bool IsLeadingAt(Duration since_boot) const {
    return since_boot < leads_until_.load();
  }

 private:
  void Run(const std::stop_token& stop);
  void TakeOrders() GS_EXCLUDES(mutex_);
  void Await(Duration wake_at, const std::stop_token& stop) GS_EXCLUDES(mutex_);
  void Tell(std::vector<model::Event> events);
  [[nodiscard]] FenceAnswer Ask(const FenceStep& step, const std::stop_token& stop);
  [[nodiscard]] FenceTime Now() const;

  const std::unique_ptr<ApiClient> client_;
  const runtime::Clock& clock_;
  const FenceSelf self_;
  const Sink sink_;
  std::atomic<Duration> leads_until_ = Duration(0);

  runtime::Mutex mutex_;
  runtime::Condition changed_;
  bool has_orders_ GS_GUARDED_BY(mutex_) = false;
  bool is_resigning_ GS_GUARDED_BY(mutex_) = false;
  std::optional<model::ListInFlight> list_ GS_GUARDED_BY(mutex_);

  FenceSteps steps_;     // the thread's own
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace gs::kube
