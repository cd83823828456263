#include "adapters/http/server_connection.h"

#include <exception>
#include <utility>

#include "base/text.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;

Deadline After(Duration timeout) { return std::chrono::steady_clock::now() + timeout; }

int StatusOf(ParseProblem problem) {
  switch (problem) {
    case ParseProblem::kHeadTooLarge: return 431;
    case ParseProblem::kBodyTooLarge: return 413;
    case ParseProblem::kUnknownMethod: return 501;
    case ParseProblem::kMalformed:
    case ParseProblem::kNone: break;
  }
  return 400;
}

Response Plain(int status, std::string message) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(message) + "\n"};
}

bool ExpectsContinue(const Request& request) {
  const auto* expect = request.headers.Find("Expect");
  return expect != nullptr && text::EqualsIgnoringCase(*expect, "100-continue");
}

constexpr int kSwitchingProtocols = 101;

// Writes pieces through a function, until one cannot be written.
class PieceWriter final : public BodyWriter {
 public:
  using Send = std::function<asio::awaitable<bool>(std::string)>;
  PieceWriter(Send send, std::stop_token stop) : send_(std::move(send)), stop_(std::move(stop)) {}

  asio::awaitable<bool> Write(std::string bytes) override {
    if (!bytes.empty() && is_open_) is_open_ = co_await send_(std::move(bytes));
    co_return is_open_;
  }
  [[nodiscard]] std::stop_token stop() const override { return stop_; }
  [[nodiscard]] bool is_open() const { return is_open_; }

 private:
  const Send send_;
  const std::stop_token stop_;
  bool is_open_ = true;
};

}  // namespace

asio::awaitable<void> ServerConnection::Serve() {
  transport_->SetDeadline(After(options_.head_timeout));
  const std::string problem = co_await transport_->Handshake();
  if (problem.empty()) {
    peer_ = transport_->peer();
    while (!is_draining_ && co_await ServeOne()) continue;
  }
  co_await transport_->Finish(may_be_sending_ ? Farewell::kPatient : Farewell::kShort);
}

void ServerConnection::Drain() {
  is_draining_ = true;
  ending_.request_stop();
  if (is_resting_) transport_->Close();
}

void ServerConnection::Abort() {
  Drain();
  transport_->Close();
}

// False if this was the last request of the connection.
asio::awaitable<bool> ServerConnection::ServeOne() {
  MessageParser<Request> parser(options_.limits);
  if (!co_await ReadRequest(parser)) {
    if (parser.problem() == ParseProblem::kNone) co_return false;  // gone, or too slow
    may_be_sending_ = true;
    const int status = StatusOf(parser.problem());
    co_await WriteReply(Plain(status, "the request is refused"), Method::kGet, Connection::kClose);
    co_return false;
  }
  const Method method = parser.message().method;
  transport_->SetDeadline(Deadline::max());
  parser.message().peer = peer_;
  Reply reply = co_await Answer(std::move(parser.message()));
  if (reply.is_silent) co_return false;
  // In another protocol, the client may have something to say until the end.
  may_be_sending_ = reply.response.status == kSwitchingProtocols;
  const bool is_last = is_draining_ || may_be_sending_ || reply.is_last || !parser.keeps_alive();
  const auto after = is_last ? Connection::kClose : Connection::kKeep;
  co_return co_await WriteReply(std::move(reply), method, after) && !is_last;
}

// False if the client is gone or too slow, or if the parser has a problem.
asio::awaitable<bool> ServerConnection::ReadRequest(MessageParser<Request>& parser) {
  is_resting_ = buffer_.empty();
  transport_->SetDeadline(After(is_resting_ ? options_.idle_timeout : options_.head_timeout));
  bool needs_bytes = is_resting_;
  bool is_invited = false;
  while (!parser.is_done()) {
    if (needs_bytes && !co_await ReadMore()) co_return false;
    needs_bytes = true;
    const auto used = parser.Feed(buffer_);
    if (!used) co_return false;
    buffer_.erase(0, *used);
    if (!parser.has_head() || is_invited) continue;
    is_invited = true;
    transport_->SetDeadline(After(options_.body_timeout));
    co_await InviteBody(parser);
  }
  co_return true;
}

asio::awaitable<bool> ServerConnection::ReadMore() {
  const error_code ec = co_await transport_->ReadSome(buffer_);
  if (ec) co_return false;
  if (is_resting_) transport_->SetDeadline(After(options_.head_timeout));
  is_resting_ = false;
  co_return true;
}

asio::awaitable<void> ServerConnection::InviteBody(MessageParser<Request>& parser) {
  // Without the invitation a careful client would wait before it sends the body.
  if (parser.is_done() || !buffer_.empty() || !ExpectsContinue(parser.message())) co_return;
  co_await transport_->Write("HTTP/1.1 100 Continue\r\n\r\n");
}

asio::awaitable<Reply> ServerConnection::Answer(Request request) {
  std::string problem;
  try {
    Reply reply = co_await handler_(std::move(request));
    const auto checked = CheckResponse(reply.response);
    const bool is_switch = reply.response.status == kSwitchingProtocols;
    if (checked && (!is_switch || reply.stream)) co_return reply;
    problem = checked ? "another protocol needs a stream" : ToString(checked.error());
  } catch (const std::exception& thrown) {
    problem = thrown.what();
  }
  co_return Plain(500, problem);
}

asio::awaitable<bool> ServerConnection::WriteReply(Reply reply, Method method, Connection after) {
  const bool is_stream = static_cast<bool>(reply.stream);
  const auto framing = is_stream ? Framing::kChunked : Framing::kLength;
  std::string bytes = PrintHead(reply.response, framing, after);
  if (!is_stream && method != Method::kHead) bytes += reply.response.body;
  if (!co_await Write(std::move(bytes))) co_return false;
  if (!is_stream || method == Method::kHead) co_return true;
  co_return co_await WriteStream(reply);
}

asio::awaitable<bool> ServerConnection::WriteStream(const Reply& reply) {
  const bool is_chunked = reply.response.status != kSwitchingProtocols;
  PieceWriter writer(
      [this, is_chunked](std::string bytes) {
        return Write(is_chunked ? PrintChunk(bytes) : std::move(bytes));
      },
      ending_.get_token());
  bool has_ended_well = true;
  try {
    co_await reply.stream(writer);
  } catch (const std::exception&) {
    // The head is out, so breaking off is the only way left to say that something went wrong.
    has_ended_well = false;
  }
  if (!has_ended_well || !writer.is_open()) co_return false;
  co_return !is_chunked || co_await Write(std::string(kLastChunk));
}

asio::awaitable<bool> ServerConnection::Write(std::string bytes) {
  transport_->SetDeadline(After(options_.write_timeout));
  const Written written = co_await transport_->Write(bytes);
  transport_->SetDeadline(Deadline::max());
  co_return !written.error;
}

}  // namespace gs::http
