// Exchange: one request written to one connection and its response read from it, without repeating
// anything. Inside this folder only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "adapters/http/flight.h"
#include "adapters/http/message_parser.h"
#include "adapters/http/outcome.h"
#include "adapters/http/transport.h"

namespace gs::http {

struct ExchangeRules {
  Limits limits;
  std::function<void(const Response&)> on_head;  // of a 2xx response to a stream; may be empty
  // Set for a stream: gets the body of a 2xx response as it comes; false ends the stream. Nothing
  // is read before it has returned.
  std::function<boost::asio::awaitable<bool>(std::string_view)> on_chunk;
  std::chrono::nanoseconds stream_idle_timeout{0};  // 0: none
};

struct Exchanged {
  Outcome outcome;
  bool nothing_left = false;     // no byte of the request was written
  bool nothing_arrived = false;  // no byte of a response came
  bool can_be_kept = false;      // the connection is ready for another request
};

// `wire` is the request as it is written. Every reference must live until the end.
boost::asio::awaitable<Exchanged> Exchange(const Flight& flight, Transport& transport,
                                           Method method, const std::string& wire,
                                           const ExchangeRules& rules);

}  // namespace gs::http
