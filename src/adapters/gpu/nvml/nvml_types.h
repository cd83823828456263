// The part of NVIDIA's management library that is called here: numbers and layouts of its binary
// interface, in declarations of our own. Nothing of it is linked; nvml_library.h finds it at run
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gs::gpu::nvml {

using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;

// What functions return.
inline constexpr int kSuccess = 0;
inline constexpr int kUninitialized = 1;
inline constexpr int kInvalidArgument = 2;
inline constexpr int kNotSupported = 3;
inline constexpr int kNoPermission = 4;
inline constexpr int kNotFound = 6;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kDriverNotLoaded = 9;
inline constexpr int kTimeout = 10;
inline constexpr int kLibraryNotFound = 12;
inline constexpr int kFunctionNotFound = 13;
inline constexpr int kGpuIsLost = 15;
inline constexpr int kResetRequired = 16;
inline constexpr int kLibraryMismatch = 18;
inline constexpr int kUnknown = 999;

inline constexpr unsigned kTextSize = 96;  // enough for every text
inline constexpr unsigned kMaxNvLinks = 36;

struct PciInfo {
  std::array<char, 16> legacy_bus_id;
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t device_id;
  std::uint32_t subsystem_id;
  std::array<char, 32> bus_id;
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, domain) == 16 &&
              offsetof(PciInfo, bus_id) == 36);

struct Memory {
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  std::uint32_t version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};
static_assert(sizeof(MemoryV2) == 40 && offsetof(MemoryV2, total) == 8);
inline constexpr std::uint32_t kMemoryV2 = 0x2000028;

struct Process {
  std::uint32_t pid;
  std::uint64_t used_memory;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};
static_assert(sizeof(Process) == 24 && offsetof(Process, used_memory) == 8 &&
              offsetof(Process, gpu_instance) == 16);

struct FieldValue {
  std::uint32_t field;
  std::uint32_t scope;
  std::int64_t timestamp;
  std::int64_t latency;
  std::int32_t type;
  std::int32_t result;
  std::uint64_t value;  // a union; what is asked for here is unsigned
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, result) == 28 &&
              offsetof(FieldValue, value) == 32);
inline constexpr std::uint32_t kFieldLinkSpeed = 164;  // MB/s in one direction; scope: the link
inline constexpr std::uint32_t kFieldRecoveryAction = 230;

struct EventData {
  Device device;
  std::uint64_t type;
  std::uint64_t data;  // the Xid
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};
static_assert(sizeof(EventData) == 32);
inline constexpr std::uint64_t kEventDoubleBitEcc = 0x2;
inline constexpr std::uint64_t kEventXid = 0x8;

// nvmlDeviceGetTopologyCommonAncestor
inline constexpr int kAncestorInternal = 0;
inline constexpr int kAncestorSingle = 10;
inline constexpr int kAncestorMultiple = 20;
inline constexpr int kAncestorHostBridge = 30;
inline constexpr int kAncestorNode = 40;
inline constexpr int kAncestorSystem = 50;

// nvmlDeviceGetP2PStatus
inline constexpr int kP2pNvLink = 2;
inline constexpr int kP2pOk = 0;

// nvmlDeviceGetNvLinkRemoteDeviceType
inline constexpr int kRemoteGpu = 0;
inline constexpr int kRemoteSwitch = 2;
inline constexpr int kRemoteUnknown = 255;

// nvmlDeviceGetTotalEccErrors
inline constexpr int kEccUncorrected = 1;
inline constexpr int kEccVolatile = 0;

}  // namespace gs::gpu::nvml
