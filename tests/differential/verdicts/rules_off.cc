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
  for (model::Event& event : snapshot.seen) {
    if (auto* object = std::get_if<Object>(&event)) change(*object);
  }
}

void ForgetResources(Snapshot& snapshot) { snapshot.pod.requests = {}; }

void ForgetNodeSelector(Snapshot& snapshot) { snapshot.pod.rules.node_selector = {}; }

void ForgetNodeAffinity(Snapshot& snapshot) { snapshot.pod.rules.node_affinity.clear(); }

void ForgetTaints(Snapshot& snapshot) {
  ForEach<model::NodeSeen>(snapshot, [](model::NodeSeen& seen) { seen.node.taints.clear(); });
}

void ForgetCordons(Snapshot& snapshot) {
  ForEach<model::NodeSeen>(snapshot,
                           [](model::NodeSeen& seen) { seen.node.is_unschedulable = false; });
}

constexpr std::array kRules{
    Rule{"resources", ForgetResources},
    Rule{"node-selector", ForgetNodeSelector},
    Rule{"node-affinity", ForgetNodeAffinity},
    Rule{"taints", ForgetTaints},
    Rule{"cordons", ForgetCordons},
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
