#include "tests/differential/verdicts/rules_off.h"

#include <array>
#include <variant>

#include "base/text.h"

namespace gs::differential {
namespace {

struct Rule {
  std::string_view name;
  SwitchOff off;
};

template <class Object, class Change>
void ForEach(Snapshot& snapshot, Change change) {
  for (Seen& seen : snapshot.seen) {
    if (auto* object = std::get_if<Object>(&seen.event)) change(*object);
  }
}

void ForgetResources(Snapshot& snapshot) { snapshot.pod.requests = {}; }

void ForgetNodeSelector(Snapshot& snapshot) { snapshot.pod.rules->node_selector = {}; }

void ForgetNodeAffinity(Snapshot& snapshot) { snapshot.pod.rules->node_affinity.clear(); }

void ForgetTaints(Snapshot& snapshot) {
  ForEach<model::NodeSeen>(snapshot, [](model::NodeSeen& seen) { seen.node.taints.clear(); });
}

void ForgetCordons(Snapshot& snapshot) {
  ForEach<model::NodeSeen>(snapshot,
                           [](model::NodeSeen& seen) { seen.node.is_unschedulable = false; });
}

void ForgetHostPorts(Snapshot& snapshot) { snapshot.pod.ties->host_ports.clear(); }

void ForgetPodAffinity(Snapshot& snapshot) { snapshot.pod.rules->pod_affinity.clear(); }

void ForgetAntiAffinity(Snapshot& snapshot) { snapshot.pod.ties->anti_affinity.clear(); }

void ForgetAntiAffinityOfOthers(Snapshot& snapshot) {
  ForEach<model::PodSeen>(snapshot,
                          [](model::PodSeen& seen) { seen.pod.ties->anti_affinity.clear(); });
}

void ForgetSpread(Snapshot& snapshot) { snapshot.pod.rules->spread.clear(); }

void ForgetVolumes(Snapshot& snapshot) { snapshot.pod.ties->volumes.clear(); }

void ForgetDisks(Snapshot& snapshot) { snapshot.pod.ties->disks.clear(); }

void ForgetWhereVolumesAre(Snapshot& snapshot) {
  ForEach<model::StorageSeen>(snapshot, [](model::StorageSeen& seen) {
    if (auto* volume = std::get_if<model::Volume>(&seen.object)) volume->node_affinity.reset();
  });
}

void ForgetZonesOfVolumes(Snapshot& snapshot) {
  ForEach<model::StorageSeen>(snapshot, [](model::StorageSeen& seen) {
    if (auto* volume = std::get_if<model::Volume>(&seen.object)) volume->labels = {};
  });
}

void ForgetAttachLimits(Snapshot& snapshot) {
  ForEach<model::StorageSeen>(snapshot, [](model::StorageSeen& seen) {
    if (auto* drivers = std::get_if<model::NodeDrivers>(&seen.object)) drivers->limits.clear();
  });
}

constexpr std::array kRules{
    Rule{"resources", ForgetResources},
    Rule{"node-selector", ForgetNodeSelector},
    Rule{"node-affinity", ForgetNodeAffinity},
    Rule{"taints", ForgetTaints},
    Rule{"cordons", ForgetCordons},
    Rule{"host-ports", ForgetHostPorts},
    Rule{"pod-affinity", ForgetPodAffinity},
    Rule{"anti-affinity", ForgetAntiAffinity},
    Rule{"anti-affinity-of-others", ForgetAntiAffinityOfOthers},
    Rule{"spread", ForgetSpread},
    Rule{"volumes", ForgetVolumes},
    Rule{"disks", ForgetDisks},
    Rule{"volume-node-affinity", ForgetWhereVolumesAre},
    Rule{"volume-zones", ForgetZonesOfVolumes},
    Rule{"attach-limits", ForgetAttachLimits},
};

}  // namespace

std::string RuleNames() {
  return text::Join(kRules, ", ", [](const Rule& rule) { return std::string(rule.name); });
}

Result<SwitchOff> FindRule(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (rule.name == name) return rule.off;
  }
  return Error(ErrorKind::kInvalid, "no rule is called " + std::string(name))
      .Advise("the rules are " + RuleNames());
}

}  // namespace gs::differential
