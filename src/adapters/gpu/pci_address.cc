#include "adapters/gpu/pci_address.h"

#include <array>
#include <cstdio>

namespace gs::gpu {

std::string ToString(const PciAddress& address) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", address.domain, address.bus,
                address.device, address.function);
  return text.data();
}

}  // namespace gs::gpu
