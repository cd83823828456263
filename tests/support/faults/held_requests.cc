#include "tests/support/faults/held_requests.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace gs::testing {

namespace asio = boost::asio;
using boost::system::error_code;
using runtime::MutexLock;

asio::awaitable<LetGo> HeldRequests::Wait(HeldRequest request) {
  const auto word = std::make_shared<Word>(co_await asio::this_coro::executor, 1);
  {
    const MutexLock lock(mutex_);
    if (is_closed_) co_return LetGo::kDrop;
    const std::size_t number = request.number;
    waiting_.emplace(number, Waiting{.request = std::move(request), .word = word});
  }
  const auto [ec, how] = co_await word->async_receive(asio::as_tuple(asio::use_awaitable));
  co_return ec ? LetGo::kDrop : how;
}

bool HeldRequests::Release(std::size_t number, LetGo how) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return false;
  found->second.word->try_send(error_code(), how);
  waiting_.erase(found);
  return true;
}

std::vector<HeldRequest> HeldRequests::all() const {
  const MutexLock lock(mutex_);
  std::vector<HeldRequest> held;
  held.reserve(waiting_.size());
  for (const auto& [number, one] : waiting_) held.push_back(one.request);
  return held;
}

void HeldRequests::Close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  for (const auto& [number, one] : waiting_) one.word->try_send(error_code(), LetGo::kDrop);
  waiting_.clear();
}

}  // namespace gs::testing
