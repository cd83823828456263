#include "core/model/host_port.h"

namespace gs::model {
namespace {

constexpr const char* kEveryAddress = "0.0.0.0";

}  // namespace

bool Collide(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kEveryAddress || b.ip == kEveryAddress);
}

std::string ToString(const HostPort& port) {
  return port.protocol + " " + port.ip + ":" + std::to_string(port.port);
}

}  // namespace gs::model
