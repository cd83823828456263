#include "adapters/http/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <set>
#include <utility>

#include "adapters/http/server_connection.h"
#include "adapters/runtime/mutex.h"
#include "base/check.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using runtime::MutexLock;

// When descriptors have run out, trying again at once would only burn time.
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

Result<void> Listen(tcp::acceptor& acceptor, const ServerOptions& options) {
  error_code ec;
  const auto address = asio::ip::make_address(options.address, ec);
  if (ec) {
    return Error(ErrorKind::kInvalid, "'" + options.address + "' is no IP address")
        .Advise("write 0.0.0.0 or :: for every address of this machine");
  }
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (!ec) return {};
  return Error(ErrorKind::kUnavailable, ec.message())
      .Within("cannot listen on " + options.address + ":" + std::to_string(options.port));
}

}  // namespace

struct Server::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, ServerOptions given, Handler answer)
      : context(io),
        options(std::move(given)),
        handler(std::move(answer)),
        acceptor(asio::make_strand(io)) {}

  static asio::awaitable<void> Accept(std::shared_ptr<State> self);
  static asio::awaitable<void> Serve(std::shared_ptr<State> self,
                                     std::shared_ptr<ServerConnection> connection);
  // Null if there is no room.
  std::shared_ptr<ServerConnection> Admit(tcp::socket socket) GS_EXCLUDES(mutex);
  void ForEach(void (ServerConnection::*act)()) GS_EXCLUDES(mutex);
  void StopAccepting() GS_EXCLUDES(mutex);
  void WaitUntilEmpty(Deadline deadline) GS_EXCLUDES(mutex);

  asio::io_context& context;
  const ServerOptions options;
  const Handler handler;
  std::uint16_t port = 0;
  tcp::acceptor acceptor;  // on its own strand

  runtime::Mutex mutex;
  runtime::Condition changed;
  TlsContext tls GS_GUARDED_BY(mutex);
  bool is_closing GS_GUARDED_BY(mutex) = false;
  std::set<std::shared_ptr<ServerConnection>> connections GS_GUARDED_BY(mutex);
};

asio::awaitable<void> Server::State::Accept(std::shared_ptr<State> self) {
  while (self->acceptor.is_open()) {
    tcp::socket socket(asio::make_strand(self->context));
    error_code ec;
    co_await self->acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == asio::error::operation_aborted) co_return;
    if (ec) {
      asio::steady_timer pause(self->acceptor.get_executor(), kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
      continue;
    }
    const auto executor = socket.get_executor();
    const auto connection = self->Admit(std::move(socket));
    if (connection) asio::co_spawn(executor, Serve(self, connection), asio::detached);
  }
}

asio::awaitable<void> Server::State::Serve(std::shared_ptr<State> self,
                                           std::shared_ptr<ServerConnection> connection) {
  try {
    co_await connection->Serve();
  } catch (const std::exception&) {
    // Only memory can have run out: the client sees a closed connection, the others go on.
    connection->Abort();
  }
  const MutexLock lock(self->mutex);
  self->connections.erase(connection);
  self->changed.NotifyAll();
}

std::shared_ptr<ServerConnection> Server::State::Admit(tcp::socket socket) {
  const MutexLock lock(mutex);
  if (is_closing || connections.size() >= options.max_connections) return nullptr;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto transport = tls ? MakeTlsServer(std::move(socket), tls) : MakePlain(std::move(socket));
  auto connection = std::make_shared<ServerConnection>(std::move(transport), options, handler);
  connections.insert(connection);
  return connection;
}

void Server::State::ForEach(void (ServerConnection::*act)()) {
  const MutexLock lock(mutex);
  for (const auto& connection : connections) {
    const auto executor = connection->transport().socket().get_executor();
    asio::post(executor,
               [self = shared_from_this(), connection, act] { (connection.get()->*act)(); });
  }
}

void Server::State::StopAccepting() {
  {
    const MutexLock lock(mutex);
    is_closing = true;
  }
  asio::post(acceptor.get_executor(), [self = shared_from_this()] {
    error_code ignored;
    self->acceptor.close(ignored);
    const MutexLock lock(self->mutex);
    self->changed.NotifyAll();
  });
}

void Server::State::WaitUntilEmpty(Deadline deadline) {
  const MutexLock lock(mutex);
  while (!connections.empty()) {
    if (!changed.WaitUntil(mutex, deadline)) return;
  }
}

Result<std::unique_ptr<Server>> Server::Start(runtime::IoThreads& threads, ServerOptions options,
                                              Handler handler) {
  auto state = std::make_shared<State>(threads.context(), std::move(options), std::move(handler));
  if (state->options.tls) {
    auto context = MakeServerContext(*state->options.tls);
    if (!context) return std::move(context).error();
    const MutexLock lock(state->mutex);
    state->tls = *std::move(context);
  }
  auto listening = Listen(state->acceptor, state->options);
  if (!listening) return std::move(listening).error();
  error_code ec;
  state->port = state->acceptor.local_endpoint(ec).port();
  asio::co_spawn(state->acceptor.get_executor(), State::Accept(state), asio::detached);
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::shared_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() { Shutdown(Duration(0)); }

std::uint16_t Server::port() const { return state_->port; }

Result<void> Server::UseCredentials(const TlsCredentials& credentials) {
  GS_CHECK(state_->options.tls.has_value());
  auto context =
      MakeServerContext({.credentials = credentials, .check = state_->options.tls->check});
  if (!context) return std::move(context).error();
  const MutexLock lock(state_->mutex);
  state_->tls = *std::move(context);
  return {};
}

void Server::Shutdown(Duration grace) {
  state_->StopAccepting();
  state_->ForEach(&ServerConnection::Drain);
  state_->WaitUntilEmpty(std::chrono::steady_clock::now() + grace);
  state_->ForEach(&ServerConnection::Abort);
}

}  // namespace gs::http
