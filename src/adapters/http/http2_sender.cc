#include "adapters/http/http2_sender.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace gs::http {
namespace {

namespace asio = boost::asio;
using runtime::MutexLock;
using std::chrono::steady_clock;

// A dial that takes longer is begun anew for those who still wait: the way may be free again.
constexpr auto kLongestDial = std::chrono::seconds(10);

}  // namespace

Http2Sender::Http2Sender(asio::any_io_executor strand, ClientOptions options, DialTarget target,
                         Reroute reroute)
    : strand_(std::move(strand)),
      options_(std::move(options)),
      reroute_(std::move(reroute)),
      target_(std::move(target)),
      alarm_(strand_) {}

void Http2Sender::Send(std::unique_ptr<Call> call) {
  {
    const MutexLock lock(mutex_);
    inbox_.push_back(std::move(call));
    if (inbox_.size() > 1) return;  // somebody has been asked to look
  }
  asio::post(strand_, [self = shared_from_this()] {
    self->TakeInbox();
    self->Pump();
  });
}

void Http2Sender::TakeInbox() {
  std::vector<std::unique_ptr<Call>> calls;
  {
    const MutexLock lock(mutex_);
    calls.swap(inbox_);
  }
  for (auto& call : calls) Admit(std::move(call));
}

void Http2Sender::Admit(std::unique_ptr<Call> call) {
  if (is_closed_ || call->is_over()) return Refuse(*call);
  if (speaks_http1_) return reroute_(std::move(call), nullptr);
  call->number = ++last_number_;
  WatchStop(*call);
  WatchDeadline(call->deadline);
  waiting_.push_back(std::move(call));
}

void Http2Sender::Refuse(Call& call) const {
  const bool is_cancelled = is_closed_ || call.stop.stop_requested();
  if (dial_) {
    const char* why = is_cancelled ? "cancelled" : "no connection in time";
    return call.Tell(NotSent{Unreachable(target_, why)});
  }
  const char* why = is_cancelled ? "cancelled" : "no free connection in time";
  call.Tell(NotSent{Error(ErrorKind::kUnavailable, why)});
}

void Http2Sender::WatchStop(Call& call) {
  if (!call.stop.stop_possible()) return;
  call.on_stop.emplace(call.stop, [weak = weak_from_this(), number = call.number] {
    const auto self = weak.lock();
    if (self) asio::post(self->strand_, [self, number] { self->Cancel(number); });
  });
}

void Http2Sender::WatchDeadline(Deadline deadline) {
  if (deadline >= alarm_at_) return;
  alarm_at_ = deadline;
  alarm_.expires_at(deadline);
  alarm_.async_wait([weak = weak_from_this()](const error_code& ec) {
    const auto self = weak.lock();
    if (!ec && self) self->OnAlarm();
  });
}

// Rings also for calls that have ended long ago: that is cheaper than to set it for each.
void Http2Sender::OnAlarm() {
  alarm_at_ = Deadline::max();
  const auto now = steady_clock::now();
  Deadline next = Deadline::max();
  for (auto& call : std::exchange(waiting_, {})) {
    if (call->deadline <= now) {
      Refuse(*call);
    } else {
      next = std::min(next, call->deadline);
      waiting_.push_back(std::move(call));
    }
  }
  for (const auto& connection : connections_) next = std::min(next, connection->Expire(now));
  WatchDeadline(next);
  Pump();
}

void Http2Sender::Cancel(std::uint64_t number) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [number](const auto& call) { return call->number == number; });
  if (found != waiting_.end()) {
    const auto call = std::move(*found);
    waiting_.erase(found);
    return Refuse(*call);
  }
  for (const auto& connection : connections_) {
    if (connection->Cancel(number)) break;
  }
  Pump();
}

void Http2Sender::Pump() {
  std::erase_if(connections_, [](const auto& connection) { return !connection->is_open(); });
  // Those that were made first are filled first, so that the others can rest. Copies: what Send()
  // tells may change the list.
  for (const auto& connection : std::vector(connections_)) {
    if (waiting_.empty()) return;
    connection->Send();
  }
  DialIfNeeded();
}

void Http2Sender::PumpLater() {
  asio::post(strand_, [self = shared_from_this()] { self->Pump(); });
}

bool Http2Sender::has_usable() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->takes_more(); });
}

std::size_t Http2Sender::running() const {
  std::size_t running = 0;
  for (const auto& connection : connections_) running += connection->running();
  return running;
}

bool Http2Sender::NeedsAnother() const {
  if (waiting_.empty()) return false;
  const auto may_take = [](const auto& connection) {
    return connection->takes_more() && !connection->is_full();
  };
  if (std::any_of(connections_.begin(), connections_.end(), may_take)) return false;
  return running() < options_.max_running || !has_usable();
}

