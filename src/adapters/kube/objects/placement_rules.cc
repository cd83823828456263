#include "adapters/kube/objects/placement_rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/pod_volumes.h"

namespace gs::kube {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

class RulesReader {
 public:
  explicit RulesReader(const JsonView& spec) : spec_(spec) {}

  model::PlacementRules Read() {
    rules_.node_selector = ReadLabels(spec_.Field("nodeSelector"));
    ReadAffinity(spec_.Field("affinity"));
    ReadTolerations();
    for (const JsonView& gate : spec_.Field("schedulingGates").Items()) {
      rules_.gates.push_back(gate.Field("name").RequiredText());
    }
    FindHostPorts(spec_.Field("containers"));
    FindHostPorts(spec_.Field("initContainers"));
    FindVolumes();
    FindSpread();
    if (!spec_.Field("resourceClaims").Items().empty()) Refuse("spec.resourceClaims");
    return std::move(rules_);
  }

 private:
  void Refuse(std::string field) {
    auto& fields = rules_.unsupported;
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) {
      fields.push_back(std::move(field));
    }
  }

  void ReadAffinity(const JsonView& affinity) {
    const JsonView required = affinity.Field("nodeAffinity").Field(kRequired);
    if (required.is_present()) ReadTerms(required.Field("nodeSelectorTerms"));
    if (!affinity.Field("podAffinity").Field(kRequired).Items().empty()) {
      Refuse("spec.affinity.podAffinity");
    }
    if (!affinity.Field("podAntiAffinity").Field(kRequired).Items().empty()) {
      Refuse("spec.affinity.podAntiAffinity");
    }
  }

  void ReadTerms(const JsonView& list) {
    for (const JsonView& term : list.Items()) {
      rules_.node_affinity.push_back({.labels = ReadRequirements(term.Field("matchExpressions")),
                                      .fields = ReadRequirements(term.Field("matchFields"))});
      for (const auto& requirement : rules_.node_affinity.back().fields) {
        if (requirement.key != model::kNodeNameField) Refuse("spec.affinity.nodeAffinity");
      }
    }
    // A selector without terms matches nothing, which is what an empty term says.
    if (rules_.node_affinity.empty()) rules_.node_affinity.emplace_back();
  }

  std::vector<model::Requirement> ReadRequirements(const JsonView& list) {
    std::vector<model::Requirement> requirements;
    for (const JsonView& item : list.Items()) {
      const auto op = model::ParseSelectorOperator(item.Field("operator").Word());
      if (!op) Refuse("spec.affinity.nodeAffinity");
      auto& requirement = requirements.emplace_back();
      requirement.key = item.Field("key").RequiredText();
      requirement.op = op.value_or(requirement.op);
      for (const JsonView& value : item.Field("values").Items()) {
        requirement.values.push_back(value.Text());
      }
    }
    return requirements;
  }

  void ReadTolerations() {
    for (const JsonView& item : spec_.Field("tolerations").Items()) {
      if (auto toleration = ReadToleration(item)) {
        rules_.tolerations.push_back(*std::move(toleration));
      }
    }
  }

  // Nothing where it cannot tolerate any taint that we know.
  std::optional<model::Toleration> ReadToleration(const JsonView& item) {
    model::Toleration toleration{.key = item.Field("key").Text(),
                                 .value = item.Field("value").Text()};
    if (const std::string_view word = item.Field("operator").Word(); !word.empty()) {
      const auto op = model::ParseTolerationOperator(word);
      if (!op) {
        Refuse("spec.tolerations");
        return std::nullopt;
      }
      toleration.op = *op;
    }
    if (const std::string_view word = item.Field("effect").Word(); !word.empty()) {
      toleration.effect = model::ParseTaintEffect(word);
      if (!toleration.effect) return std::nullopt;
    }
    return toleration;
  }

  void FindHostPorts(const JsonView& containers) {
    for (const JsonView& container : containers.Items()) {
      for (const JsonView& port : container.Field("ports").Items()) {
        if (port.Field("hostPort").Int({}, 0) != 0) Refuse("spec.containers.ports.hostPort");
      }
    }
  }

  void FindVolumes() {
    for (const JsonView& volume : spec_.Field("volumes").Items()) {
      for (const auto& [kind, source] : volume.Members()) {
        if (kind == "name" || !source.is_present()) continue;
        if (!IsKnownVolumeKind(kind)) Refuse("spec.volumes." + std::string(kind));
      }
    }
  }

  void FindSpread() {
    for (const JsonView& constraint : spec_.Field("topologySpreadConstraints").Items()) {
      if (constraint.Field("whenUnsatisfiable").Word() != "ScheduleAnyway") {
        Refuse("spec.topologySpreadConstraints");
      }
    }
  }

  JsonView spec_;
  model::PlacementRules rules_;
};

}  // namespace

model::PlacementRules ReadPlacementRules(const JsonView& spec) { return RulesReader(spec).Read(); }

}  // namespace gs::kube
