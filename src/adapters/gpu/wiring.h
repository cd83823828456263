// From what the devices of a machine file say about their links to one matrix. Internal to this
// folder.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/device.h"

namespace gs::gpu {

// A device with its links still as written.
struct StatedDevice {
  model::GpuDevice device;
  std::string path;                           // "devices[2]"
  const boost::json::array* links = nullptr;  // never null; lives as long as the text that was read
};

// A link may be stated by either end or by both, which must then agree. Pairs without a stated PCIe
// class share their NUMA node (NODE) if both are known to, else they are across sockets (SYS).
// Requires: devices are ordered by id and ids are unique.
[[nodiscard]] Result<model::LinkMatrix> ReadWiring(const std::vector<StatedDevice>& devices);

}  // namespace gs::gpu
