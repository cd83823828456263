#include "adapters/runtime/io_threads.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <latch>
#include <memory>
#include <thread>

namespace gs::runtime {
namespace {

TEST(IoThreads, RunsHandlersOnItsThreadsAndStaysUpWithoutWork) {
  IoThreads threads(2);
  for (int round = 0; round < 3; ++round) {
    const auto ran = std::make_shared<std::promise<std::thread::id>>();
    boost::asio::post(threads.context(), [ran] { ran->set_value(std::this_thread::get_id()); });
    EXPECT_TRUE(ran->get_future().get() != std::this_thread::get_id());
  }
}

TEST(IoThreads, HandlersRunAtTheSameTime) {
  std::latch both(3);  // outlives the threads that wait on it
  IoThreads threads(2);
  for (int i = 0; i < 2; ++i) {
    boost::asio::post(threads.context(), [&] { both.arrive_and_wait(); });
  }
  both.arrive_and_wait();  // returns only if the two handlers overlap
}

TEST(IoThreads, StopDropsWhatHasNotRunAndDestroysIt) {
  auto owned = std::make_shared<int>(7);
  {
    IoThreads threads(1);
    threads.Stop();
    threads.Stop();
    boost::asio::post(threads.context(), [owned] { FAIL() << "ran after the stop"; });
  }
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace gs::runtime
