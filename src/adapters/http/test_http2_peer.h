// The server's half of HTTP/2 for tests, without a socket: it keeps what it was asked, and says
// what it is told to say. Never shipped.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/http2_session.h"
#include "adapters/http/message.h"

namespace gs::http {

struct SeenRequest {
  StreamId stream = 0;
  std::string method;
  std::string path;
  std::string authority;
  Headers headers;  // without those above
  std::string body;
};

class Http2Peer {
 public:
  // 0: says nothing of a limit.
  explicit Http2Peer(std::uint32_t max_streams = 0);
  ~Http2Peer();
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;
  Http2Peer(Http2Peer&&) = delete;
  Http2Peer& operator=(Http2Peer&&) = delete;

  // False if the client breaks the protocol.
  bool Receive(std::string_view bytes);
  // All that it has to say.
  [[nodiscard]] std::string Collect();
  // The next request that is there as a whole.
  [[nodiscard]] std::optional<SeenRequest> Next();
  // Streams that the client has reset, in order, and why.
  [[nodiscard]] const std::vector<std::pair<StreamId, std::uint32_t>>& resets() const;

  void Answer(StreamId stream, int status, std::string body, const Headers& headers = {});
  // A head without an end, such as an interim response or the beginning of an answer.
  void SendHead(StreamId stream, int status, const Headers& headers = {});
  void Reset(StreamId stream, std::uint32_t code);
  void GoAway(StreamId last, std::uint32_t code);
  void Ping();
  // How many were answered.
  [[nodiscard]] int pongs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::http
