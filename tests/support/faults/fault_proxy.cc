#include "tests/support/faults/fault_proxy.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "adapters/http/client.h"
#include "adapters/http/server.h"
#include "adapters/runtime/mutex.h"
#include "base/text.h"
#include "tests/support/faults/watch_relay.h"

namespace gs::testing {
namespace {

namespace asio = boost::asio;
using http::Reply;
using runtime::MutexLock;

// More than the clients of a test have under way: the proxy must not make them wait for each other.
constexpr std::size_t kMaxRunning = 1024;

// Headers that speak of one connection and not of the message.
bool IsOfConnection(std::string_view name) {
  for (const std::string_view own :
       {"Host", "Connection", "Content-Length", "Transfer-Encoding", "Expect"}) {
    if (text::EqualsIgnoringCase(name, own)) return true;
  }
  return false;
}

http::Headers Forwardable(const http::Headers& headers) {
  http::Headers kept;
  for (const auto& [name, value] : headers.entries()) {
    if (!IsOfConnection(name)) kept.Add(name, value);
  }
  return kept;
}

int StatusOf(const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  return response == nullptr ? 0 : response->status;
}

bool IsSuccess(int status) { return status >= 200 && status < 300; }

Reply ReplyOf(http::Outcome outcome) {
  auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr) return Reply::Silence();
  response->headers = Forwardable(response->headers);
  return std::move(*response);
}

// The first bytes of a body that then breaks off.
Reply Half(Reply whole, std::size_t bytes) {
  std::string half = whole.response.body.substr(0, bytes);
  whole.response.body.clear();
  return {std::move(whole.response), [half](http::BodyWriter& writer) -> asio::awaitable<void> {
            co_await writer.Write(half);
            throw std::runtime_error("cut");
          }};
}

asio::awaitable<void> Sleep(Duration time) {
  if (time == Duration(0)) co_return;
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<http::Outcome> NoServer() {
  co_return http::NotSent{Error(ErrorKind::kUnavailable, "the proxy is gone")};
}

Result<std::unique_ptr<http::Client>> Connect(runtime::IoThreads& threads,
                                              const kube::ConnectionSettings& settings) {
  auto url = http::ParseUrl(settings.server);
  if (!url) return std::move(url).error().Within("server");
  const http::ClientTls tls{
      .credentials = {.certificate_pem = settings.client_certificate_pem,
                      .key_pem = settings.client_key_pem,
                      .ca_pem = settings.ca_pem},
      .server_name = settings.tls_server_name,
      .check = settings.is_server_verified ? http::ServerCheck::kVerify : http::ServerCheck::kSkip};
  return http::Client::Create(threads, *std::move(url), {.tls = tls, .max_running = kMaxRunning});
}

}  // namespace

bool IsWatch(const http::Request& request) {
  return request.method == http::Method::kGet &&
         (request.target.find("watch=true") != std::string::npos ||
          request.target.find("watch=1") != std::string::npos);
}

// What the handlers share. It lives as long as the last of them.
class FaultProxy::State : public std::enable_shared_from_this<State> {
 public:
  explicit State(http::Client& upstream) : upstream_(&upstream) {}

  // A static function, so that its frame keeps the state.
  static asio::awaitable<Reply> Handle(std::shared_ptr<State> self, http::Request request) {
    Call call = self->Note(std::move(request));
    const auto act = [&](const auto& fault) { return self->Act(call, fault); };
    co_return co_await std::visit(act, call.fault);
  }

  void Decide(DecideFault decide) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    decide_ = std::move(decide);
  }

  void CutWatches(const std::function<bool(const std::string&)>& is_meant) GS_EXCLUDES(mutex_) {
    for (const auto& relay : RelaysOf(is_meant)) relay->Cut();
  }

  void ForwardHeld(http::Client& client) GS_EXCLUDES(mutex_) {
    for (const Call& call : TakeHeld()) Record(call, client.SendAndWait(call.request));
  }

