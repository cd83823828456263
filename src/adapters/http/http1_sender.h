// Http1Sender: a client's requests over HTTP/1.1, each on a connection of its own for as long as it
// runs: the streams, and everything else where the server does not speak HTTP/2. Inside this folder
// only.
//
// Thread rule: only on the strand of its client.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>

#include "adapters/http/call.h"
#include "adapters/http/client.h"
#include "adapters/http/dial.h"
#include "adapters/http/exchange.h"
#include "adapters/http/flight.h"
#include "adapters/http/pool.h"

namespace gs::http {

class Http1Sender {
 public:
  // Takes over a call that is not sent yet, with a connection on which the server wants HTTP/2, or
  // null.
  using Reroute = std::function<void(std::unique_ptr<Call>, std::shared_ptr<Transport>)>;

  // One request with everything that decides how it is sent.
  struct Order {
    Request request;
    ExchangeRules rules;
    Deadline deadline;
    std::stop_token stop;
    std::shared_ptr<Transport> fresh = nullptr;  // made for it already; may be null
  };

  Http1Sender(boost::asio::any_io_executor strand, ClientOptions options, DialTarget target);
  // Before the first Send(), unless no server can want HTTP/2.
  void SetReroute(Reroute reroute) { reroute_ = std::move(reroute); }

  // Both keep the sender alive while they run. Send() is for any thread; `fresh` may be null.
  static void Send(std::shared_ptr<Http1Sender> self, std::unique_ptr<Call> call,
                   std::shared_ptr<Transport> fresh);
  static boost::asio::awaitable<Outcome> Stream(std::shared_ptr<Http1Sender> self, Order order);

  // For connections from now on; resting ones are closed. Null for plain HTTP.
  void UseContext(TlsContext context);
  // Cancels everything.
  void Close();

 private:
  // No outcome if it may be tried again, or if it has to be sent over HTTP/2, on that connection
  // if there is one.
  struct Tried {
    std::optional<Outcome> outcome = std::nullopt;
    std::shared_ptr<Transport> http2 = nullptr;
  };

  struct Way {
    std::shared_ptr<Transport> transport;
    int generation;        // of the credentials it was made with
    bool is_kept = false;  // from an earlier request
  };

  static boost::asio::awaitable<void> SendHere(std::shared_ptr<Http1Sender> self,
                                               std::unique_ptr<Call> call,
                                               std::shared_ptr<Transport> fresh);
  boost::asio::awaitable<Tried> Run(Order& order);
  boost::asio::awaitable<Tried> Fly(std::shared_ptr<Flight> flight, Order& order);
  boost::asio::awaitable<Tried> FlyInSlot(std::shared_ptr<Flight> flight, Order& order);
  boost::asio::awaitable<Tried> FlyAnew(std::shared_ptr<Flight> flight, const Order& order);
  boost::asio::awaitable<Tried> TryOn(std::shared_ptr<Flight> flight, const Order& order, Way way);

  const boost::asio::any_io_executor strand_;
  const ClientOptions options_;
  Reroute reroute_;
  DialTarget target_;
  Pool pool_;
  int generation_ = 0;  // counts the credentials
  bool is_closed_ = false;
  std::set<std::shared_ptr<Flight>> flights_;
};

}  // namespace gs::http
