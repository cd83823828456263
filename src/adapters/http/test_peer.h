// Peers for tests that speak bytes instead of HTTP: a server that follows a script, and a client
// that writes what it is told. Blocking sockets on threads of their own, so that nothing of what is
// tested is used to test it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace gs::http {

// One connected socket, closed at the end.
class RawSocket {
 public:
  explicit RawSocket(int descriptor) : descriptor_(descriptor) {}
  ~RawSocket() { Close(); }
  RawSocket(RawSocket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;
  RawSocket& operator=(RawSocket&&) = delete;

  // Connects to 127.0.0.1.
  [[nodiscard]] static RawSocket Connect(std::uint16_t port);

  void Write(std::string_view bytes) const;
  // Everything up to and including `end`, or up to the end of the connection.
  [[nodiscard]] std::string ReadUntil(std::string_view end);
  [[nodiscard]] std::string ReadAll() { return ReadUntil(""); }
  void Close();
  // Closes with a reset instead of a goodbye.
  void Reset();
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string buffer_;
};

// Listens on a free port and gives each connection, one after the other, to the script with its
// number from 0. The script decides when the connection ends.
class RawServer {
 public:
  using Script = std::function<void(RawSocket socket, int connection)>;
  explicit RawServer(Script script);
  // Ends after the connection that is being served.
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  RawServer(RawServer&&) = delete;
  RawServer& operator=(RawServer&&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  void Run(const Script& script);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

// A port of 127.0.0.1 where nobody listens.
[[nodiscard]] std::uint16_t FreePort();

}  // namespace gs::http
