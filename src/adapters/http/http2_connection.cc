#include "adapters/http/http2_connection.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <utility>
#include <vector>

namespace gs::http {
namespace {

// As much as is worth one write; more would only wait in the kernel instead of here.
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

// With a hundred at a time on one connection, API server and etcd together spent about a quarter
// more per write than with many connections; bench/README.md has the figures. Why was not profiled.
constexpr std::size_t kMostRunning = 16;

Error Explain(const error_code& ec) {
  const bool is_end = ec == boost::asio::error::eof;
  return {ErrorKind::kUnavailable, is_end ? "the connection ended in mid-message" : ec.message()};
}

}  // namespace

Http2Connection::Http2Connection(std::shared_ptr<Transport> transport, Parts parts)
    : transport_(std::move(transport)),
      parts_(std::move(parts)),
      session_(parts_.limits),
      idle_alarm_(transport_->socket().get_executor()) {}

void Http2Connection::Start() {
  transport_->SetDeadline(Deadline::max());  // that of the dial still runs
  Read();
  Settle();
}

bool Http2Connection::takes_more() const {
  return is_open_ && !is_draining_ && session_.takes_more();
}

bool Http2Connection::is_full() const { return running_.size() >= kMostRunning; }

void Http2Connection::Send() {
  if (is_writing_ || !is_open_) return;
  out_.clear();
  Fill();
  if (out_.empty() || !is_open_) return;
  is_writing_ = true;
  transport_->WriteThen(out_,
                        [self = shared_from_this()](const error_code& ec) { self->OnWritten(ec); });
}

void Http2Connection::Fill() {
  // A server that has closed reads nothing: what is written to it would be lost, nobody knows how.
  if (transport_->HasPeerClosed()) is_draining_ = true;
  auto collected = session_.Collect(out_, kMostBytes);
  while (collected && out_.size() < kMostBytes && takes_more() && !is_full() &&
         session_.has_room()) {
    auto call = parts_.next();
    if (!call) break;
    Submit(std::move(call));
    collected = session_.Collect(out_, kMostBytes);
  }
  if (is_full()) parts_.full();
  TellEnds();
  if (!collected) Fail(collected.error());
}

void Http2Connection::Submit(std::unique_ptr<Call> call) {
  if (parts_.hooks.before_write) parts_.hooks.before_write(call->request);
  is_idle_ = false;
  auto stream = session_.Submit(call->request, parts_.authority);
  if (!stream) return call->Tell(NotSent{std::move(stream).error()});
  running_.emplace(*stream,
                   Running{.call = std::move(call), .reads = reads_, .is_on_kept = has_answered_});
}

void Http2Connection::OnWritten(const error_code& ec) {
  is_writing_ = false;
  // A server may answer and close before it has read everything: reading goes on.
  if (ec) is_draining_ = true;
  if (!ec) Send();
  Settle();
}

void Http2Connection::Read() {
  transport_->ReadSomeThen(in_, [self = shared_from_this()](const error_code& ec, std::size_t n) {
    self->OnRead(ec, n);
  });
}

void Http2Connection::OnRead(const error_code& ec, std::size_t size) {
  if (!is_open_) return;
  ++reads_;
  const auto received = session_.Receive({in_.data(), size});
  TellEnds();
  if (!received) return Fail(received.error());
  if (ec) return Fail(Explain(ec));
  Read();
  Send();
  Settle();
}

void Http2Connection::TellEnds() {
  for (StreamEnd& end : session_.TakeEnds()) {
    auto run = running_.extract(end.stream);
    if (run) Conclude(std::move(run.mapped()), std::move(end.how));
  }
}

void Http2Connection::Conclude(Running run, decltype(StreamEnd::how) how) {
  if (auto* response = std::get_if<Response>(&how)) {
    has_answered_ = true;
    if (parts_.hooks.on_answer) parts_.hooks.on_answer(run.call->request, *response);
    run.call->Tell(std::move(*response));
  } else if (auto* refused = std::get_if<StreamRefused>(&how)) {
    if (MayRepeat(*run.call)) return Again(std::move(run));
    run.call->Tell(NotSent{std::move(refused->error)});
  } else {
    run.call->Tell(Unknown{std::move(std::get_if<StreamBroken>(&how)->error)});
  }
}

bool Http2Connection::MayRepeat(const Call& call) { return !call.was_repeated && !call.is_over(); }

void Http2Connection::Again(Running run) {
  run.call->was_repeated = true;
  parts_.again(std::move(run.call));
}

void Http2Connection::Fail(const Error& why) {
  is_open_ = false;
  idle_alarm_.cancel();
  transport_->Close();
  for (auto& [stream, run] : std::exchange(running_, {})) {
    const bool was_dead = run.is_on_kept && !session_.has_arrived(stream);
    if (was_dead && IsReading(run.call->request.method) && MayRepeat(*run.call)) {
      Again(std::move(run));
    } else {
      run.call->Tell(Unknown{why});
    }
  }
  parts_.lost();
}

void Http2Connection::GiveUp(Runs::iterator run, const char* why) {
  session_.Reset(run->first);
  const auto call = std::move(run->second.call);
  running_.erase(run);
  call->Tell(Unknown{Error(ErrorKind::kUnavailable, why)});
}

Deadline Http2Connection::Expire(Deadline now) {
  Deadline next = Deadline::max();
  std::vector<StreamId> late;
  for (const auto& [stream, run] : running_) {
    if (run.call->deadline > now) {
      next = std::min(next, run.call->deadline);
      continue;
    }
    late.push_back(stream);
    // Who has said nothing at all since then may be frozen or gone.
    if (run.reads == reads_) is_draining_ = true;
  }
  for (const StreamId stream : late) {
    GiveUp(running_.find(stream), "no complete response in time");
  }
  if (!late.empty()) Send();
  Settle();
  return next;
}

bool Http2Connection::Cancel(std::uint64_t number) {
  const auto run = std::find_if(running_.begin(), running_.end(), [number](const auto& entry) {
    return entry.second.call->number == number;
  });
  if (run == running_.end()) return false;
  GiveUp(run, "cancelled");
  Send();
  Settle();
  return true;
}

void Http2Connection::Drain() {
  is_draining_ = true;
  Settle();
}

void Http2Connection::Close() {
  is_open_ = false;
  idle_alarm_.cancel();
  transport_->Close();
  for (auto& [stream, run] : std::exchange(running_, {})) {
    run.call->Tell(Unknown{Error(ErrorKind::kUnavailable, "cancelled")});
  }
}

void Http2Connection::Settle() {
  if (!is_open_) return;
  if (!takes_more()) {
    if (running_.empty()) Close();
    return parts_.lost();
  }
  if (!running_.empty() || std::exchange(is_idle_, true)) return;
  idle_until_ = After(parts_.idle_timeout);
  WatchIdle();
}

void Http2Connection::WatchIdle() {
  if (std::exchange(is_alarm_set_, true)) return;
  idle_alarm_.expires_at(idle_until_);
  idle_alarm_.async_wait([weak = weak_from_this()](const error_code& ec) {
    const auto self = weak.lock();
    if (!ec && self) self->OnIdle();
  });
}

void Http2Connection::OnIdle() {
  is_alarm_set_ = false;
  if (!is_open_ || !is_idle_) return;
  if (std::chrono::steady_clock::now() < idle_until_) return WatchIdle();
  Close();
  parts_.lost();
}

}  // namespace gs::http
