#include "adapters/http/client.h"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <future>
#include <utility>

#include "adapters/http/handoff.h"
#include "adapters/http/http1_sender.h"
#include "adapters/http/http2_sender.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;

DialTarget TargetOf(Url url, TlsContext context, const ClientOptions& options) {
  std::string name = options.tls.server_name.empty() ? url.host : options.tls.server_name;
  return {.url = std::move(url), .tls = std::move(context), .server_name = std::move(name)};
}

// Calls a function exactly once, also if whoever was to call it is destroyed before.
class Once {
 public:
  explicit Once(std::function<void(Outcome)> then) : then_(std::move(then)) {}
  ~Once() {
    if (then_) then_(Unknown{Error(ErrorKind::kUnavailable, "the I/O threads have stopped")});
  }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;
  Once(Once&& other) noexcept : then_(std::exchange(other.then_, nullptr)) {}
  Once& operator=(Once&&) = delete;

  // Errors are values in here: see Http1Sender.
  void operator()(const std::exception_ptr& /*none*/, Outcome outcome) {
    std::exchange(then_, nullptr)(std::move(outcome));
  }

 private:
  std::function<void(Outcome)> then_;
};

asio::awaitable<Outcome> NeverSent(Error why) { co_return NotSent{std::move(why)}; }

}  // namespace

struct Client::State {
  State(asio::io_context& context, const ClientOptions& given, const DialTarget& target)
      : strand(asio::make_strand(context)),
        options(given),
        is_tls(target.tls != nullptr),
        http1(std::make_shared<Http1Sender>(strand, given, target)),
        http2(std::make_shared<Http2Sender>(strand, given, target, ToHttp1())) {
    http1->SetReroute(ToHttp2());
  }

  // What is not its own, each passes on to the other. Neither may keep the other alive.
  [[nodiscard]] Http2Sender::Reroute ToHttp1() const {
    return [weak = std::weak_ptr(http1)](std::unique_ptr<Call> call,
                                         std::shared_ptr<Transport> fresh) {
      if (auto sender = weak.lock()) {
        Http1Sender::Send(std::move(sender), std::move(call), std::move(fresh));
      }
    };
  }
  [[nodiscard]] Http1Sender::Reroute ToHttp2() const {
    return [weak = std::weak_ptr(http2)](std::unique_ptr<Call> call,
                                         std::shared_ptr<Transport> transport) {
      if (const auto sender = weak.lock()) sender->SendOn(std::move(call), std::move(transport));
    };
  }

  void Send(Request request, SendOptions how, std::function<void(Outcome)> then) const;
  static asio::awaitable<Outcome> SendAndSuspend(std::shared_ptr<State> self, Request request,
                                                 SendOptions how);
  [[nodiscard]] asio::awaitable<Outcome> Stream(Request request, StreamOptions how,
                                                OnChunkAsync on_chunk) const;

  const asio::strand<asio::io_context::executor_type> strand;
  const ClientOptions options;
  const bool is_tls;
  const std::shared_ptr<Http1Sender> http1;
  const std::shared_ptr<Http2Sender> http2;  // asked first, where there is TLS to agree on it
};

void Client::State::Send(Request request, SendOptions how,
                         std::function<void(Outcome)> then) const {
  auto checked = CheckRequest(request);
  auto call = std::make_unique<Call>(std::move(request), After(how.timeout), std::move(how.stop),
                                     std::move(then));
  if (!checked) {
    asio::post(strand, [call = std::move(call), why = std::move(checked).error()]() mutable {
      call->Tell(NotSent{std::move(why)});
    });
  } else if (is_tls) {
    http2->Send(std::move(call));
  } else {
    Http1Sender::Send(http1, std::move(call), nullptr);
  }
}

