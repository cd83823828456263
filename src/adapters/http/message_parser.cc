#include "adapters/http/message_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/none.hpp>
#include <boost/optional.hpp>
#include <limits>
#include <type_traits>

namespace gs::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using View = beast::string_view;

std::string Text(View view) { return {view.data(), view.size()}; }

// Beast tells what it finds; this keeps it.
template <class Message>
class Collector final : public beast::http::basic_parser<std::is_same_v<Message, Request>> {
 public:
  Message message;
  bool has_known_method = true;

 private:
  using Verb = beast::http::verb;
  using Field = beast::http::field;
  using Length = boost::optional<std::uint64_t>;

  void on_request_impl(Verb /*verb*/, View method, View target, int /*version*/,
                       error_code& ec) override {
    if constexpr (std::is_same_v<Message, Request>) {
      const auto known = ParseMethod({method.data(), method.size()});
      has_known_method = known.has_value();
      if (!known) ec = beast::http::error::bad_method;
      message.method = known.value_or(Method::kGet);
      message.target = Text(target);
    }
  }
  void on_response_impl(int status, View /*reason*/, int /*version*/, error_code& ec) override {
    if constexpr (std::is_same_v<Message, Response>) {
      if (status < 100 || status > 599) ec = beast::http::error::bad_status;
      message.status = status;
    }
  }
  void on_field_impl(Field /*field*/, View name, View value, error_code& /*ec*/) override {
    message.headers.Add(Text(name), Text(value));
  }
  void on_header_impl(error_code& /*ec*/) override {}
  void on_body_init_impl(const Length& /*length*/, error_code& /*ec*/) override {}
  std::size_t on_body_impl(View bytes, error_code& /*ec*/) override {
    message.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, View /*extensions*/,
                            error_code& /*ec*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, View bytes,
                                 error_code& /*ec*/) override {
    message.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code& /*ec*/) override {}
};

std::uint32_t HeadLimit(const Limits& limits) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(limits.max_head_bytes, kMost));
}

ParseProblem ProblemOf(const error_code& ec) {
  if (ec == beast::http::error::header_limit) return ParseProblem::kHeadTooLarge;
  if (ec == beast::http::error::body_limit) return ParseProblem::kBodyTooLarge;
  return ParseProblem::kMalformed;
}

}  // namespace

template <class Message>
struct MessageParser<Message>::State {
  Error Refuse(const error_code& ec) {
    problem = collector.has_known_method ? ProblemOf(ec) : ParseProblem::kUnknownMethod;
    return {ErrorKind::kInvalid, "malformed HTTP message: " + ec.message()};
  }

  Collector<Message> collector;
  ParseProblem problem = ParseProblem::kNone;
};

template <class Message>
MessageParser<Message>::MessageParser(const Limits& limits, BodyRule rule)
    : state_(std::make_unique<State>()) {
  auto& parser = state_->collector;
  parser.eager(true);
  parser.header_limit(HeadLimit(limits));
  if (rule == BodyRule::kStreamed) {
    parser.body_limit(boost::none);
  } else {
    parser.body_limit(std::uint64_t{limits.max_body_bytes});
  }
  parser.skip(rule == BodyRule::kAbsent);
}

template <class Message>
MessageParser<Message>::~MessageParser() = default;

template <class Message>
Result<std::size_t> MessageParser<Message>::Feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !is_done()) {
    error_code ec;
    const std::string_view rest = bytes.substr(used);
    const std::size_t n = state_->collector.put(boost::asio::buffer(rest.data(), rest.size()), ec);
    used += n;
    if (ec == beast::http::error::need_more) break;
    if (ec) return state_->Refuse(ec);
    if (n == 0) break;
  }
  return used;
}

template <class Message>
Result<void> MessageParser<Message>::FinishAtEnd() {
  error_code ec;
  if (has_head()) state_->collector.put_eof(ec);
  if (ec) return state_->Refuse(ec);
  if (is_done()) return {};
  return Error(ErrorKind::kUnavailable, "the connection ended in mid-message");
}

template <class Message>
bool MessageParser<Message>::has_head() const {
  return state_->collector.is_header_done();
}

template <class Message>
bool MessageParser<Message>::is_done() const {
  return state_->collector.is_done();
}

template <class Message>
bool MessageParser<Message>::keeps_alive() const {
  return state_->collector.keep_alive();
}

template <class Message>
ParseProblem MessageParser<Message>::problem() const {
  return state_->problem;
}

template <class Message>
Message& MessageParser<Message>::message() {
  return state_->collector.message;
}

template class MessageParser<Request>;
template class MessageParser<Response>;

}  // namespace gs::http
