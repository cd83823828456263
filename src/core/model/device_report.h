// What was read of a node's GPUs at one moment: which there are and how they are wired, what is
// known about their well-being, and who runs on them. Facts only: whether a GPU counts as healthy
// is judged from several reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/device.h"

namespace gs::model {

// What the driver says a GPU needs before it can be trusted again.
enum class RecoveryNeed : std::uint8_t {
  kNone,
  kReset,   // of the GPU
  kReboot,  // of the node
  kDrain,   // its pods have to end first
};

// What was read about one GPU that has a say in its health. The defaults are those of a GPU that
// has nothing to report, also where the driver is too old to tell.
struct GpuFacts {
  bool is_lost = false;              // the driver lists it and cannot reach it
  bool has_mig = false;              // partitioned: the whole GPU cannot be given
  std::int64_t uncorrected_ecc = 0;  // errors since the driver was loaded
  bool has_remap_pending = false;    // rows or pages are replaced at the next reset
  bool has_remap_failed = false;     // no spare memory is left
  std::int32_t links_up = 0;         // NVLink or xGMI links that carry data
  RecoveryNeed recovery = RecoveryNeed::kNone;
  std::string stated;  // why it is unhealthy, by the word of a machine file; empty: it is not

  friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

// A process with memory on a GPU.
struct GpuProcess {
  std::int64_t pid = 0;  // as the host counts
  PodUid pod;            // by its cgroup; empty: of no pod, or not to be found out

  friend bool operator==(const GpuProcess&, const GpuProcess&) = default;
};

struct DeviceReport {
  // Health is not judged here: every device is healthy and the facts tell the rest. Nobody's
  // inUseBy; residue only where a machine file says so.
  Machine machine;
  std::vector<GpuFacts> facts;                     // facts[i] belongs to machine.devices[i]
  std::vector<std::vector<GpuProcess>> processes;  // likewise, ordered by pid
  // False where processes cannot be seen at all, so that their absence says nothing.
  bool sees_processes = false;
  std::string driver_version;         // empty: there is none
  std::vector<std::string> warnings;  // what could not be read and is missing or assumed above

  friend bool operator==(const DeviceReport&, const DeviceReport&) = default;
};

// Something that happened to a GPU, told by the driver the moment it happens.
struct GpuFault {
  GpuUuid uuid;  // empty: every GPU of the node
  // NVIDIA's number for the kind of error; nothing where the fault is one that has none.
  std::optional<std::int64_t> xid;
  std::string message;  // for people: "Xid 79"

  friend bool operator==(const GpuFault&, const GpuFault&) = default;
};

}  // namespace gs::model
