#include "adapters/http/pool.h"

#include <algorithm>

namespace gs::http {

boost::asio::awaitable<bool> Pool::TakeSlot(std::shared_ptr<Flight> flight) {
  if (running_ < max_running_ && waiting_.empty()) {
    ++running_;
    co_return true;
  }
  waiting_.push_back(flight);
  // GiveSlotBack() hands its slot over by taking the flight off the queue.
  const auto is_waiting = [this, &flight] {
    return std::find(waiting_.begin(), waiting_.end(), flight) != waiting_.end();
  };
  while (is_waiting() && !flight->is_over()) co_await flight->Wait();
  if (!is_waiting()) co_return true;
  std::erase(waiting_, flight);
  co_return false;
}

void Pool::GiveSlotBack() {
  if (waiting_.empty()) {
    --running_;
    return;
  }
  const auto next = waiting_.front();
  waiting_.pop_front();
  next->Wake();
}

std::shared_ptr<Transport> Pool::TakeResting() {
  while (!resting_.empty()) {
    auto transport = std::move(resting_.back());
    resting_.pop_back();
    if (transport->IsQuiet()) return transport;
    transport->Close();
  }
  return nullptr;
}

void Pool::Rest(std::shared_ptr<Transport> transport) {
  // Those whose time-out has passed are closed and only take up room; who rests longest is first.
  const auto open = std::find_if(resting_.begin(), resting_.end(),
                                 [](const auto& other) { return other->is_open(); });
  resting_.erase(resting_.begin(), open);
  transport->SetDeadline(std::chrono::steady_clock::now() + idle_timeout_);
  resting_.push_back(std::move(transport));
}

void Pool::CloseResting() {
  for (const auto& transport : resting_) transport->Close();
  resting_.clear();
}

}  // namespace gs::http
