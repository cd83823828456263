// Where a device sits on the PCI bus. Its order is the order in which CUDA counts GPUs.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace gs::gpu {

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

// As sysfs names its folders: "0000:06:00.0".
[[nodiscard]] std::string ToString(const PciAddress& address);

}  // namespace gs::gpu
