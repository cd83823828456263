// WatchRelay: one watch on its way from the API server to a client of the proxy. Inside this folder
// only.
//
// A piece is taken from the server only when the client has taken the one before, so a slow client
// slows the server down as it would without a proxy.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "adapters/http/client.h"
#include "adapters/http/server.h"

namespace gs::testing {

class WatchRelay : public std::enable_shared_from_this<WatchRelay> {
 public:
  explicit WatchRelay(const boost::asio::any_io_executor& executor)
      : heads_(executor, 1), pieces_(executor, 0) {}

  // How the server is to be asked.
  [[nodiscard]] http::StreamOptions Options();
  [[nodiscard]] http::OnChunkAsync Sink();
  // Runs a stream with these to its end. It holds the client's work and not the client, which must
  // not be destroyed by whatever is left when the threads stop.
  static boost::asio::awaitable<void> Run(std::shared_ptr<WatchRelay> self,
                                          boost::asio::awaitable<http::Outcome> stream);

  // The head of a 2xx answer, any other answer as a whole, or why there is none.
  boost::asio::awaitable<http::Outcome> Head();
  // The body, of which at most `limit` bytes are passed on. Throws where it does not end well.
  boost::asio::awaitable<void> CopyTo(http::BodyWriter& writer, std::size_t limit);
  // Until Cut().
  boost::asio::awaitable<void> WaitForCut();

  // From any thread. Both sides end.
  void Cut();

 private:
  template <class Value>
  using Channel =
      boost::asio::experimental::concurrent_channel<void(boost::system::error_code, Value)>;

  Channel<http::Outcome> heads_;
  Channel<std::string> pieces_;  // an empty one is the proper end
  std::stop_source stop_;
};

}  // namespace gs::testing