std::unique_ptr<Call> Http2Sender::Next() {
  if (running() >= options_.max_running) return nullptr;
  while (!waiting_.empty()) {
    auto call = std::move(waiting_.front());
    waiting_.pop_front();
    if (!call->is_over()) return call;
    Refuse(*call);
  }
  return nullptr;
}

void Http2Sender::DialIfNeeded() {
  if (NeedsAnother()) BeginDial();
}

void Http2Sender::BeginDial() {
  if (dial_ || is_closed_) return;
  Deadline latest = Deadline::min();
  for (const auto& call : waiting_) latest = std::max(latest, call->deadline);
  dial_ = std::make_shared<Flight>(strand_, std::min(latest, After(kLongestDial)));
  asio::co_spawn(strand_, RunDial(shared_from_this()), asio::detached);
}

asio::awaitable<void> Http2Sender::RunDial(std::shared_ptr<Http2Sender> self) {
  const auto flight = self->dial_;
  const TlsContext context = self->target_.tls;
  Result<std::shared_ptr<Transport>> dialled = Unreachable(self->target_, "no connection");
  try {
    dialled = co_await Dial(flight, self->target_, Offer::kHttp2OrHttp1);
  } catch (const std::exception& problem) {
    dialled = Error(ErrorKind::kInternal, problem.what());
  }
  flight->Use(nullptr);
  const bool is_outdated = context != self->target_.tls || self->is_closed_;
  const bool is_late = !dialled && flight->is_over();
  if (is_late) self->OnAlarm();  // those who are too late hear what they have waited for
  self->dial_ = nullptr;
  // Those who wait nevertheless have time for another one.
  if (is_outdated && dialled) (*dialled)->Close();
  if (is_outdated || is_late) co_return self->Pump();
  self->OnDialled(std::move(dialled));
}

void Http2Sender::OnDialled(Result<std::shared_ptr<Transport>> dialled) {
  if (!dialled && has_usable()) return;  // those who wait get their turn there
  if (!dialled) return FailWaiting(dialled.error());
  if (!(*dialled)->speaks_http2()) return PassOn(*std::move(dialled));
  Use(*std::move(dialled));
  Pump();
}

void Http2Sender::Use(std::shared_ptr<Transport> transport) {
  const auto weak = weak_from_this();
  Http2Connection::Parts parts{.authority = Authority(target_.url),
                               .limits = options_.limits,
                               .idle_timeout = options_.idle_timeout,
                               .hooks = options_.hooks,
                               .next =
                                   [weak] {
                                     const auto self = weak.lock();
                                     return self ? self->Next() : nullptr;
                                   },
                               .again =
                                   [weak](std::unique_ptr<Call> call) {
                                     const auto self = weak.lock();
                                     if (!self) return;
                                     self->waiting_.push_front(std::move(call));
                                     self->PumpLater();
                                   },
                               .full =
                                   [weak] {
                                     if (const auto self = weak.lock()) self->DialIfNeeded();
                                   },
                               .lost =
                                   [weak] {
                                     if (const auto self = weak.lock()) self->PumpLater();
                                   }};
  connections_.push_back(std::make_shared<Http2Connection>(std::move(transport), std::move(parts)));
  connections_.back()->Start();
}

// The server's mind is asked again whenever a connection is made: see Http1Sender.
void Http2Sender::PassOn(std::shared_ptr<Transport> fresh) {
  speaks_http1_ = true;
  for (auto& call : std::exchange(waiting_, {})) {
    call->on_stop.reset();
    reroute_(std::move(call), std::exchange(fresh, nullptr));
  }
  if (fresh) fresh->Close();  // whoever wanted it is gone
}

void Http2Sender::FailWaiting(const Error& why) {
  for (auto& call : std::exchange(waiting_, {})) call->Tell(NotSent{why});
}

void Http2Sender::SendOn(std::unique_ptr<Call> call, std::shared_ptr<Transport> transport) {
  speaks_http1_ = false;
  // Several may have found out at a time.
  if (transport && !has_usable() && !is_closed_) Use(std::exchange(transport, nullptr));
  if (transport) transport->Close();
  Admit(std::move(call));
  Pump();
}

void Http2Sender::UseContext(TlsContext context) {
  target_.tls = std::move(context);
  for (const auto& connection : connections_) connection->Drain();
  Pump();
}

void Http2Sender::Close() {
  is_closed_ = true;
  TakeInbox();
  for (auto& call : std::exchange(waiting_, {})) Refuse(*call);
  for (const auto& connection : connections_) connection->Close();
  connections_.clear();
  alarm_.cancel();
  if (dial_) dial_->Cancel();
}

}  // namespace gs::http
