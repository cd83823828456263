// Http2Sender: a client's ordinary requests over HTTP/2: who waits for a turn, the few connections
// that are made and used, and who is too late. Where the server speaks HTTP/1.1 only, it passes
// them on. Inside this folder only.
//
// A request costs little here: no coroutine, no timer and mostly no hand-over to the strand of its
// own.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "adapters/http/call.h"
#include "adapters/http/client.h"
#include "adapters/http/dial.h"
#include "adapters/http/flight.h"
#include "adapters/http/http2_connection.h"
#include "adapters/runtime/mutex.h"

namespace gs::http {

class Http2Sender : public std::enable_shared_from_this<Http2Sender> {
 public:
  // Takes over a call for HTTP/1.1, with a connection that was made for it or null.
  using Reroute = std::function<void(std::unique_ptr<Call>, std::shared_ptr<Transport>)>;

  Http2Sender(boost::asio::any_io_executor strand, ClientOptions options, DialTarget target,
              Reroute reroute);

  // From any thread.
  void Send(std::unique_ptr<Call> call) GS_EXCLUDES(mutex_);

  // The rest only on the strand of the client.

  // The call was not sent yet, and the server wants HTTP/2 on that connection, which may be null.
  void SendOn(std::unique_ptr<Call> call, std::shared_ptr<Transport> transport);
  // For connections from now on; the others end with what they are doing.
  void UseContext(TlsContext context);
  // Cancels everything.
  void Close() GS_EXCLUDES(mutex_);

 private:
  // Everybody who has come since, to where they belong.
  void TakeInbox() GS_EXCLUDES(mutex_);
  void Admit(std::unique_ptr<Call> call);
  void Refuse(Call& call) const;
  void WatchStop(Call& call);
  void WatchDeadline(Deadline deadline);
  void OnAlarm();
  void Cancel(std::uint64_t number);

  // Sends what can be sent, and sees to it that the rest will be.
  void Pump();
  void PumpLater();
  [[nodiscard]] std::unique_ptr<Call> Next();
  [[nodiscard]] std::size_t running() const;
  // Whether some connection takes requests, now or later.
  [[nodiscard]] bool has_usable() const;
  // Somebody waits, all connections have as many as they take at a time, and more may run.
  [[nodiscard]] bool NeedsAnother() const;

  void DialIfNeeded();
  void BeginDial();
  static boost::asio::awaitable<void> RunDial(std::shared_ptr<Http2Sender> self);
  void OnDialled(Result<std::shared_ptr<Transport>> dialled);
  void Use(std::shared_ptr<Transport> transport);
  void PassOn(std::shared_ptr<Transport> fresh);
  void FailWaiting(const Error& why);

  const boost::asio::any_io_executor strand_;
  const ClientOptions options_;
  const Reroute reroute_;

  runtime::Mutex mutex_;
  std::vector<std::unique_ptr<Call>> inbox_ GS_GUARDED_BY(mutex_);

  // Of the strand.
  DialTarget target_;
  std::deque<std::unique_ptr<Call>> waiting_;
  std::vector<std::shared_ptr<Http2Connection>> connections_;  // in use, or coming to their end
  std::shared_ptr<Flight> dial_;                               // null: none is being made
  bool speaks_http1_ = false;                                  // as it was seen last
  bool is_closed_ = false;
  std::uint64_t last_number_ = 0;
  boost::asio::steady_timer alarm_;
  Deadline alarm_at_ = Deadline::max();  // never later than the earliest deadline
};

}  // namespace gs::http
