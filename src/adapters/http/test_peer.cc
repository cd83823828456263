#include "adapters/http/test_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/check.h"

namespace gs::http {
namespace {

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The socket interface is older than void pointers.
sockaddr* Generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

int Bound(std::uint16_t& port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  GS_CHECK(bind(descriptor, Generic(address), size) == 0);
  GS_CHECK(getsockname(descriptor, Generic(address), &size) == 0);
  port = ntohs(address.sin_port);
  return descriptor;
}

}  // namespace

RawSocket RawSocket::Connect(std::uint16_t port) {
  RawSocket made(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = Loopback(port);
  GS_CHECK(connect(made.descriptor_, Generic(address), sizeof address) == 0);
  return made;
}

void RawSocket::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // the peer has closed, which some tests want
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string RawSocket::ReadUntil(std::string_view end) {
  while (end.empty() || buffer_.find(end) == std::string::npos) {
    std::array<char, 4096> bytes{};
    const ssize_t n = recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (n <= 0) return std::exchange(buffer_, "");
    buffer_.append(bytes.data(), static_cast<std::size_t>(n));
  }
  const std::size_t size = buffer_.find(end) + end.size();
  std::string read = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return read;
}

void RawSocket::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void RawSocket::Reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  Close();
}

RawServer::RawServer(Script script) {
  listener_ = Bound(port_);
  GS_CHECK(listen(listener_, SOMAXCONN) == 0);
  thread_ = std::jthread([this, script = std::move(script)] { Run(script); });
}

RawServer::~RawServer() {
  shutdown(listener_, SHUT_RDWR);  // wakes accept()
  thread_.join();
  close(listener_);
}

void RawServer::Run(const Script& script) {
  for (int count = 0;; ++count) {
    const int accepted = accept(listener_, nullptr, nullptr);
    if (accepted < 0) return;
    script(RawSocket(accepted), count);
  }
}

std::uint16_t FreePort() {
  std::uint16_t port = 0;
  close(Bound(port));
  return port;
}

}  // namespace gs::http
