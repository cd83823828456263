#include "adapters/http/flight.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gs::http {

boost::asio::awaitable<void> Flight::Wait() {
  error_code ignored;
  co_await alarm_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

void Flight::Cancel() {
  is_cancelled_ = true;
  alarm_.cancel();
  if (transport_) transport_->Close();
}

}  // namespace gs::http