  // From now on there is no server behind the proxy, and everything ends.
  void Close() GS_EXCLUDES(mutex_) {
    CutWatches([](const std::string&) { return true; });
    waiting_.Close();
    const MutexLock lock(mutex_);
    upstream_ = nullptr;
  }

  [[nodiscard]] HeldRequests& waiting() { return waiting_; }

  [[nodiscard]] std::vector<ProxiedRequest> requests(std::size_t since) const GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto first = static_cast<std::ptrdiff_t>(std::min(since, requests_.size()));
    return {requests_.begin() + first, requests_.end()};
  }

  [[nodiscard]] bool WaitUntil(
      const std::function<bool(const std::vector<ProxiedRequest>&)>& is_satisfied,
      runtime::Condition::Deadline deadline) const GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!is_satisfied(requests_)) {
      if (!changed_.WaitUntil(mutex_, deadline)) return is_satisfied(requests_);
    }
    return true;
  }

 private:
  struct Call {
    http::Request request;
    std::size_t number = 0;
    Fault fault;
  };
  struct RunningWatch {
    std::string target;
    std::weak_ptr<WatchRelay> relay;
  };

  Call Note(http::Request request) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const std::size_t number = requests_.size();
    Fault fault = decide_ ? decide_(request, number) : Pass{};
    requests_.push_back({.method = request.method, .target = request.target, .statuses = {}});
    changed_.NotifyAll();
    request.headers = Forwardable(request.headers);
    return {.request = std::move(request), .number = number, .fault = std::move(fault)};
  }

  void Record(const Call& call, const http::Outcome& outcome) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    requests_.at(call.number).statuses.push_back(StatusOf(outcome));
    changed_.NotifyAll();
  }

  std::vector<std::shared_ptr<WatchRelay>> RelaysOf(
      const std::function<bool(const std::string&)>& is_meant) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<WatchRelay>> relays;
    for (const RunningWatch& watch : watches_) {
      auto relay = watch.relay.lock();
      if (relay && is_meant(watch.target)) relays.push_back(std::move(relay));
    }
    return relays;
  }

  std::vector<Call> TakeHeld() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(held_, {});
  }

  asio::awaitable<std::shared_ptr<WatchRelay>> MakeRelay(std::string target, RelayRules rules) {
    auto relay = std::make_shared<WatchRelay>(co_await asio::this_coro::executor, rules);
    const MutexLock lock(mutex_);
    std::erase_if(watches_, [](const RunningWatch& watch) { return watch.relay.expired(); });
    watches_.push_back({.target = std::move(target), .relay = relay});
    co_return relay;
  }

  asio::awaitable<http::Outcome> Send(const http::Request& request) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return upstream_ == nullptr ? NoServer() : upstream_->Send(request);
  }

  asio::awaitable<http::Outcome> Stream(const http::Request& request, WatchRelay& relay)
      GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (upstream_ == nullptr) return NoServer();
    return upstream_->Stream(request, relay.Options(), relay.Sink());
  }

  // The body of a watch to the client; whatever becomes of the reply, the server's side ends too.
  static Reply Streamed(http::Response head, const std::shared_ptr<WatchRelay>& relay) {
    const std::shared_ptr<void> cut_at_end(nullptr, [relay](void*) { relay->Cut(); });
    return {std::move(head),
            [relay, cut_at_end](http::BodyWriter& writer) { return relay->CopyTo(writer); }};
  }

  asio::awaitable<Reply> ForwardWatch(const Call& call, RelayRules rules) {
    const auto relay = co_await MakeRelay(call.request.target, rules);
    asio::co_spawn(co_await asio::this_coro::executor,
                   WatchRelay::Run(relay, Stream(call.request, *relay)), asio::detached);
    http::Outcome head = co_await relay->Head();
    Record(call, head);
    const bool is_streamed = IsSuccess(StatusOf(head));
    Reply reply = ReplyOf(std::move(head));
    if (!is_streamed) co_return reply;
    co_return Streamed(std::move(reply.response), relay);
  }

  asio::awaitable<Reply> Forward(const Call& call) {
    if (IsWatch(call.request)) co_return co_await ForwardWatch(call, {});
    http::Outcome outcome = co_await Send(call.request);
    Record(call, outcome);
    co_return ReplyOf(std::move(outcome));
  }

  asio::awaitable<Reply> Act(const Call& call, Pass) { return Forward(call); }

  asio::awaitable<Reply> Act(const Call& call, Delay delay) {
    co_await Sleep(delay.before_forwarding);
    Reply reply = co_await Forward(call);
    co_await Sleep(delay.before_answering);
    co_return reply;
  }

  asio::awaitable<Reply> Act(const Call& /*call*/, DropBefore) { co_return Reply::Silence(); }

  asio::awaitable<Reply> Act(const Call& call, DropAfter) {
    co_await Forward(call);
    co_return Reply::Silence();
  }

  asio::awaitable<Reply> Act(const Call& call, ForwardLater later) {
    if (later.after) {
      asio::co_spawn(co_await asio::this_coro::executor,
                     ForwardAfter(shared_from_this(), call, *later.after), asio::detached);
      co_return Reply::Silence();
    }
    const MutexLock lock(mutex_);
    held_.push_back(call);
    co_return Reply::Silence();
  }

  static asio::awaitable<void> ForwardAfter(std::shared_ptr<State> self, Call call, Duration time) {
    co_await Sleep(time);
    co_await self->Forward(call);
  }

  asio::awaitable<Reply> Act(const Call& call, Hold hold) {
    const HeldRequest held{.number = call.number, .where = hold.where, .request = call.request};
    if (hold.where == Hold::Where::kBeforeAnswering) {
      Reply reply = co_await Forward(call);
      const LetGo how = co_await waiting_.Wait(held);
      co_return how == LetGo::kPassOn ? std::move(reply) : Reply::Silence();
    }
    const LetGo how = co_await waiting_.Wait(held);
    if (how == LetGo::kDrop) co_return Reply::Silence();
    Reply reply = co_await Forward(call);
    co_return how == LetGo::kPassOn ? std::move(reply) : Reply::Silence();
  }

  asio::awaitable<Reply> Act(const Call& call, LateWatch watch) {
    if (!IsWatch(call.request)) return Forward(call);
    return ForwardWatch(call, {.late = watch.late});
  }

  asio::awaitable<Reply> Act(const Call& call, Duplicate duplicate) {
    Reply first = co_await Forward(call);
    co_await Sleep(duplicate.gap);
    Reply second = co_await Forward(call);
    co_return duplicate.told == Duplicate::Told::kFirst ? std::move(first) : std::move(second);
  }

  asio::awaitable<Reply> Act(const Call& /*call*/, Answer answer) {
    co_return std::move(answer.response);
  }

  asio::awaitable<Reply> Act(const Call& call, CutAfter cut) {
    if (IsWatch(call.request)) co_return co_await ForwardWatch(call, {.limit = cut.bytes});
    Reply reply = co_await Forward(call);
    co_return reply.is_silent ? std::move(reply) : Half(std::move(reply), cut.bytes);
  }

  asio::awaitable<Reply> Act(const Call& call, Freeze) {
    const auto relay = co_await MakeRelay(call.request.target, {});
    if (IsWatch(call.request)) {
      http::Response head{.headers = {{"Content-Type", "application/json"}}};
      co_return Streamed(std::move(head), relay);
    }
    co_await relay->WaitForCut();
    co_return Reply::Silence();
  }

  asio::awaitable<Reply> Act(const Call& call, Remember) {
    Reply reply = co_await Forward(call);
    const MutexLock lock(mutex_);
    remembered_.insert_or_assign(call.request.target, reply.response);
    co_return reply;
  }

  std::optional<http::Response> Remembered(const std::string& target) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = remembered_.find(target);
    return found == remembered_.end() ? std::nullopt : std::optional(found->second);
  }

  asio::awaitable<Reply> Act(const Call& call, Replay) {
    auto old = Remembered(call.request.target);
    if (old) co_return *std::move(old);
    co_return co_await Forward(call);
  }

  mutable runtime::Mutex mutex_;
  mutable runtime::Condition changed_;
  http::Client* upstream_ GS_GUARDED_BY(mutex_);  // null once the proxy is gone
  DecideFault decide_ GS_GUARDED_BY(mutex_);
  std::vector<ProxiedRequest> requests_ GS_GUARDED_BY(mutex_);
  std::vector<Call> held_ GS_GUARDED_BY(mutex_);
  std::vector<RunningWatch> watches_ GS_GUARDED_BY(mutex_);
  std::map<std::string, http::Response> remembered_ GS_GUARDED_BY(mutex_);  // by target
  HeldRequests waiting_;
};

