#include "adapters/http/dial.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <vector>

namespace gs::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Endpoints = std::vector<tcp::endpoint>;

// Outlives the flight: a lookup cannot be interrupted, only ignored.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& strand) : resolver(strand) {}

  tcp::resolver resolver;
  Endpoints found;
  error_code error;
  bool is_done = false;
};

Error TooLate(const Flight& flight, const DialTarget& target) {
  return Unreachable(target, flight.is_cancelled() ? "cancelled" : "no connection in time");
}

asio::awaitable<Result<Endpoints>> Resolve(std::shared_ptr<Flight> flight, DialTarget target) {
  const auto lookup = std::make_shared<Lookup>(co_await asio::this_coro::executor);
  lookup->resolver.async_resolve(
      target.url.host, std::to_string(target.url.port),
      [lookup, flight](const error_code& ec, const tcp::resolver::results_type& results) {
        lookup->error = ec;
        lookup->found.assign(results.begin(), results.end());
        lookup->is_done = true;
        flight->Wake();
      });
  while (!lookup->is_done && !flight->is_over()) co_await flight->Wait();
  if (!lookup->is_done) co_return TooLate(*flight, target);
  if (lookup->error) co_return Unreachable(target, lookup->error.message());
  co_return std::move(lookup->found);
}

std::shared_ptr<Transport> MakeTransport(const asio::any_io_executor& strand,
                                         const DialTarget& target, Offer offer) {
  if (target.tls == nullptr) return MakePlain(tcp::socket(strand));
  return MakeTlsClient(tcp::socket(strand), target.tls, target.server_name, offer);
}

asio::awaitable<Result<std::shared_ptr<Transport>>> Connect(Flight& flight, tcp::endpoint endpoint,
                                                            const DialTarget& target, Offer offer) {
  const auto transport = MakeTransport(co_await asio::this_coro::executor, target, offer);
  flight.Use(transport);
  error_code ec;
  transport->socket().open(endpoint.protocol(), ec);
  if (ec) co_return Unreachable(target, ec.message());
  transport->SetDeadline(flight.deadline());
  co_await transport->socket().async_connect(endpoint,
                                             asio::redirect_error(asio::use_awaitable, ec));
  if (flight.is_over()) co_return TooLate(flight, target);
  if (ec) co_return Unreachable(target, ec.message());
  // Requests are small and waited for: Nagle's algorithm would only delay them.
  transport->socket().set_option(tcp::no_delay(true), ec);
  std::string problem = co_await transport->Handshake();
  if (flight.is_over()) co_return TooLate(flight, target);
  if (!problem.empty()) co_return Unreachable(target, "TLS: " + problem);
  co_return transport;
}

}  // namespace

Error Unreachable(const DialTarget& target, std::string why) {
  return Error(ErrorKind::kUnavailable, std::move(why))
      .Within("cannot connect to " + Authority(target.url));
}

asio::awaitable<Result<std::shared_ptr<Transport>>> Dial(std::shared_ptr<Flight> flight,
                                                         DialTarget target, Offer offer) {
  auto endpoints = co_await Resolve(flight, target);
  if (!endpoints) co_return std::move(endpoints).error();
  Result<std::shared_ptr<Transport>> connected = Unreachable(target, "the name has no address");
  for (const auto& endpoint : *endpoints) {
    connected = co_await Connect(*flight, endpoint, target, offer);
    if (connected || flight->is_over()) break;
  }
  co_return connected;
}

}  // namespace gs::http
