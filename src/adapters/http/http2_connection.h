// Http2Connection: one connection with many requests on it at a time. What waits leaves in one
// write, and one read serves many answers. Inside this folder only.
//
// A request is taken from its owner only when it is written at once, so that whatever the
// connection does not have was not sent, and whatever it has may have been.
//
// Thread rule: only on the strand of its client.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "adapters/http/call.h"
#include "adapters/http/client.h"
#include "adapters/http/http2_session.h"
#include "adapters/http/transport.h"

namespace gs::http {

class Http2Connection : public std::enable_shared_from_this<Http2Connection> {
 public:
  struct Parts {
    std::string authority;
    Limits limits;
    Duration idle_timeout;
    ClientHooks hooks;
    std::function<std::unique_ptr<Call>()> next;       // one more to send; null if there is none
    std::function<void(std::unique_ptr<Call>)> again;  // was not acted on, or does no harm twice
    std::function<void()> full;  // has what it takes at a time: others may be waiting
    std::function<void()> lost;  // takes nothing more: others may be waiting
    // All of them are also called from within Send().
  };

  // Requires: the handshake is done, and the server speaks HTTP/2.
  Http2Connection(std::shared_ptr<Transport> transport, Parts parts);

  // Begins to read. Before anything else.
  void Start();
  // Writes what there is, unless a write is running, after which it is done anyway.
  void Send();
  // Takes nothing more, and closes when nothing runs.
  void Drain();
  // Tells those whose time is over; gives the earliest deadline of the others.
  [[nodiscard]] Deadline Expire(Deadline now);
  // False if it does not have a call with that number.
  bool Cancel(std::uint64_t number);
  // Cancels everything.
  void Close();

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] bool takes_more() const;
  // Has as many requests as are put on one connection. One that takes fewer is never full: its
  // server wants it so.
  [[nodiscard]] bool is_full() const;

 private:
  struct Running {
    std::unique_ptr<Call> call;
    std::uint64_t reads = 0;  // when it was sent
    bool is_on_kept = false;  // the connection had been of use before
  };
  using Runs = std::unordered_map<StreamId, Running>;

  void Read();
  void OnRead(const error_code& ec, std::size_t size);
  void OnWritten(const error_code& ec);
  void Fill();
  void Submit(std::unique_ptr<Call> call);
  void TellEnds();
  void Conclude(Running run, decltype(StreamEnd::how) how);
  [[nodiscard]] static bool MayRepeat(const Call& call);
  void Again(Running run);
  // Ends the requests that are running, each as it may be.
  void Fail(const Error& why);
  void GiveUp(Runs::iterator run, const char* why);
  // After whatever may have ended a request.
  void Settle();
  void WatchIdle();
  void OnIdle();

  const std::shared_ptr<Transport> transport_;
  const Parts parts_;
  Http2Session session_;
  Runs running_;
  std::string out_;  // being written
  std::array<char, std::size_t{16} << 10> in_{};
  std::uint64_t reads_ = 0;
  bool is_open_ = true;
  bool is_draining_ = false;
  bool is_writing_ = false;
  bool has_answered_ = false;
  // Set once and looked at when it rings, since a busy connection rests for a moment all the time.
  boost::asio::steady_timer idle_alarm_;
  bool is_alarm_set_ = false;
  bool is_idle_ = false;
  Deadline idle_until_;
};

}  // namespace gs::http
