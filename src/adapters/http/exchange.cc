#include "adapters/http/exchange.h"

#include <boost/asio/error.hpp>
#include <optional>

namespace gs::http {
namespace {

namespace asio = boost::asio;

bool IsSuccess(int status) { return status >= 200 && status < 300; }

// Reads one response. Interim ones (1xx) are skipped.
class Reading {
 public:
  Reading(Transport& transport, Method method, const ExchangeRules& rules)
      : transport_(transport), rules_(rules), rule_(RuleFor(method, rules)) {
    Restart();
  }

  // The problem, or nothing when the response is complete or its reader has had enough.
  asio::awaitable<std::optional<Error>> Run() {
    while (!is_finished()) {
      const error_code ec = co_await transport_.ReadSome(buffer_);
      has_arrived_ = has_arrived_ || !buffer_.empty();
      if (ec == asio::error::eof) co_return AtEnd();
      if (ec) co_return Error(ErrorKind::kUnavailable, ec.message());
      if (auto problem = co_await Digest()) co_return problem;
    }
    co_return std::nullopt;
  }

  [[nodiscard]] bool has_arrived() const { return has_arrived_; }
  // Bytes behind the response belong to nothing we asked for.
  [[nodiscard]] bool can_be_kept() const {
    return parser_->is_done() && parser_->keeps_alive() && buffer_.empty() && !has_ended_;
  }
  [[nodiscard]] Response Take() { return std::move(parser_->message()); }

 private:
  static BodyRule RuleFor(Method method, const ExchangeRules& rules) {
    if (method == Method::kHead) return BodyRule::kAbsent;
    return rules.on_chunk ? BodyRule::kStreamed : BodyRule::kCollected;
  }

  void Restart() { parser_.emplace(rules_.limits, rule_); }
  [[nodiscard]] bool is_finished() const { return is_enough_ || parser_->is_done(); }

  asio::awaitable<std::optional<Error>> Digest() {
    while (!buffer_.empty() && !is_finished()) {
      const auto used = parser_->Feed(buffer_);
      if (!used) co_return used.error();
      buffer_.erase(0, *used);
      if (auto problem = co_await PassOn()) co_return problem;
      const bool is_interim = parser_->is_done() && parser_->message().status < 200;
      if (is_interim) Restart();
      if (*used == 0 && !is_interim) co_return std::nullopt;
    }
    co_return std::nullopt;
  }

  // Gives what has come of a stream to its reader, whose time does not count as silence.
  asio::awaitable<std::optional<Error>> PassOn() {
    if (!rules_.on_chunk || !parser_->has_head()) co_return std::nullopt;
    Response& response = parser_->message();
    if (!IsSuccess(response.status)) co_return LimitRefusal(response);
    transport_.SetDeadline(Deadline::max());
    if (!has_told_head_ && rules_.on_head) rules_.on_head(response);
    has_told_head_ = true;
    if (!response.body.empty()) is_enough_ = !co_await rules_.on_chunk(response.body);
    response.body.clear();
    if (rules_.stream_idle_timeout.count() > 0) {
      transport_.SetDeadline(std::chrono::steady_clock::now() + rules_.stream_idle_timeout);
    }
    co_return std::nullopt;
  }

  // The explanation of a refused stream is collected, so it must not grow without end.
  [[nodiscard]] std::optional<Error> LimitRefusal(const Response& response) const {
    if (response.body.size() <= rules_.limits.max_body_bytes) return std::nullopt;
    return Error(ErrorKind::kInvalid, "the body exceeds the limit");
  }

  std::optional<Error> AtEnd() {
    has_ended_ = true;
    auto finished = parser_->FinishAtEnd();
    if (!finished) return std::move(finished).error();
    return std::nullopt;
  }

  Transport& transport_;
  const ExchangeRules& rules_;
  const BodyRule rule_;
  std::optional<MessageParser<Response>> parser_;
  std::string buffer_;
  bool has_arrived_ = false;
  bool has_ended_ = false;
  bool has_told_head_ = false;
  bool is_enough_ = false;
};

Error Explain(const Flight& flight, const Transport& transport, Error problem) {
  if (flight.is_cancelled()) return {ErrorKind::kUnavailable, "cancelled"};
  if (transport.has_timed_out()) return {ErrorKind::kUnavailable, "no complete response in time"};
  return problem;
}

}  // namespace

asio::awaitable<Exchanged> Exchange(const Flight& flight, Transport& transport, Method method,
                                    const std::string& wire, const ExchangeRules& rules) {
  transport.SetDeadline(flight.deadline());
  const Written written = co_await transport.Write(wire);
  if (!written.may_have_left) {
    Error problem(ErrorKind::kUnavailable, written.error.message());
    co_return Exchanged{.outcome = NotSent{Explain(flight, transport, std::move(problem))},
                        .nothing_left = true,
                        .nothing_arrived = true};
  }
  // A server may answer and close before it has read everything, so a failed write is no reason
  // not to look for the answer.
  Reading reading(transport, method, rules);
  auto problem = co_await reading.Run();
  if (problem) {
    co_return Exchanged{.outcome = Unknown{Explain(flight, transport, *std::move(problem))},
                        .nothing_arrived = !reading.has_arrived()};
  }
  const bool can_be_kept = reading.can_be_kept() && !written.error;
  co_return Exchanged{.outcome = reading.Take(), .can_be_kept = can_be_kept};
}

}  // namespace gs::http
