#include "adapters/http/client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <future>
#include <set>
#include <utility>

#include "adapters/http/dial.h"
#include "adapters/http/exchange.h"
#include "adapters/http/flight.h"
#include "adapters/http/handoff.h"
#include "adapters/http/pool.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;

// One request with everything that decides how it is sent.
struct Order {
  Request request;
  ExchangeRules rules;
  Duration timeout;
  std::stop_token stop;
};

// Far timeouts must not overflow the clock.
Deadline After(Duration timeout) {
  constexpr Duration kMost = std::chrono::hours(24 * 365);
  return std::chrono::steady_clock::now() + std::min(timeout, kMost);
}

Error Late(const Flight& flight) {
  return {ErrorKind::kUnavailable,
          flight.is_cancelled() ? "cancelled" : "no free connection in time"};
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

  // Errors are values in here: see RunHere.
  void operator()(const std::exception_ptr& /*none*/, Outcome outcome) {
    std::exchange(then_, nullptr)(std::move(outcome));
  }

 private:
  std::function<void(Outcome)> then_;
};

bool MayRepeat(const Exchanged& exchanged, Method method) {
  return exchanged.nothing_left || (IsReading(method) && exchanged.nothing_arrived);
}

}  // namespace

// Everything but `strand` belongs to the strand.
struct Client::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, Url url, ClientOptions given)
      : strand(asio::make_strand(context)),
        options(std::move(given)),
        target{.url = std::move(url), .tls = nullptr, .server_name = options.tls.server_name},
        pool(options.max_running, options.idle_timeout) {
    if (target.server_name.empty()) target.server_name = target.url.host;
  }

  // Begins on the strand and tells `then`; returns at once.
  static void Start(const std::shared_ptr<State>& self, Order order,
                    std::function<void(Outcome)> then);
  // The static functions keep the state alive while they run.
  static asio::awaitable<Outcome> Run(std::shared_ptr<State> self, Order order);
  static asio::awaitable<Outcome> RunHere(std::shared_ptr<State> self, Order order);
  asio::awaitable<Outcome> Fly(std::shared_ptr<Flight> flight, const Order& order);
  asio::awaitable<Outcome> FlyInSlot(std::shared_ptr<Flight> flight, const Order& order);
  asio::awaitable<std::optional<Outcome>> Try(std::shared_ptr<Flight> flight, const Order& order,
                                              std::shared_ptr<Transport> resting);
  void Close();

  Order MakeOrder(Request request, SendOptions how) const {
    return {.request = std::move(request),
            .rules = {.limits = options.limits, .on_head = nullptr, .on_chunk = nullptr},
            .timeout = how.timeout,
            .stop = std::move(how.stop)};
  }
  Order MakeOrder(Request request, StreamOptions how, OnChunkAsync on_chunk) const {
    return {.request = std::move(request),
            .rules = {.limits = options.limits,
                      .on_head = std::move(how.on_head),
                      .on_chunk = std::move(on_chunk),
                      .stream_idle_timeout = how.idle_timeout},
            .timeout = how.head_timeout,
            .stop = std::move(how.stop)};
  }

  const asio::strand<asio::io_context::executor_type> strand;
  const ClientOptions options;
  DialTarget target;
  Pool pool;
  int generation = 0;  // counts the credentials
  bool is_closed = false;
  std::set<std::shared_ptr<Flight>> flights;
};

asio::awaitable<Outcome> Client::State::Run(std::shared_ptr<State> self, Order order) {
  co_return co_await asio::co_spawn(self->strand, RunHere(self, std::move(order)),
                                    asio::use_awaitable);
}

void Client::State::Start(const std::shared_ptr<State>& self, Order order,
                          std::function<void(Outcome)> then) {
  asio::co_spawn(self->strand, RunHere(self, std::move(order)), Once(std::move(then)));
}

asio::awaitable<Outcome> Client::State::RunHere(std::shared_ptr<State> self, Order order) {
  auto checked = CheckRequest(order.request);
  if (!checked) co_return NotSent{std::move(checked).error()};
  const auto flight = std::make_shared<Flight>(self->strand, After(order.timeout));
  if (self->is_closed || order.stop.stop_requested()) flight->Cancel();
  self->flights.insert(flight);
  const std::stop_callback cancel(
      order.stop, [self, flight] { asio::post(self->strand, [flight] { flight->Cancel(); }); });
  Outcome outcome = NotSent{Late(*flight)};
  try {
    outcome = co_await self->Fly(flight, order);
  } catch (const std::exception& problem) {
    // Whether something was written is not known here, so the careful answer is the right one.
    outcome = Unknown{Error(ErrorKind::kInternal, problem.what())};
  }
  self->flights.erase(flight);
  co_return outcome;
}

