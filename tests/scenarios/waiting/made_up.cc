#include "tests/scenarios/waiting/made_up.h"

#include <array>
#include <utility>
#include <vector>

#include "core/model/names.h"
#include "core/model/pod_affinity.h"
#include "core/model/spread_constraint.h"
#include "core/model/toleration.h"
#include "tests/support/machines.h"

namespace gs::scenarios::waiting {
namespace {

namespace names = model::names;

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "zone";
const std::string kPart = "nvidia.com/gpu.shared";
const std::string kDriver = "d.example";

bool Once(Dice& dice, int in) { return dice.Roll(in) == 0; }

std::string AnyOf(Dice& dice, const std::string& prefix, int count) {
  return prefix + std::to_string(dice.Roll(count));
}

model::LabelSelector IsApp(const std::string& app) {
  return {.requirements = {{.key = "app", .values = {app}}}};
}

std::string AnyTopologyKey(Dice& dice) { return std::string(Once(dice, 2) ? kZone : kHostname); }

model::PodAffinityTerm AnyTerm(Dice& dice, const Namespace& ns) {
  model::PodAffinityTerm term;
  term.selector = IsApp(AnyOf(dice, "a", 2));
  term.topology_key = AnyTopologyKey(dice);
  if (Once(dice, 3)) {
    term.namespace_selector = model::LabelSelector{{{.key = "kind", .values = {"loud"}}}};
  } else {
    term.namespaces = {ns};
  }
  return term;
}

model::SpreadConstraint AnySpread(Dice& dice) {
  model::SpreadConstraint spread;
  spread.topology_key = AnyTopologyKey(dice);
  spread.selector = IsApp(AnyOf(dice, "a", 2));
  spread.honours_taints = Once(dice, 3);
  return spread;
}

void AskForRoom(model::Pod& pod, Dice& dice) {
  if (Once(dice, 2)) return;
  pod.requests.cpu_milli = 1000 * dice.Roll(4);
  if (Once(dice, 5)) pod.requests.memory_bytes = 1 + dice.Roll(2);
  if (Once(dice, 6)) pod.ties->host_ports = {{.port = 80 + dice.Roll(2)}};
}

// Each of them once in so many times.
void AskForCompany(model::Pod& pod, Dice& dice, int in) {
  if (Once(dice, in + 1)) pod.rules->pod_affinity = {AnyTerm(dice, pod.ref.ns)};
  if (Once(dice, in)) pod.ties->anti_affinity = {AnyTerm(dice, pod.ref.ns)};
  if (Once(dice, in)) pod.rules->spread = {AnySpread(dice)};
}

model::Toleration Toleration() {
  return {.key = "busy", .value = {}, .op = model::TolerationOperator::kExists, .effect = {}};
}

void AskForNodes(model::Pod& pod, Dice& dice) {
  if (Once(dice, 4)) pod.rules->node_selector.Set(kZone, AnyOf(dice, "z", 2));
  if (Once(dice, 8)) {
    pod.rules->node_affinity = {
        {.labels = {{.key = std::string(kHostname), .values = {AnyOf(dice, "n", kNodes)}}},
         .fields = {}}};
  }
  if (Once(dice, 2)) pod.rules->tolerations = {Toleration()};
}

// "0=n1:0,2"; a node may be called by another name.
std::string AnyMap(Dice& dice) {
  std::string map = "0=" + AnyOf(dice, Once(dice, 4) ? "alias" : "n", kNodes) + ":";
  const int first = dice.Roll(kGpus);
  map += std::to_string(first);
  if (Once(dice, 2)) map += "," + std::to_string((first + 1) % static_cast<int>(kGpus));
  return map;
}

void Name(model::Pod& pod, Dice& dice) {
  if (Once(dice, 3)) return pod.annotations.Set(names::kMap, AnyMap(dice));
  pod.annotations.Set(names::kClaim, AnyOf(dice, "c", 3));
}

void AskForGpus(model::Pod& pod, Dice& dice) {
  switch (dice.Roll(9)) {
    case 0:
    case 1: return;
    case 2:
    case 3: pod.requests.gpus = 1 + dice.Roll(kGpus); return;
    case 4: pod.requests.others[kPart] = 1 + dice.Roll(3); return;
    case 5: pod.requests.gpus = 1 + dice.Roll(2); [[fallthrough]];  // and by name
    default: return Name(pod, dice);
  }
}

void AskForVolumes(model::Pod& pod, Dice& dice, int in) {
  if (Once(dice, in + 1)) pod.ties->disks = {{.kind = "rbd", .id = AnyOf(dice, "d", 2)}};
  if (!Once(dice, in)) return;
  pod.ties->volumes = {
      {.claim = VolumeClaimAt(static_cast<std::uint32_t>(dice.Roll(kVolumeClaims)))}};
}

}  // namespace

NodeName NodeAt(std::uint32_t number) { return NodeName("n" + std::to_string(number % kNodes)); }

Namespace AnyNamespace(Dice& dice) { return Namespace(Once(dice, 5) ? "other" : "team"); }

model::Node NodeOf(const NodeName& name) {
  model::Node node;
  node.name = name;
  const int number = name.text().back() - '0';
  node.labels.Set(kHostname, name.text());
  node.labels.Set(kZone, "z" + std::to_string(number % 2));
  node.labels.Set(names::kMapNodeNameLabel, "alias" + std::to_string(number));
  node.allocatable = {
      .cpu_milli = 4000, .memory_bytes = 3, .gpus = kGpus, .others = {{kPart, kGpus}}};
  node.allocatable_pods = 110;
  node.gpu_capacity = kGpus;
  return node;
}

void Cordon(model::Node& node, Dice& dice) { node.is_unschedulable = Once(dice, 2); }

void TaintIt(model::Node& node, Dice& dice) {
  node.taints.clear();
  if (Once(dice, 2)) node.taints = {{.key = "busy", .value = {}}};
}

void Relabel(model::Node& node, Dice& dice) {
  node.labels.Set(kZone, AnyOf(dice, "z", 3));
  node.labels.Set(names::kMapNodeNameLabel, AnyOf(dice, "alias", kNodes));
}

void Resize(model::Node& node, Dice& dice) {
  node.allocatable.cpu_milli = 1000 * (1 + dice.Roll(6));
  node.allocatable.memory_bytes = 1 + dice.Roll(4);
  node.gpu_capacity = Once(dice, 4) ? 1 : kGpus;
  node.allocatable.gpus = Once(dice, 4) ? 0 : node.gpu_capacity;
  node.allocatable_pods = Once(dice, 3) ? 2 : 110;
}

model::Machine MachineOf() {
  model::Machine machine = testing::MachineBuilder(kGpus).machine();
  for (model::GpuDevice& device : machine.devices) {
    device.uuid = GpuUuid("G" + std::to_string(device.id.number()));
  }
  return machine;
}

model::Machine AnyMachine(Dice& dice) {
  model::Machine machine = MachineOf();
  if (Once(dice, 4)) {
    machine = testing::MachineBuilder(kGpus)
                  .Mesh(0, kGpus - 1,
                        {.kind = model::LinkKind::kNvLink, .count = 4, .bandwidth_gbps = 200})
                  .machine();
  }
  for (model::GpuDevice& device : machine.devices) {
    if (Once(dice, 4)) device.health = model::Health::kUnhealthy;
  }
  if (Once(dice, 6)) std::swap(machine.devices[0].uuid, machine.devices[1].uuid);
  return machine;
}

model::Claim ClaimOf(std::uint32_t number) {
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("c" + std::to_string(number));
  claim.devices.count = number == 2 ? 1 : static_cast<std::int32_t>(number) + 1;
  if (number == 2) claim.devices.exclusivity = model::Exclusivity::kShared;
  return claim;
}

model::Claim AnyClaim(Dice& dice) {
  model::Claim claim = ClaimOf(static_cast<std::uint32_t>(dice.Roll(3)));
  claim.ns = AnyNamespace(dice);
  if (Once(dice, 2)) claim.devices.count = 1 + dice.Roll(kGpus + 1);
  if (Once(dice, 4)) claim.topology = {.mode = model::TopologyMode::kRequired};
  if (Once(dice, 4)) claim.match_labels.Set(kZone, AnyOf(dice, "z", 2));
  return claim;
}

model::Pod AnyPod(Dice& dice) {
  model::Pod pod;
  pod.ref.ns = AnyNamespace(dice);
  pod.priority = Once(dice, 3) ? 1 + dice.Roll(2) : 0;
  if (Once(dice, 2)) {
    pod.controller = model::Controller{"ReplicaSet", ControllerUid(AnyOf(dice, "set-", 2))};
  }
  AskForRoom(pod, dice);
  RelabelIt(pod, dice);
  if (!Once(dice, 3)) AskForGpus(pod, dice);
  switch (dice.Roll(6)) {
    case 0: AskForNodes(pod, dice); break;
    case 1: AskForCompany(pod, dice, 2); break;
    case 2: AskForVolumes(pod, dice, 2); break;
    case 3:
      AskForNodes(pod, dice);
      AskForCompany(pod, dice, 6);
      AskForVolumes(pod, dice, 6);
      break;
    default: break;  // the plain ones make the others wait
  }
  if (Once(dice, 16)) pod.rules->gates = {"hold"};
  return pod;
}

model::Pod AnyForeignPod(Dice& dice) {
  model::Pod pod;
  pod.ref.ns = AnyNamespace(dice);
  AskForRoom(pod, dice);
  if (Once(dice, 2)) pod.requests.gpus = 1 + dice.Roll(2);
  RelabelIt(pod, dice);
  AskForCompany(pod, dice, 3);
  pod.rules = {};
  return pod;
}

void RelabelIt(model::Pod& pod, Dice& dice) {
  pod.labels = {};
  if (!Once(dice, 3)) pod.labels.Set("app", AnyOf(dice, "a", 2));
}

model::Pod LikeIt(const model::Pod& pod, Dice& dice) {
  model::Pod like;
  like.ref.ns = pod.ref.ns;
  like.priority = pod.priority;
  like.controller = pod.controller;
  like.labels = pod.labels;
  like.annotations = pod.annotations;
  like.requests = pod.requests;
  like.rules = pod.rules;
  like.ties = pod.ties;
  if (Once(dice, 2)) RelabelIt(like, dice);
  if (Once(dice, 4)) like.controller.reset();
  if (Once(dice, 3)) like.priority = dice.Roll(3);
  return like;
}

void EditIt(model::Pod& pod, Dice& dice) {
  if (Once(dice, 3)) {
    pod.rules->tolerations = {Toleration()};
    return;
  }
  pod.annotations = {};
  if (!Once(dice, 4)) Name(pod, dice);
}

model::StorageClass ClassOf(Class which) {
  const bool is_local = which == Class::kLocal;
  return {.name = is_local                ? "local"
                  : which == Class::kMade ? "made"
                                          : "at-once",
          .provisioner = is_local ? "kubernetes.io/no-provisioner" : kDriver,
          .waits_for_consumer = which != Class::kAtOnce,
          .allowed_topologies = {}};
}

std::string VolumeClaimAt(std::uint32_t number) {
  return "v" + std::to_string(number % kVolumeClaims);
}

model::VolumeClaim VolumeClaimOf(const Namespace& ns, std::uint32_t number) {
  model::VolumeClaim claim;
  claim.ns = ns;
  claim.name = VolumeClaimAt(number);
  constexpr std::array kClasses{Class::kLocal, Class::kMade, Class::kMade, Class::kAtOnce};
  claim.storage_class = ClassOf(kClasses.at(number % kVolumeClaims)).name;
  const bool is_for_one = number % kVolumeClaims == 2;
  claim.access_modes = {is_for_one ? std::string(model::kReadWriteOncePod) : "ReadWriteOnce"};
  claim.bytes = 10;
  return claim;
}

model::StorageObject AnyStorage(Dice& dice) {
  const NodeName node(AnyOf(dice, "n", kNodes));
  switch (dice.Roll(3)) {
    case 0: return model::NodeDrivers{.node = node, .limits = {{kDriver, dice.Roll(3)}}};
    case 1:
      return model::VolumeAttachment{
          .name = "at", .node = node, .driver = kDriver, .volume = AnyOf(dice, "pv-", 4)};
    default: return ClassOf(static_cast<Class>(dice.Roll(3)));
  }
}

model::Volume AnyVolume(Dice& dice) {
  model::Volume volume;
  volume.driver = kDriver;
  volume.handle = AnyOf(dice, "handle-", 6);
  volume.is_available = true;
  volume.storage_class = ClassOf(Class::kLocal).name;
  volume.access_modes = {"ReadWriteOnce"};
  volume.bytes = 10;
  volume.node_affinity = {
      {.labels = {{.key = std::string(kHostname), .values = {AnyOf(dice, "n", kNodes)}}},
       .fields = {}}};
  return volume;
}

}  // namespace gs::scenarios::waiting
