// HeldRequests: requests that wait in the proxy until the test lets them go.
//
// From any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/runtime/mutex.h"
#include "tests/support/faults/fault.h"

namespace gs::testing {

struct HeldRequest {
  std::size_t number = 0;  // of the proxy's record
  Hold::Where where = Hold::Where::kBeforeForwarding;
  http::Request request;
};

// How a held request goes on. One that the server has executed is not forwarded again.
enum class LetGo : std::uint8_t {
  kPassOn,
  kDrop,            // the connection is closed
  kForwardAndDrop,  // the server executes it, and the connection is closed instead of the answer
};

class HeldRequests {
 public:
  // Until Release or Close.
  boost::asio::awaitable<LetGo> Wait(HeldRequest request) GS_EXCLUDES(mutex_);
  // False if no request of that number is held.
  [[nodiscard]] bool Release(std::size_t number, LetGo how) GS_EXCLUDES(mutex_);
  // In the order of their numbers.
  [[nodiscard]] std::vector<HeldRequest> all() const GS_EXCLUDES(mutex_);
  // Drops all, those that come later too.
  void Close() GS_EXCLUDES(mutex_);

 private:
  using Word =
      boost::asio::experimental::concurrent_channel<void(boost::system::error_code, LetGo)>;
  struct Waiting {
    HeldRequest request;
    std::shared_ptr<Word> word;
  };

  mutable runtime::Mutex mutex_;
  std::map<std::size_t, Waiting> waiting_ GS_GUARDED_BY(mutex_);  // by number
  bool is_closed_ GS_GUARDED_BY(mutex_) = false;
};

}  // namespace gs::testing
