// Handoff: the pieces of a body on their way from the strand of a client to a thread that waits for
// them. One at a time: the next is read when the thread is done with this one. Inside this folder
// only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "adapters/http/outcome.h"
#include "adapters/runtime/mutex.h"

namespace gs::http {

class Handoff : public std::enable_shared_from_this<Handoff> {
 public:
  explicit Handoff(const boost::asio::any_io_executor& strand)
      : taken_(strand, boost::asio::steady_timer::time_point::max()) {}

  // On the strand. What the thread says to these bytes; they must live until then.
  boost::asio::awaitable<bool> Give(std::string_view bytes) GS_EXCLUDES(mutex_);
  // From anywhere: nothing more will come. The first call counts.
  void Finish(Outcome outcome) GS_EXCLUDES(mutex_);

  // On the waiting thread: everything that is given, until the end.
  [[nodiscard]] Outcome Serve(const std::function<bool(std::string_view)>& on_chunk)
      GS_EXCLUDES(mutex_);

 private:
  // Nothing at the end.
  [[nodiscard]] std::optional<std::string_view> Take() GS_EXCLUDES(mutex_);
  void Answer(bool wants_more) GS_EXCLUDES(mutex_);

  boost::asio::steady_timer taken_;  // only on the strand; cancelled to wake Give()

  runtime::Mutex mutex_;
  runtime::Condition changed_;
  std::optional<std::string_view> piece_ GS_GUARDED_BY(mutex_);
  std::optional<bool> answer_ GS_GUARDED_BY(mutex_);
  std::optional<Outcome> outcome_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::http
