// Workers: a fixed number of threads for work that computes or blocks, such as building tables.
// Work is started in the order of its submission. What is not started at Stop() is run or dropped,
// as the caller says; what is running is always waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "adapters/runtime/mailbox.h"

namespace gs::runtime {

class Workers {
 public:
  // The token tells long work that the pool is dropping what it has. Must not throw.
  using Work = std::function<void(const std::stop_token&)>;
  enum class Leftover : std::uint8_t { kRun, kDrop };

  // Requires: threads > 0.
  explicit Workers(std::size_t threads, std::size_t max_waiting = Mailbox<Work>::kUnbounded);
  // Drops what has not started.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  Workers(Workers&&) = delete;
  Workers& operator=(Workers&&) = delete;

  // From any thread, also from work.
  [[nodiscard]] Pushed Submit(Work work);

  // Returns when no worker runs any more; later calls do nothing. With kRun, everything that was
  // submitted before is run first. Requires: not called from work.
  void Stop(Leftover leftover);

 private:
  void Run();

  Mailbox<Work> waiting_;
  std::stop_source dropping_;
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace gs::runtime
