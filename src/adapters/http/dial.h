// Dial: from a URL to a connection that is ready to be written to, or the reason why there is none.
// Inside this folder only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "adapters/http/flight.h"
#include "adapters/http/transport.h"
#include "adapters/http/url.h"

namespace gs::http {

struct DialTarget {
  Url url;
  TlsContext tls;           // null for plain HTTP
  std::string server_name;  // what the certificate must say
};

// Tries the addresses of a name in turn until the deadline of the flight.
boost::asio::awaitable<Result<std::shared_ptr<Transport>>> Dial(std::shared_ptr<Flight> flight,
                                                                DialTarget target, Offer offer);

// What is said of one that did not come to an end.
[[nodiscard]] Error Unreachable(const DialTarget& target, std::string why);

}  // namespace gs::http
