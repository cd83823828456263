#include "tests/fake_nvml/fake_machine.h"

#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace gs::fake_nvml {
namespace {

namespace nvml = gpu::nvml;

const std::map<std::string, int> kAncestors{
    {"X", nvml::kAncestorInternal},     {"BOARD", nvml::kAncestorInternal},
    {"PIX", nvml::kAncestorSingle},     {"PXB", nvml::kAncestorMultiple},
    {"PHB", nvml::kAncestorHostBridge}, {"NODE", nvml::kAncestorNode},
    {"SYS", nvml::kAncestorSystem},
};

template <class T>
T Or(const YAML::Node& node, const char* key, T absent) {
  return node[key] ? node[key].as<T>() : absent;
}

void ReadLinks(const YAML::Node& node, FakeGpu& gpu) {
  for (const YAML::Node& link : node) {
    const bool is_switch = link["to"].as<std::string>() == "switch";
    const int count = Or(link, "count", 1);
    const int active = Or(link, "active", count);
    for (int i = 0; i < count; ++i) {
      gpu.links.push_back({.to = is_switch ? -1 : link["to"].as<int>(),
                           .version = link["version"].as<unsigned>(),
                           .is_active = i < active,
                           .speed = Or<std::uint64_t>(link, "speed", 0)});
    }
  }
}

FakeGpu ReadGpu(const YAML::Node& node) {
  FakeGpu gpu;
  gpu.uuid = node["uuid"].as<std::string>();
  gpu.name = Or(node, "name", std::string("Fake GPU"));
  const auto address = node["bus"].as<std::string>();
  if (std::sscanf(address.c_str(), "%x:%x:%x.0", &gpu.domain, &gpu.bus, &gpu.device) != 3) {
    throw YAML::Exception(node["bus"].Mark(), "expected domain:bus:device.0");
  }
  gpu.memory_mib = Or<std::uint64_t>(node, "memoryMiB", 1024);
  gpu.numa = Or(node, "numa", -1);
  gpu.pcie_generation = Or(node, "pcieGeneration", 0U);
  gpu.pcie_lanes = Or(node, "pcieLanes", 16U);
  gpu.is_lost = Or(node, "lost", false);
  gpu.has_mig = Or(node, "mig", false);
  gpu.ecc = Or(node, "ecc", 0ULL);
  gpu.remap = Or(node, "remap", -1);
  gpu.recovery = Or(node, "recovery", -1);
  gpu.processes = Or(node, "processes", std::vector<unsigned>());
  gpu.errors = Or(node, "errors", std::map<std::string, int>());
  ReadLinks(node["links"], gpu);
  return gpu;
}

FakeEvent ReadEvent(const YAML::Node& node) {
  return {
      .number = node["number"].as<int>(), .gpu = Or(node, "gpu", 0), .xid = Or(node, "xid", -1L)};
}

FakeMachine ReadMachine(const YAML::Node& node) {
  FakeMachine machine;
  machine.driver_version = Or(node, "driverVersion", std::string("535.161.08"));
  for (const YAML::Node& gpu : node["gpus"]) machine.gpus.push_back(ReadGpu(gpu));
  for (int i = 0; i < static_cast<int>(machine.gpus.size()); ++i) machine.order.push_back(i);
  machine.order = Or(node, "order", machine.order);
  for (const YAML::Node& row : node["ancestors"]) {
    std::vector<int> levels;
    for (const YAML::Node& word : row) levels.push_back(kAncestors.at(word.as<std::string>()));
    machine.ancestors.push_back(std::move(levels));
  }
  machine.has_working_switches = Or(node, "workingSwitches", true);
  machine.errors = Or(node, "errors", std::map<std::string, int>());
  machine.hang = Or(node, "hang", std::string());
  for (const YAML::Node& event : node["events"]) machine.events.push_back(ReadEvent(event));
  return machine;
}

}  // namespace

Snapshot ReadFakeMachine() {
  const char* named = std::getenv("GS_FAKE_NVML");
  const std::string path = named == nullptr ? "" : named;
  try {
    FakeMachine machine = ReadMachine(YAML::LoadFile(path));
    machine.file = path;
    return std::make_shared<FakeMachine>(std::move(machine));
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "fake NVML: GS_FAKE_NVML=%s: %s\n", path.c_str(), wrong.what());
    std::abort();
  }
}

}  // namespace gs::fake_nvml
