#include "adapters/runtime/io_threads.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "base/check.h"

namespace gs::runtime {

struct IoThreads::State {
  boost::asio::io_context context;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
  std::vector<std::jthread> threads;
};

IoThreads::IoThreads(std::size_t threads) : state_(std::make_unique<State>()) {
  GS_CHECK(threads > 0);
  state_->threads.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    // An exception that reaches run() is a mistake of ours: it ends the process.
    state_->threads.emplace_back([this]() noexcept { state_->context.run(); });
  }
}

IoThreads::~IoThreads() { Stop(); }

boost::asio::io_context& IoThreads::context() { return state_->context; }

void IoThreads::Stop() {
  state_->work.reset();
  state_->context.stop();
  state_->threads.clear();
}

}  // namespace gs::runtime
