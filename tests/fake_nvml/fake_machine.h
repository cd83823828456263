// What the fake NVML serves: a machine from a YAML file, which a test may rewrite at any time to
// lose a GPU, to raise an Xid, to make a function fail or hang. README.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/gpu/nvml/nvml_types.h"

namespace gs::fake_nvml {

struct FakeLink {
  int to = -1;  // position of a GPU; -1: a switch
  unsigned version = 0;
  bool is_active = true;
  std::uint64_t speed = 0;  // MB/s in one direction; 0: the driver does not tell
};

struct FakeGpu {
  std::string uuid;
  std::string name;
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  std::uint64_t memory_mib = 0;
  int numa = -1;
  unsigned pcie_generation = 0;
  unsigned pcie_lanes = 0;
  bool is_lost = false;
  bool has_mig = false;
  unsigned long long ecc = 0;
  int remap = -1;  // -1: not supported; else bits: 1 pending, 2 failed
  int recovery = -1;
  std::vector<FakeLink> links;
  std::vector<unsigned> processes;
  std::map<std::string, int> errors;  // by function
};

struct FakeEvent {
  int number = 0;
  int gpu = 0;
  long xid = -1;  // -1: a double bit error
};

struct FakeMachine {
  std::string file;
  std::string driver_version;
  std::vector<FakeGpu> gpus;
  std::vector<int> order;  // positions by index
  std::vector<std::vector<int>> ancestors;
  bool has_working_switches = true;
  std::map<std::string, int> errors;
  std::string hang;
  std::vector<FakeEvent> events;
};

using Snapshot = std::shared_ptr<const FakeMachine>;

// The file that GS_FAKE_NVML names; a file that is wrong ends the process, since only tests write
// it.
[[nodiscard]] Snapshot ReadFakeMachine();

}  // namespace gs::fake_nvml
