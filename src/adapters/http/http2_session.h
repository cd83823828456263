// Http2Session: the client's half of HTTP/2 without a socket. Requests and the server's bytes go
// in; bytes for the server and the ends of requests come out. Inside this folder only.
//
// What the server sends is never trusted: what is malformed or exceeds the limits ends the request
// or the session, and never more than that. Ends are kept until they are taken, so that nobody is
// called from the middle of a frame.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/http/message_parser.h"
#include "base/error.h"
#include "base/result.h"

namespace gs::http {

// Counted by the protocol: 1, 3, 5, …
using StreamId = std::int32_t;

// The server has said that it did not act on the request, or the request has never left.
struct StreamRefused {
  Error error;
};

// There will be no whole response, and the server may have acted.
struct StreamBroken {
  Error error;
};

struct StreamEnd {
  StreamId stream = 0;
  std::variant<Response, StreamRefused, StreamBroken> how;
};

class Http2Session {
 public:
  explicit Http2Session(const Limits& limits);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;
  Http2Session(Http2Session&&) = delete;
  Http2Session& operator=(Http2Session&&) = delete;

  // The request is borrowed until its end has been taken or it was reset. Its first byte is among
  // what the next Collect() gives. Requires: checked by CheckRequest().
  [[nodiscard]] Result<StreamId> Submit(const Request& request, const std::string& authority);
  // Tells the server that nobody waits any more. No end is told of it.
  void Reset(StreamId stream);

  // After an error the session is of no more use.
  [[nodiscard]] Result<void> Receive(std::string_view bytes);
  // Appends what the server is to be sent, until that is all or `out` has `most` bytes, and one
  // frame more at the most.
  [[nodiscard]] Result<void> Collect(std::string& out, std::size_t most);
  // What has ended since the last call, in the order it ended.
  [[nodiscard]] std::vector<StreamEnd> TakeEnds();

  // Whether the server would take one more request now.
  [[nodiscard]] bool has_room() const;
  // Whether it will ever take another one: it said no goodbye, and the numbers have not run out.
  [[nodiscard]] bool takes_more() const;
  // Whether something of the response is there.
  [[nodiscard]] bool has_arrived(StreamId stream) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::http
