#include "adapters/http/handoff.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <variant>

namespace gs::http {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{128} << 10;

}  // namespace

namespace asio = boost::asio;
using runtime::MutexLock;

void Handoff::Begin(const Response& head) {
  const MutexLock lock(mutex_);
  head_.status = head.status;
  head_.headers = head.headers;
}

asio::awaitable<void> Handoff::Give(std::string_view bytes) {
  {
    const MutexLock lock(mutex_);
    if (is_enough_) co_return;
    waiting_.append(bytes);
    changed_.NotifyOne();
  }
  while (true) {
    {
      const MutexLock lock(mutex_);
      is_giver_waiting_ = waiting_.size() >= kMostWaiting;
      if (!is_giver_waiting_) co_return;
    }
    boost::system::error_code ignored;
    co_await taken_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void Handoff::Finish(Outcome outcome) {
  const MutexLock lock(mutex_);
  if (!outcome_) outcome_ = std::move(outcome);
  changed_.NotifyOne();
}

bool Handoff::Take(std::string& bytes) {
  bytes.clear();
  const MutexLock lock(mutex_);
  while (waiting_.empty() && !outcome_) changed_.Wait(mutex_);
  std::swap(bytes, waiting_);
  WakeGiver();
  return !bytes.empty();
}

void Handoff::Refuse() {
  const MutexLock lock(mutex_);
  is_enough_ = true;
  waiting_.clear();
  WakeGiver();
}

void Handoff::WakeGiver() {
  if (!std::exchange(is_giver_waiting_, false)) return;
  // On the strand, so that it cannot fall between Give's look and its wait.
  asio::post(taken_.get_executor(), [self = shared_from_this()] { self->taken_.cancel(); });
}

Outcome Handoff::AwaitEnd() {
  const MutexLock lock(mutex_);
  while (!outcome_) changed_.Wait(mutex_);
  return *std::exchange(outcome_, std::nullopt);
}

Outcome Handoff::Serve(const std::function<bool(std::string_view)>& on_chunk,
                       std::stop_source& stop) {
  std::string bytes;
  while (Take(bytes)) {
    if (on_chunk(bytes)) continue;
    Refuse();
    stop.request_stop();
    Outcome ended = AwaitEnd();
    if (std::holds_alternative<Response>(ended)) return ended;
    const MutexLock lock(mutex_);
    return std::move(head_);
  }
  return AwaitEnd();
}

}  // namespace gs::http
