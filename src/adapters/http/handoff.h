// Handoff: the bytes of a body on their way from the strand of a client to a thread that waits for
// them. The strand goes on reading while the thread works, until the thread is far behind: then
// the sender is slowed down. Inside this folder only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "adapters/http/outcome.h"
#include "adapters/runtime/mutex.h"

namespace gs::http {

class Handoff : public std::enable_shared_from_this<Handoff> {
 public:
  explicit Handoff(const boost::asio::any_io_executor& strand)
      : taken_(strand, boost::asio::steady_timer::time_point::max()) {}

  // On the strand: the head has come.
  void Begin(const Response& head) GS_EXCLUDES(mutex_);
  // On the strand. Waits while the thread is far behind.
  boost::asio::awaitable<void> Give(std::string_view bytes) GS_EXCLUDES(mutex_);
  // From anywhere: nothing more will come. The first call counts.
  void Finish(Outcome outcome) GS_EXCLUDES(mutex_);

  // On the waiting thread: everything that is given, until the end. When the reader has had enough,
  // `stop` is requested, which has to lead to Finish(), and the answer is the head.
  [[nodiscard]] Outcome Serve(const std::function<bool(std::string_view)>& on_chunk,
                              std::stop_source& stop) GS_EXCLUDES(mutex_);

 private:
  // Everything there is, once there is something; false at the end.
  [[nodiscard]] bool Take(std::string& bytes) GS_EXCLUDES(mutex_);
  // The reader wants nothing more.
  void Refuse() GS_EXCLUDES(mutex_);
  [[nodiscard]] Outcome AwaitEnd() GS_EXCLUDES(mutex_);
  void WakeGiver() GS_REQUIRES(mutex_);

  boost::asio::steady_timer taken_;  // only on the strand; cancelled to wake Give()

  runtime::Mutex mutex_;
  runtime::Condition changed_;
  std::string waiting_ GS_GUARDED_BY(mutex_);
  bool is_giver_waiting_ GS_GUARDED_BY(mutex_) = false;
  bool is_enough_ GS_GUARDED_BY(mutex_) = false;
  Response head_ GS_GUARDED_BY(mutex_);
  std::optional<Outcome> outcome_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::http