asio::awaitable<Outcome> Client::State::SendAndSuspend(std::shared_ptr<State> self, Request request,
                                                       SendOptions how) {
  const auto begin = [&](auto handler) {
    const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
    self->Send(std::move(request), std::move(how), [waiting](Outcome outcome) {
      asio::post(
          asio::get_associated_executor(*waiting),
          [waiting, outcome = std::move(outcome)]() mutable { (*waiting)(std::move(outcome)); });
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
      begin, asio::use_awaitable);
}

asio::awaitable<Outcome> Client::State::Stream(Request request, StreamOptions how,
                                               OnChunkAsync on_chunk) const {
  if (auto checked = CheckRequest(request); !checked) {
    return NeverSent(std::move(checked).error());
  }
  return Http1Sender::Stream(http1, {.request = std::move(request),
                                     .rules = {.limits = options.limits,
                                               .on_head = std::move(how.on_head),
                                               .on_chunk = std::move(on_chunk),
                                               .stream_idle_timeout = how.idle_timeout},
                                     .deadline = After(how.head_timeout),
                                     .stop = std::move(how.stop)});
}

Result<std::unique_ptr<Client>> Client::Create(runtime::IoThreads& threads, Url origin,
                                               const ClientOptions& options) {
  TlsContext tls;
  if (origin.is_tls) {
    auto context = MakeClientContext(options.tls.credentials, options.tls.check);
    if (!context) return std::move(context).error();
    tls = *std::move(context);
  }
  const DialTarget target = TargetOf(std::move(origin), std::move(tls), options);
  return std::unique_ptr<Client>(
      new Client(std::make_shared<State>(threads.context(), options, target)));
}

Client::Client(std::shared_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() {
  asio::post(state_->strand, [state = state_] {
    state->http1->Close();
    state->http2->Close();
  });
}

asio::awaitable<Outcome> Client::Send(Request request, SendOptions options) {
  return State::SendAndSuspend(state_, std::move(request), std::move(options));
}

asio::awaitable<Outcome> Client::Stream(Request request, StreamOptions options,
                                        OnChunkAsync on_chunk) {
  auto stream = state_->Stream(std::move(request), std::move(options), std::move(on_chunk));
  return asio::co_spawn(state_->strand, std::move(stream), asio::use_awaitable);
}

void Client::SendThen(Request request, SendOptions options, std::function<void(Outcome)> then) {
  state_->Send(std::move(request), std::move(options), std::move(then));
}

Outcome Client::SendAndWait(Request request, SendOptions options) {
  std::promise<Outcome> promise;
  auto outcome = promise.get_future();
  SendThen(std::move(request), std::move(options),
           [&promise](Outcome answer) { promise.set_value(std::move(answer)); });
  return outcome.get();
}

Outcome Client::StreamAndWait(Request request, StreamOptions options, const OnChunk& on_chunk) {
  const auto handoff = std::make_shared<Handoff>(state_->strand);
  std::stop_source stop;
  const std::stop_callback stop_with_caller(options.stop, [&stop] { stop.request_stop(); });
  options.stop = stop.get_token();
  options.on_head = [handoff, tell = std::move(options.on_head)](const Response& head) {
    handoff->Begin(head);
    if (tell) tell(head);
  };
  const auto give = [handoff](std::string_view bytes) -> asio::awaitable<bool> {
    co_await handoff->Give(bytes);
    co_return true;
  };
  asio::co_spawn(state_->strand, state_->Stream(std::move(request), std::move(options), give),
                 Once([handoff](Outcome outcome) { handoff->Finish(std::move(outcome)); }));
  return handoff->Serve(on_chunk, stop);
}

Result<void> Client::UseCredentials(const TlsCredentials& credentials) {
  auto context = MakeClientContext(credentials, state_->options.tls.check);
  if (!context) return std::move(context).error();
  if (!state_->is_tls) *context = nullptr;
  asio::post(state_->strand, [state = state_, context = *std::move(context)] {
    state->http1->UseContext(context);
    state->http2->UseContext(context);
  });
  return {};
}

}  // namespace gs::http