asio::awaitable<Outcome> Client::State::Fly(std::shared_ptr<Flight> flight, const Order& order) {
  // A stream lives long; if it held a slot, a few of them would stop everything else.
  if (order.rules.on_chunk) co_return co_await FlyInSlot(flight, order);
  if (!co_await pool.TakeSlot(flight)) co_return NotSent{Late(*flight)};
  const std::shared_ptr<void> slot(nullptr, [this](void*) { pool.GiveSlotBack(); });
  co_return co_await FlyInSlot(flight, order);
}

asio::awaitable<Outcome> Client::State::FlyInSlot(std::shared_ptr<Flight> flight,
                                                  const Order& order) {
  if (flight->is_over()) co_return NotSent{Late(*flight)};
  if (auto resting = pool.TakeResting()) {
    auto outcome = co_await Try(flight, order, std::move(resting));
    if (outcome) co_return *std::move(outcome);
  }
  auto outcome = co_await Try(flight, order, nullptr);
  co_return *std::move(outcome);
}

// Nothing if a resting connection was dead and the request may be sent again.
asio::awaitable<std::optional<Outcome>> Client::State::Try(std::shared_ptr<Flight> flight,
                                                           const Order& order,
                                                           std::shared_ptr<Transport> resting) {
  const int credentials = generation;
  std::shared_ptr<Transport> transport = resting;
  if (!transport) {
    auto dialled = co_await Dial(flight, target);
    if (!dialled) co_return NotSent{std::move(dialled).error()};
    transport = *std::move(dialled);
  }
  flight->Use(transport);
  const Method method = order.request.method;
  const std::string wire = PrintHead(order.request, Authority(target.url)) + order.request.body;
  if (options.hooks.before_write) options.hooks.before_write(order.request);
  Exchanged exchanged = co_await Exchange(*flight, *transport, method, wire, order.rules);
  flight->Use(nullptr);
  const auto* answer = std::get_if<Response>(&exchanged.outcome);
  if (answer != nullptr && options.hooks.on_answer) options.hooks.on_answer(order.request, *answer);
  if (exchanged.can_be_kept && credentials == generation && !is_closed) {
    pool.Rest(transport);
  } else {
    transport->Close();
  }
  const bool is_stale = resting != nullptr && ErrorOf(exchanged.outcome) != nullptr;
  if (is_stale && !flight->is_over() && MayRepeat(exchanged, method)) co_return std::nullopt;
  co_return std::move(exchanged.outcome);
}

void Client::State::Close() {
  is_closed = true;
  pool.CloseResting();
  for (const auto& flight : flights) flight->Cancel();
}

Result<std::unique_ptr<Client>> Client::Create(runtime::IoThreads& threads, Url origin,
                                               ClientOptions options) {
  auto state = std::make_shared<State>(threads.context(), std::move(origin), std::move(options));
  if (state->target.url.is_tls) {
    const ClientTls& tls = state->options.tls;
    auto context = MakeClientContext(tls.credentials, tls.check);
    if (!context) return std::move(context).error();
    state->target.tls = *std::move(context);
  }
  return std::unique_ptr<Client>(new Client(std::move(state)));
}

Client::Client(std::shared_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() {
  asio::post(state_->strand, [state = state_] { state->Close(); });
}

asio::awaitable<Outcome> Client::Send(Request request, SendOptions options) {
  return State::Run(state_, state_->MakeOrder(std::move(request), std::move(options)));
}

asio::awaitable<Outcome> Client::Stream(Request request, StreamOptions options,
                                        OnChunkAsync on_chunk) {
  return State::Run(state_,
                    state_->MakeOrder(std::move(request), std::move(options), std::move(on_chunk)));
}

void Client::SendThen(Request request, SendOptions options, std::function<void(Outcome)> then) {
  State::Start(state_, state_->MakeOrder(std::move(request), std::move(options)), std::move(then));
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
  State::Start(state_, state_->MakeOrder(std::move(request), std::move(options), give),
               [handoff](Outcome outcome) { handoff->Finish(std::move(outcome)); });
  return handoff->Serve(on_chunk, stop);
}

Result<void> Client::UseCredentials(const TlsCredentials& credentials) {
  auto context = MakeClientContext(credentials, state_->options.tls.check);
  if (!context) return std::move(context).error();
  asio::post(state_->strand, [state = state_, context = *std::move(context)] {
    if (state->target.url.is_tls) state->target.tls = context;
    ++state->generation;
    state->pool.CloseResting();
  });
  return {};
}

}  // namespace gs::http
