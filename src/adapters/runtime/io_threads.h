// IoThreads: the threads that run Asio. Whoever does network I/O gets the context; nobody else runs
// or stops it. Build it before everything that uses the context, so that it is destroyed last.
#pragma once

#include <cstddef>
#include <memory>

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace gs::runtime {

class IoThreads {
 public:
  // Requires: threads > 0. The threads run until Stop(), whether there is work or not.
  explicit IoThreads(std::size_t threads);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  IoThreads(IoThreads&&) = delete;
  IoThreads& operator=(IoThreads&&) = delete;

  [[nodiscard]] boost::asio::io_context& context();

  // Returns when no handler runs any more. Handlers that have not run never will; they are
  // destroyed with this object. Later calls do nothing. Requires: not called on one of the threads.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::runtime
