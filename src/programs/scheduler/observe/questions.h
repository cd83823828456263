// Questions: how other threads read what the cycle knows. A question is put here, answered by the
// cycle's own thread between two runs, and its answer is a value, so that nobody ever locks the
// core from outside.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/runtime/mutex.h"
#include "base/time.h"
#include "core/cycle/cycle.h"

namespace gs::scheduler {

class Questions {
 public:
  using Question = std::function<void(const cycle::Cycle&)>;

  // `wake` makes the cycle's thread look soon; called on any thread. More than `most` at a time are
  // refused: every one keeps the cycle from its work.
  explicit Questions(std::function<void()> wake, std::size_t most = 16)
      : wake_(std::move(wake)), most_(most) {}

  // From any thread, at once. False: it will not be answered.
  [[nodiscard]] bool Put(Question question) GS_EXCLUDES(mutex_);
  // On the cycle's thread.
  void AnswerAll(const cycle::Cycle& cycle) GS_EXCLUDES(mutex_);
  // Drops what waits and refuses the rest. Before the I/O threads end.
  void Close() GS_EXCLUDES(mutex_);

 private:
  const std::function<void()> wake_;
  const std::size_t most_;
  runtime::Mutex mutex_;
  std::vector<Question> waiting_ GS_GUARDED_BY(mutex_);
  bool is_closed_ GS_GUARDED_BY(mutex_) = false;
};

// What `read` makes of the cycle; nothing if that takes longer than `patience`, or too many ask.
// Requires: on a strand, and the questions outlive it.
template <class Answer>
boost::asio::awaitable<std::optional<Answer>> Ask(Questions& questions, Duration patience,
                                                  std::function<Answer(const cycle::Cycle&)> read) {
  namespace asio = boost::asio;
  struct Awaited {
    asio::steady_timer timer;
    std::optional<Answer> answer;
  };
  const auto awaited = std::make_shared<Awaited>(
      asio::steady_timer(co_await asio::this_coro::executor), std::nullopt);
  awaited->timer.expires_after(patience);
  const bool is_taken = questions.Put([awaited, read = std::move(read)](const cycle::Cycle& cycle) {
    // Back on the strand of whoever asked, which by then waits for the timer.
    asio::post(awaited->timer.get_executor(), [awaited, answer = read(cycle)]() mutable {
      awaited->answer = std::move(answer);
      awaited->timer.cancel();
    });
  });
  if (!is_taken) co_return std::nullopt;
  boost::system::error_code cancelled;
  co_await awaited->timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return std::move(awaited->answer);
}

}  // namespace gs::scheduler
