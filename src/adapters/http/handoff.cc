#include "adapters/http/handoff.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace gs::http {

namespace asio = boost::asio;
using runtime::MutexLock;

asio::awaitable<bool> Handoff::Give(std::string_view bytes) {
  {
    const MutexLock lock(mutex_);
    piece_ = bytes;
    changed_.NotifyOne();
  }
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (answer_) co_return *std::exchange(answer_, std::nullopt);
    }
    boost::system::error_code ignored;
    co_await taken_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void Handoff::Finish(Outcome outcome) {
  const MutexLock lock(mutex_);
  if (!outcome_) outcome_ = std::move(outcome);
  piece_.reset();  // what it points to is gone with the request
  changed_.NotifyOne();
}

std::optional<std::string_view> Handoff::Take() {
  const MutexLock lock(mutex_);
  while (!piece_ && !outcome_) changed_.Wait(mutex_);
  return std::exchange(piece_, std::nullopt);
}

void Handoff::Answer(bool wants_more) {
  {
    const MutexLock lock(mutex_);
    answer_ = wants_more;
  }
  // On the strand, so that it cannot fall between Give's look and its wait.
  asio::post(taken_.get_executor(), [self = shared_from_this()] { self->taken_.cancel(); });
}

Outcome Handoff::Serve(const std::function<bool(std::string_view)>& on_chunk) {
  while (const auto piece = Take()) Answer(on_chunk(*piece));
  const MutexLock lock(mutex_);
  return *std::move(outcome_);
}

}  // namespace gs::http
