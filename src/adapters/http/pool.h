// Pool: the connections of one client that rest between requests, and the slots that limit how many
// requests run at a time. Inside this folder only.
//
// Thread rule: only on the strand of its client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "adapters/http/flight.h"
#include "adapters/http/transport.h"

namespace gs::http {

class Pool {
 public:
  Pool(std::size_t max_running, std::chrono::nanoseconds idle_timeout)
      : max_running_(max_running), idle_timeout_(idle_timeout) {}

  // First come, first served. False if the flight was over before a slot was free.
  boost::asio::awaitable<bool> TakeSlot(std::shared_ptr<Flight> flight);
  void GiveSlotBack();

  // The connection that was used last, since it is the least likely to have been closed; null if
  // none is fit for use. Whoever uses it sets its deadline at once: that of its rest still runs.
  [[nodiscard]] std::shared_ptr<Transport> TakeResting();
  // Closes it after the idle time-out.
  void Rest(std::shared_ptr<Transport> transport);
  void CloseResting();

 private:
  const std::size_t max_running_;
  const std::chrono::nanoseconds idle_timeout_;
  std::size_t running_ = 0;
  std::deque<std::shared_ptr<Flight>> waiting_;
  std::vector<std::shared_ptr<Transport>> resting_;
};

}  // namespace gs::http
