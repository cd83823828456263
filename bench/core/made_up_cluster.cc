#include "bench/core/made_up_cluster.h"

#include <array>
#include <cstdio>
#include <functional>
#include <random>
#include <utility>
#include <variant>

#include "core/decide/devices/table.h"
#include "core/model/names.h"

namespace gs::bench {
namespace {

const Namespace kTeam("team");

NodeName NodeOf(int number) { return NodeName("node-" + std::to_string(number)); }

model::Machine MachineOf(int number) {
  model::Machine machine;
  machine.links = model::LinkMatrix(kGpusPerNode);
  for (int gpu = 0; gpu < kGpusPerNode; ++gpu) {
    model::GpuDevice device;
    device.id = GpuId(gpu);
    device.uuid = GpuUuid("GPU-8f2d6c1e-3b7a-4c59-9e04-" +
                          std::to_string(100'000'000'000 + number * kGpusPerNode + gpu));
    device.model = "NVIDIA H100 80GB HBM3";
    device.memory_mib = 81'559;
    device.numa_node = gpu * 2 / kGpusPerNode;
    machine.devices.push_back(std::move(device));
    for (int peer = 0; peer < gpu; ++peer) {
      machine.links.Set(static_cast<std::size_t>(peer), static_cast<std::size_t>(gpu),
                        {.kind = model::LinkKind::kNvSwitch, .count = 12, .bandwidth_gbps = 600});
    }
  }
  return machine;
}

// As API servers make them, the same for the same name.
PodUid UidFor(const std::string& name) {
  std::mt19937_64 dice(std::hash<std::string>()(name));  // NOLINT: the same every time
  std::array<char, 37> text{};
  const std::uint64_t high = dice();
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-8%03x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>(high >> 16U & 0xffffU),
                static_cast<unsigned>(high & 0xfffU), static_cast<unsigned>(high >> 40U & 0xfffU),
                static_cast<unsigned long long>(dice() & 0xffffffffffffULL));
  return PodUid(std::string(text.data()));
}

model::Pod PodCalled(const std::string& name) {
  model::Pod pod;
  pod.ref = {kTeam, PodName(name), UidFor(name)};
  pod.resource_version = ResourceVersion("5");
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.labels = {{"app", name.substr(0, name.find('-'))}};
  pod.requests.cpu_milli = 100;
  pod.requests.memory_bytes = std::int64_t{128} << 20U;
  return pod;
}

model::Pod BoundPod(const std::string& name, int node, int first_gpu, int gpus) {
  model::Pod pod = PodCalled(name);
  pod.node = NodeOf(node);
  if (gpus == 0) return pod;
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.gpus.node = pod.node;
  for (int gpu = 0; gpu < gpus; ++gpu) allocation.gpus.ids.push_back(GpuId(first_gpu + gpu));
  pod.annotations = model::ResultAnnotations(allocation);
  return pod;
}

void AddLeases(const model::Pod& pod, std::vector<model::Event>& events) {
  const auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  for (const GpuId gpu : allocation->gpus.ids) {
    model::GpuLease lease;
    lease.name = model::LeaseNameOf(pod.node, gpu);
    lease.uid = LeaseUid("uid-of-" + lease.name.text());
    lease.resource_version = ResourceVersion("5");
    lease.node = pod.node;
    lease.gpu = gpu;
    lease.scheduler = pod.scheduler;
    lease.holders = {{pod.ref, allocation->gpus.ids, AttemptId("before")}};
    events.emplace_back(model::LeaseSeen{std::move(lease)});
  }
}

std::vector<model::Event> AnswersTo(const std::vector<model::Command>& commands) {
  constexpr auto kDone = model::WriteOutcome::kDone;
  std::vector<model::Event> answers;
  for (const model::Command& command : commands) {
    if (const auto* list = std::get_if<model::ListInFlight>(&command)) {
      answers.emplace_back(model::InFlightListed{list->revision});
    } else if (const auto* lease = std::get_if<model::CreateLease>(&command)) {
      answers.emplace_back(model::LeaseAnswered{lease->lease.name, lease->attempt, kDone});
    } else if (const auto* bind = std::get_if<model::BindPod>(&command)) {
      answers.emplace_back(model::BindAnswered{bind->pod.uid, bind->attempt, kDone});
    }
  }
  return answers;
}

}  // namespace

std::string ClaimFor(int gpus) { return "gpus-" + std::to_string(gpus); }

model::Pod WaitingPod(int number, int gpus) {
  model::Pod pod = PodCalled("waiting-" + std::to_string(number));
  if (gpus > 0) pod.annotations = {{std::string(model::names::kClaim), ClaimFor(gpus)}};
  return pod;
}

MadeUpCluster::MadeUpCluster(const ClusterShape& shape)
    : cycle_({.scheduler = SchedulerName("gpu-scheduler"), .leader = "bench"}) {
  std::vector<model::Event> events;
  for (int i = 0; i < shape.nodes; ++i) AddNode(i, events);
  for (const int gpus : {1, 2, 4, 8}) {
    model::Claim claim;
    claim.ns = kTeam;
    claim.name = ClaimName(ClaimFor(gpus));
    claim.devices.count = gpus;
    events.emplace_back(model::ClaimSeen{claim});
  }
  AddPods(shape, events);
  (void)Run(events);
  Lead();
}

void MadeUpCluster::AddNode(int number, std::vector<model::Event>& events) const {
  model::Node node;
  node.name = NodeOf(number);
  node.labels = {{"kubernetes.io/hostname", node.name.text()},
                 {"topology.kubernetes.io/zone", "zone-" + std::to_string(number % 3)}};
  node.allocatable = {
      .cpu_milli = 192'000, .memory_bytes = std::int64_t{2} << 40U, .gpus = 0, .others = {}};
  node.allocatable_pods = 250;
  events.emplace_back(model::NodeSeen{node});
  events.emplace_back(model::MachineSeen{.node = node.name, .machine = MachineOf(number)});
}

// Pods of 1, 2, 4 and 8 GPUs one after the other on every node, of which chance then leaves some
// out, so that what is free is scattered as in a cluster where pods come and go.
void MadeUpCluster::AddPods(const ClusterShape& shape, std::vector<model::Event>& events) {
  std::mt19937 dice(7);  // NOLINT: the same cluster every time
  std::uniform_real_distribution<double> share(0, 1);
  for (int node = 0; node < shape.nodes; ++node) {
    int on_node = 0;
    const int size = 1 << (node % 4);
    for (int gpu = 0; gpu + size <= kGpusPerNode; gpu += size) {
      if (share(dice) >= shape.gpus_in_use) continue;
      const std::string name = "busy-" + std::to_string(node) + "-" + std::to_string(gpu);
      gpu_pods_.push_back(BoundPod(name, node, gpu, size));
      ++on_node;
    }
    for (; on_node < shape.pods_per_node; ++on_node) {
      const std::string name = "other-" + std::to_string(node) + "-" + std::to_string(on_node);
      other_pods_.push_back(BoundPod(name, node, 0, 0));
    }
  }
  for (const model::Pod& pod : gpu_pods_) {
    events.emplace_back(model::PodSeen{pod});
    if (shape.has_leases) AddLeases(pod, events);
  }
  for (const model::Pod& pod : other_pods_) events.emplace_back(model::PodSeen{pod});
}

void MadeUpCluster::Lead() {
  std::vector<model::Event> events;
  events.reserve(model::kAllKinds.size() + 1);
  for (const model::Kind kind : model::kAllKinds) {
    events.emplace_back(model::ViewReached{kind, ResourceVersion("10")});
  }
  events.emplace_back(model::LeadershipWon{.transitions = 1, .settled = ResourceVersion("9")});
  (void)Run(events);
}

std::vector<model::Command> MadeUpCluster::Run(const std::vector<model::Event>& events) {
  auto commands = cycle_.RunOnce(events, kNow);
  for (const devices::TableWish& wish : cycle_.TakeTableWishes()) {
    if (auto table = devices::BuildTable(*wish.topology, wish.key)) {
      cycle_.AddTable(wish, *std::move(table));
    }
  }
  return commands;
}

void MadeUpCluster::Settle(std::vector<model::Command> commands) {
  for (auto answers = AnswersTo(commands); !answers.empty(); answers = AnswersTo(commands)) {
    commands = Run(answers);
  }
}

}  // namespace gs::bench
