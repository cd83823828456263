// MessageParser: bytes to one Request or Response, in whatever pieces they arrive. No socket, so
// that a fuzzer can feed it. Refuses what is malformed or exceeds the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/http/message.h"

namespace gs::http {

struct Limits {
  std::size_t max_head_bytes = std::size_t{64} << 10;
  std::size_t max_body_bytes = std::size_t{64} << 20;
};

enum class ParseProblem : std::uint8_t {
  kNone,
  kMalformed,
  kHeadTooLarge,
  kBodyTooLarge,
  kUnknownMethod,
};

// What follows the head.
enum class BodyRule : std::uint8_t {
  kCollected,  // the body, limited
  kStreamed,   // the body without a limit; the caller takes it away as it comes
  kAbsent,     // nothing, although the head may announce something: the answer to HEAD
};

// Message is Request or Response.
template <class Message>
class MessageParser {
 public:
  explicit MessageParser(const Limits& limits, BodyRule rule = BodyRule::kCollected);
  ~MessageParser();
  MessageParser(const MessageParser&) = delete;
  MessageParser& operator=(const MessageParser&) = delete;
  MessageParser(MessageParser&&) = delete;
  MessageParser& operator=(MessageParser&&) = delete;

  // How many of the bytes were used. Offer the rest again, with more behind it, unless is_done().
  // After a refusal the parser is of no more use; problem() says which kind it was.
  [[nodiscard]] Result<std::size_t> Feed(std::string_view bytes);
  // No more bytes will come: ends a body that has no other end, and refuses in mid-message.
  [[nodiscard]] Result<void> FinishAtEnd();

  [[nodiscard]] bool has_head() const;
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] bool keeps_alive() const;
  [[nodiscard]] ParseProblem problem() const;

  // Requires: has_head(). The body is what has come and was not taken.
  [[nodiscard]] Message& message();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class MessageParser<Request>;
extern template class MessageParser<Response>;

}  // namespace gs::http
