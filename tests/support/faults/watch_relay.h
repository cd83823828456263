// WatchRelay: one watch on its way from the API server to a client of the proxy. Inside this folder
// only.
//
// A piece is taken from the server only when the client has taken the one before, so a slow client
// slows the server down as it would without a proxy. A watch that is to be late keeps its pieces
// here meanwhile.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "adapters/http/client.h"
#include "adapters/http/server.h"
#include "base/time.h"

namespace gs::testing {

struct RelayRules {
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // bytes of the body that pass
  Duration late{0};  // between the arrival of a piece and its passing on
};

class WatchRelay : public std::enable_shared_from_this<WatchRelay> {
 public:
  WatchRelay(const boost::asio::any_io_executor& executor, RelayRules rules)
      : rules_(rules),
        heads_(executor, 1),
        pieces_(executor, rules.late > Duration(0) ? kMaxLatePieces : 0) {}

  // How the server is to be asked.
  [[nodiscard]] http::StreamOptions Options();
  [[nodiscard]] http::OnChunkAsync Sink();
  // Runs a stream with these to its end. It holds the client's work and not the client, which must
  // not be destroyed by whatever is left when the threads stop.
  static boost::asio::awaitable<void> Run(std::shared_ptr<WatchRelay> self,
                                          boost::asio::awaitable<http::Outcome> stream);

  // The head of a 2xx answer, any other answer as a whole, or why there is none.
  boost::asio::awaitable<http::Outcome> Head();
  // The body, as the rules say. Throws where it does not end well.
  boost::asio::awaitable<void> CopyTo(http::BodyWriter& writer);
  // Until Cut().
  boost::asio::awaitable<void> WaitForCut();

  // From any thread. Both sides end.
  void Cut();

 private:
  template <class Value>
  using Channel =
      boost::asio::experimental::concurrent_channel<void(boost::system::error_code, Value)>;

  static constexpr std::size_t kMaxLatePieces = 1 << 16;

  struct Piece {
    std::string bytes;  // none: the proper end
    std::chrono::steady_clock::time_point arrived;
  };

  static Piece Arrived(std::string_view bytes);
  // Until it is time to pass the piece on. Throws if everything is cut before.
  boost::asio::awaitable<void> WaitFor(const Piece& piece);

  const RelayRules rules_;
  Channel<http::Outcome> heads_;
  Channel<Piece> pieces_;
  std::stop_source stop_;
};

}  // namespace gs::testing
