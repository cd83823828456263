#include "adapters/http/http1_sender.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace gs::http {
namespace {

namespace asio = boost::asio;

Error Late(const Flight& flight) {
  return {ErrorKind::kUnavailable,
          flight.is_cancelled() ? "cancelled" : "no free connection in time"};
}

bool MayRepeat(const Exchanged& exchanged, Method method) {
  return exchanged.nothing_left || (IsReading(method) && exchanged.nothing_arrived);
}

}  // namespace

Http1Sender::Http1Sender(asio::any_io_executor strand, ClientOptions options, DialTarget target)
    : strand_(std::move(strand)),
      options_(std::move(options)),
      target_(std::move(target)),
      pool_(options_.max_running, options_.idle_timeout) {}

void Http1Sender::Send(std::shared_ptr<Http1Sender> self, std::unique_ptr<Call> call,
                       std::shared_ptr<Transport> fresh) {
  const auto strand = self->strand_;
  asio::co_spawn(strand, SendHere(std::move(self), std::move(call), std::move(fresh)),
                 asio::detached);
}

asio::awaitable<void> Http1Sender::SendHere(std::shared_ptr<Http1Sender> self,
                                            std::unique_ptr<Call> call,
                                            std::shared_ptr<Transport> fresh) {
  Order order{.request = std::move(call->request),
              .rules = {.limits = self->options_.limits, .on_head = nullptr, .on_chunk = nullptr},
              .deadline = call->deadline,
              .stop = call->stop,
              .fresh = std::move(fresh)};
  Tried tried = co_await self->Run(order);
  if (tried.outcome) {
    call->Tell(*std::move(tried.outcome));
    co_return;
  }
  call->request = std::move(order.request);
  self->reroute_(std::move(call), std::move(tried.http2));
}

asio::awaitable<Outcome> Http1Sender::Stream(std::shared_ptr<Http1Sender> self, Order order) {
  Tried tried = co_await self->Run(order);
  co_return *std::move(tried.outcome);
}

asio::awaitable<Http1Sender::Tried> Http1Sender::Run(Order& order) {
  const auto flight = std::make_shared<Flight>(strand_, order.deadline);
  if (is_closed_ || order.stop.stop_requested()) flight->Cancel();
  flights_.insert(flight);
  const std::stop_callback cancel(order.stop, [strand = strand_, flight] {
    asio::post(strand, [flight] { flight->Cancel(); });
  });
  Tried tried;
  try {
    tried = co_await Fly(flight, order);
  } catch (const std::exception& problem) {
    // Whether something was written is not known here, so the careful answer is the right one.
    tried.outcome = Unknown{Error(ErrorKind::kInternal, problem.what())};
  }
  flights_.erase(flight);
  co_return tried;
}

asio::awaitable<Http1Sender::Tried> Http1Sender::Fly(std::shared_ptr<Flight> flight, Order& order) {
  // A stream lives long; if it held a slot, a few of them would stop everything else.
  if (order.rules.on_chunk) co_return co_await FlyInSlot(flight, order);
  if (!co_await pool_.TakeSlot(flight)) co_return Tried{.outcome = NotSent{Late(*flight)}};
  const std::shared_ptr<void> slot(nullptr, [this](void*) { pool_.GiveSlotBack(); });
  co_return co_await FlyInSlot(flight, order);
}

asio::awaitable<Http1Sender::Tried> Http1Sender::FlyInSlot(std::shared_ptr<Flight> flight,
                                                           Order& order) {
  if (flight->is_over()) co_return Tried{.outcome = NotSent{Late(*flight)}};
  const int generation = generation_;
  if (order.fresh) co_return co_await TryOn(flight, order, {std::move(order.fresh), generation});
  if (auto resting = pool_.TakeResting()) {
    auto tried = co_await TryOn(flight, order, {std::move(resting), generation, true});
    if (tried.outcome) co_return tried;
  }
  co_return co_await FlyAnew(flight, order);
}

asio::awaitable<Http1Sender::Tried> Http1Sender::FlyAnew(std::shared_ptr<Flight> flight,
                                                         const Order& order) {
  const int generation = generation_;
  const Offer offer = order.rules.on_chunk ? Offer::kHttp1 : Offer::kHttp2OrHttp1;
  auto dialled = co_await Dial(flight, target_, offer);
  if (!dialled) co_return Tried{.outcome = NotSent{std::move(dialled).error()}};
  if ((*dialled)->speaks_http2()) {
    flight->Use(nullptr);  // it will not be this request's alone
    if (generation == generation_) co_return Tried{.http2 = *std::move(dialled)};
    (*dialled)->Close();
    co_return Tried{};
  }
  co_return co_await TryOn(flight, order, {*std::move(dialled), generation});
}

asio::awaitable<Http1Sender::Tried> Http1Sender::TryOn(std::shared_ptr<Flight> flight,
                                                       const Order& order, Way way) {
  const auto transport = std::move(way.transport);
  flight->Use(transport);
  const Method method = order.request.method;
  const std::string wire = PrintHead(order.request, Authority(target_.url)) + order.request.body;
  if (options_.hooks.before_write) options_.hooks.before_write(order.request);
  Exchanged exchanged = co_await Exchange(*flight, *transport, method, wire, order.rules);
  flight->Use(nullptr);
  const auto* answer = std::get_if<Response>(&exchanged.outcome);
  if (answer != nullptr && options_.hooks.on_answer) {
    options_.hooks.on_answer(order.request, *answer);
  }
  if (exchanged.can_be_kept && way.generation == generation_ && !is_closed_) {
    pool_.Rest(transport);
  } else {
    transport->Close();
  }
  const bool is_stale = way.is_kept && answer == nullptr;
  if (is_stale && !flight->is_over() && MayRepeat(exchanged, method)) co_return Tried{};
  co_return Tried{.outcome = std::move(exchanged.outcome)};
}

void Http1Sender::UseContext(TlsContext context) {
  target_.tls = std::move(context);
  ++generation_;
  pool_.CloseResting();
}

void Http1Sender::Close() {
  is_closed_ = true;
  pool_.CloseResting();
  for (const auto& flight : flights_) flight->Cancel();
}

}  // namespace gs::http
