// A port of the node itself that a pod takes.
#pragma once

#include <cstdint>
#include <string>

namespace gs::model {

struct HostPort {
  std::string ip = "0.0.0.0";  // that one: every address of the node
  std::string protocol = "TCP";
  std::int32_t port = 0;

  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// Whether one node cannot give both.
[[nodiscard]] bool Collide(const HostPort& a, const HostPort& b);

// "TCP 0.0.0.0:8080"
[[nodiscard]] std::string ToString(const HostPort& port);

}  // namespace gs::model
