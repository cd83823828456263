// Flight: one request on its way through a client: its deadline, and the one thing it waits for at
// the moment, so that it can be cancelled wherever it is. Inside this folder only.
//
// Thread rule: only on the strand of its client.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "adapters/http/transport.h"
#include "base/error.h"

namespace gs::http {

class Flight {
 public:
  Flight(const boost::asio::any_io_executor& strand, Deadline deadline)
      : deadline_(deadline), alarm_(strand, deadline) {}

  // Until Wake(), the cancellation or the deadline. May also return for no reason: loop.
  boost::asio::awaitable<void> Wait();
  void Wake() { alarm_.cancel(); }

  // From now on a cancellation closes this connection.
  void Use(std::shared_ptr<Transport> transport) { transport_ = std::move(transport); }
  void Cancel();

  [[nodiscard]] bool is_over() const {
    return is_cancelled_ || std::chrono::steady_clock::now() >= deadline_;
  }
  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }

 private:
  const Deadline deadline_;
  boost::asio::steady_timer alarm_;
  std::shared_ptr<Transport> transport_;
  bool is_cancelled_ = false;
};

}  // namespace gs::http
