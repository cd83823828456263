// ServerConnection: the requests of one connection, one after the other. Inside this folder only.
//
// Thread rule: everything on the strand of the connection's socket.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <stop_token>
#include <string>

#include "adapters/http/message_parser.h"
#include "adapters/http/server.h"
#include "adapters/http/transport.h"

namespace gs::http {

class ServerConnection {
 public:
  // Both references must outlive the connection.
  ServerConnection(std::shared_ptr<Transport> transport, const ServerOptions& options,
                   const Handler& handler)
      : transport_(std::move(transport)), options_(options), handler_(handler) {}

  // Returns when the connection is closed.
  boost::asio::awaitable<void> Serve();

  // The running request is the last one; a resting connection is closed.
  void Drain();
  void Abort();

  [[nodiscard]] Transport& transport() { return *transport_; }

 private:
  boost::asio::awaitable<bool> ServeOne();
  boost::asio::awaitable<bool> ReadRequest(MessageParser<Request>& parser);
  boost::asio::awaitable<bool> ReadMore();
  boost::asio::awaitable<void> InviteBody(MessageParser<Request>& parser);
  boost::asio::awaitable<Reply> Answer(Request request);
  boost::asio::awaitable<bool> WriteReply(Reply reply, Method method, Connection after);
  boost::asio::awaitable<bool> WriteStream(const Reply& reply);
  boost::asio::awaitable<bool> Write(std::string bytes);

  const std::shared_ptr<Transport> transport_;
  const ServerOptions& options_;
  const Handler& handler_;
  Peer peer_;
  std::string buffer_;      // read and not yet used
  bool is_resting_ = true;  // no byte of the next request has come
  bool is_draining_ = false;
  bool may_be_sending_ = false;  // the client, when we are done: refused, or another protocol
  std::stop_source ending_;
};

}  // namespace gs::http
