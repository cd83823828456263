#include "adapters/localcluster/server/server.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "adapters/localcluster/server/watch_body.h"

namespace gs::localcluster {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxConnections = 4096;
constexpr std::size_t kWaitingThreads = 16;
// The real server's limit for one request.
constexpr std::size_t kMaxBodyBytes = std::size_t{3} << 20;

asio::awaitable<void> WriteItems(std::shared_ptr<const ItemsBody> items, http::BodyWriter& writer) {
  std::size_t next = 0;
  std::string piece = items->head;
  do {
    piece += items->Print(next, kPieceBytes);
    if (next == items->items.size()) piece += items->tail;
    if (!co_await writer.Write(std::exchange(piece, {}))) co_return;
  } while (next < items->items.size());
}

http::Response HeadOf(const ApiReply& reply) {
  return {.status = reply.status,
          .headers = {{"Content-Type", reply.content_type}, {"Cache-Control", "no-cache, private"}},
          .body = {}};
}

// Small lists go out in one piece with their length.
bool IsSmall(const ItemsBody& items) { return items.items.size() <= 16; }

http::Reply ToHttp(Store& store, ApiReply reply) {
  auto head = HeadOf(reply);
  if (reply.watch) return {std::move(head), WatchBody(store, std::move(reply.watch))};
  if (reply.items && !IsSmall(*reply.items)) {
    return {std::move(head), [items = std::move(reply.items)](http::BodyWriter& writer) {
              return WriteItems(items, writer);
            }};
  }
  head.body = reply.Text();
  return head;
}

User UserOf(const http::Peer& peer) {
  User user{.name = peer.name, .groups = peer.groups};
  user.groups.emplace_back("system:authenticated");
  return user;
}

http::Reply Respond(Api& api, const AskKubelet& kubelet, http::Request request) {
  auto user = UserOf(request.peer);
  const auto call = TakeApart(std::move(request), std::move(user));
  if (kubelet) {
    if (auto reply = kubelet(call)) return *std::move(reply);
  }
  return ToHttp(api.store(), api.Handle(call));
}

// What the handler needs; shared with requests that are still running when the server goes.
struct Desk {
  Api& api;
  const AskKubelet kubelet;
  const std::function<bool()> has_webhooks;
  asio::thread_pool waiting{kWaitingThreads};
};

// On one of the waiting threads. What is returned has to be something that can be empty.
asio::awaitable<std::optional<http::Reply>> RespondLater(std::shared_ptr<Desk> desk,
                                                         http::Request request) {
  co_return Respond(desk->api, desk->kubelet, std::move(request));
}

asio::awaitable<http::Reply> Handle(std::shared_ptr<Desk> desk, http::Request request) {
  const bool waits = !http::IsReading(request.method) && desk->has_webhooks && desk->has_webhooks();
  if (!waits) co_return Respond(desk->api, desk->kubelet, std::move(request));
  auto reply = co_await asio::co_spawn(desk->waiting, RespondLater(desk, std::move(request)),
                                       asio::use_awaitable);
  co_return std::move(*reply);
}

}  // namespace

struct Server::State {
  std::shared_ptr<Desk> desk;
  std::unique_ptr<http::Server> server;
};

Result<std::unique_ptr<Server>> Server::Start(runtime::IoThreads& threads, Api& api,
                                              ServerOptions options) {
  http::ServerOptions listen{
      .address = options.address,
      .port = options.port,
      .tls = http::ServerTls{.credentials = std::move(options.credentials),
                             .check = http::ClientCheck::kRequired},
      .limits = {.max_head_bytes = std::size_t{64} << 10, .max_body_bytes = kMaxBodyBytes},
      .max_connections = kMaxConnections};
  const std::shared_ptr<Desk> desk(new Desk{.api = api,
                                            .kubelet = std::move(options.kubelet),
                                            .has_webhooks = std::move(options.has_webhooks)});
  auto started = http::Server::Start(threads, std::move(listen), [desk](http::Request request) {
    return Handle(desk, std::move(request));
  });
  if (!started) return std::move(started).error();
  auto state = std::make_unique<State>();
  state->desk = desk;
  state->server = *std::move(started);
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  state_->server.reset();
  state_->desk->waiting.join();
}

std::uint16_t Server::port() const { return state_->server->port(); }

void Server::Shutdown(Duration grace) { state_->server->Shutdown(grace); }

}  // namespace gs::localcluster