struct FaultProxy::Parts {
  std::unique_ptr<http::Client> upstream;
  std::shared_ptr<State> state;
  std::unique_ptr<http::Server> server;
  Namespace ns;
};

Result<std::unique_ptr<FaultProxy>> FaultProxy::Start(runtime::IoThreads& threads,
                                                      const kube::ConnectionSettings& upstream) {
  auto client = Connect(threads, upstream);
  if (!client) return std::move(client).error().Within(upstream.server);
  auto state = std::make_shared<State>(**client);
  auto server = http::Server::Start(threads, {}, [state](http::Request request) {
    return State::Handle(state, std::move(request));
  });
  if (!server) return std::move(server).error();
  return std::unique_ptr<FaultProxy>(
      new FaultProxy(std::make_unique<Parts>(Parts{.upstream = *std::move(client),
                                                   .state = std::move(state),
                                                   .server = *std::move(server),
                                                   .ns = upstream.ns})));
}

FaultProxy::FaultProxy(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

FaultProxy::~FaultProxy() {
  parts_->server->Shutdown(Duration(0));
  parts_->state->Close();
}

kube::ConnectionSettings FaultProxy::settings() const {
  kube::ConnectionSettings settings;
  settings.server = "http://127.0.0.1:" + std::to_string(parts_->server->port());
  settings.ns = parts_->ns;
  return settings;
}

void FaultProxy::Decide(DecideFault decide) { parts_->state->Decide(std::move(decide)); }

void FaultProxy::Once(http::Method method, std::string part, Fault fault) {
  Decide([method, part = std::move(part), fault = std::move(fault), is_done = false](
             const http::Request& request, std::size_t) mutable -> Fault {
    const bool is_meant =
        request.method == method && request.target.find(part) != std::string::npos;
    if (is_done || !is_meant) return Pass{};
    is_done = true;
    return fault;
  });
}

void FaultProxy::CutAllWatches() {
  CutWatches([](const std::string&) { return true; });
}
void FaultProxy::CutWatches(const std::function<bool(const std::string& target)>& is_meant) {
  parts_->state->CutWatches(is_meant);
}
void FaultProxy::ForwardHeld() { parts_->state->ForwardHeld(*parts_->upstream); }

std::vector<HeldRequest> FaultProxy::held() const { return parts_->state->waiting().all(); }
bool FaultProxy::Release(std::size_t number, LetGo how) {
  return parts_->state->waiting().Release(number, how);
}

std::vector<ProxiedRequest> FaultProxy::requests(std::size_t since) const {
  return parts_->state->requests(since);
}

bool FaultProxy::WaitUntil(
    const std::function<bool(const std::vector<ProxiedRequest>&)>& is_satisfied,
    Duration timeout) const {
  return parts_->state->WaitUntil(is_satisfied, std::chrono::steady_clock::now() + timeout);
}

}  // namespace gs::testing
