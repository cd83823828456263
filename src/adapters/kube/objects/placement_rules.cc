#include "adapters/kube/objects/placement_rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/pod_volumes.h"
#include "adapters/kube/objects/selectors.h"

namespace gs::kube {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

class RulesReader {
 public:
  RulesReader(const JsonView& spec, const PodIdentity& pod) : spec_(spec), pod_(pod) {}

  model::PlacementRules Read() {
    rules_.node_selector = ReadLabels(spec_.Field("nodeSelector"));
    ReadAffinity(spec_.Field("affinity"));
    ReadTolerations();
    for (const JsonView& gate : spec_.Field("schedulingGates").Items()) {
      rules_.gates.push_back(gate.Field("name").RequiredText());
    }
    FindVolumes();
    Keep(ReadSpread(spec_.Field("topologySpreadConstraints"), pod_),
         "spec.topologySpreadConstraints", rules_.spread);
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

  // What was read of a field, unless it was not understood or is too large.
  template <class Value>
  void Keep(std::optional<std::vector<Value>> read, const std::string& field,
            std::vector<Value>& kept) {
    if (!read) return Refuse(field);
    if (WordsOf(*read) > kMostSelectorWords) {
      return Refuse(field + " of more than " + std::to_string(kMostSelectorWords) + " words");
    }
    kept = *std::move(read);
  }

  void ReadAffinity(const JsonView& affinity) {
    const JsonView nodes = affinity.Field("nodeAffinity");
    if (const JsonView required = nodes.Field(kRequired); required.is_present()) {
      ReadTerms(required.Field("nodeSelectorTerms"));
    }
    ReadWishes(nodes.Field(kPreferred));
    Keep(ReadPodAffinity(affinity.Field("podAffinity"), pod_), "spec.affinity.podAffinity",
         rules_.pod_affinity);
    // Kept with what ties the pod to its node.
    std::vector<model::PodAffinityTerm> checked;
    Keep(ReadPodAffinity(affinity.Field("podAntiAffinity"), pod_), "spec.affinity.podAntiAffinity",
         checked);
  }

  void ReadTerms(const JsonView& list) {
    for (const JsonView& item : list.Items()) {
      auto term = ReadTerm(item);
      if (!term) Refuse("spec.affinity.nodeAffinity");
      rules_.node_affinity.push_back(std::move(term).value_or(model::NodeSelectorTerm()));
    }
    // A selector without terms matches nothing, which is what an empty term says.
    if (rules_.node_affinity.empty()) rules_.node_affinity.emplace_back();
  }

  void ReadWishes(const JsonView& list) {
    for (const JsonView& item : list.Items()) {
      auto term = ReadTerm(item.Field("preference"));
      if (!term) continue;
      rules_.preferred_nodes.push_back(
          {.weight = static_cast<std::int32_t>(item.Field("weight").Int(kInt32Range, 1)),
           .term = *std::move(term)});
    }
  }

  // Nothing where it is not understood.
  static std::optional<model::NodeSelectorTerm> ReadTerm(const JsonView& item) {
    auto labels = ReadRequirements(item.Field("matchExpressions"));
    auto fields = ReadRequirements(item.Field("matchFields"));
    if (!labels || !fields) return std::nullopt;
    for (const auto& requirement : *fields) {
      if (requirement.key != model::kNodeNameField) return std::nullopt;
    }
    return model::NodeSelectorTerm{.labels = *std::move(labels), .fields = *std::move(fields)};
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

  void FindVolumes() {
    for (const JsonView& volume : spec_.Field("volumes").Items()) {
      for (const auto& [kind, source] : volume.Members()) {
        if (kind == "name" || !source.is_present()) continue;
        if (!IsKnownVolumeKind(kind)) Refuse("spec.volumes." + std::string(kind));
      }
    }
  }

  JsonView spec_;
  const PodIdentity& pod_;
  model::PlacementRules rules_;
};

}  // namespace

model::PlacementRules ReadPlacementRules(const JsonView& spec, const PodIdentity& pod) {
  return RulesReader(spec, pod).Read();
}

}  // namespace gs::kube
