#include "adapters/localcluster/patch/patch_schema.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace gs::localcluster {

const PatchType kPlainObject{};

namespace {

constexpr PatchField Object(std::string_view name, const PatchType& type) {
  return {.name = name, .type = &type, .merge_key = ""};
}

constexpr PatchField Merged(std::string_view name, std::string_view key,
                            const PatchType& type = kPlainObject) {
  return {.name = name, .type = &type, .merge_key = key, .strategy = PatchStrategy::kMerge};
}

// A list of words, merged as a set.
constexpr PatchField MergedWords(std::string_view name) { return Merged(name, ""); }

constexpr PatchField kMetadataFields[] = {Merged("ownerReferences", "uid"),
                                          MergedWords("finalizers")};
constexpr PatchType kMetadata{kMetadataFields};

constexpr PatchField kConditionsFields[] = {Merged("conditions", "type")};
constexpr PatchType kConditions{kConditionsFields};

constexpr PatchField kContainerFields[] = {Merged("ports", "containerPort"), Merged("env", "name"),
                                           Merged("volumeMounts", "mountPath"),
                                           Merged("volumeDevices", "devicePath")};
constexpr PatchType kContainer{kContainerFields};

constexpr PatchField kPodSpecFields[] = {Merged("volumes", "name"),
                                         Merged("initContainers", "name", kContainer),
                                         Merged("containers", "name", kContainer),
                                         Merged("ephemeralContainers", "name", kContainer),
                                         Merged("imagePullSecrets", "name"),
                                         Merged("hostAliases", "ip"),
                                         Merged("topologySpreadConstraints", "topologyKey"),
                                         Merged("schedulingGates", "name"),
                                         Merged("resourceClaims", "name")};
constexpr PatchType kPodSpec{kPodSpecFields};

constexpr PatchField kPodStatusFields[] = {Merged("conditions", "type"), Merged("hostIPs", "ip"),
                                           Merged("podIPs", "ip"),
                                           Merged("resourceClaimStatuses", "name")};
constexpr PatchType kPodStatus{kPodStatusFields};

constexpr PatchField kPodFields[] = {Object("metadata", kMetadata), Object("spec", kPodSpec),
                                     Object("status", kPodStatus)};
constexpr PatchType kPod{kPodFields};

constexpr PatchField kPodTemplateFields[] = {Object("metadata", kMetadata),
                                             Object("spec", kPodSpec)};
constexpr PatchType kPodTemplate{kPodTemplateFields};

// Deployments and all other kinds that make pods from a template.
constexpr PatchField kWorkloadSpecFields[] = {Object("template", kPodTemplate)};
constexpr PatchType kWorkloadSpec{kWorkloadSpecFields};
constexpr PatchField kWorkloadFields[] = {
    Object("metadata", kMetadata), Object("spec", kWorkloadSpec), Object("status", kConditions)};
constexpr PatchType kWorkload{kWorkloadFields};

constexpr PatchField kServiceSpecFields[] = {Merged("ports", "port")};
constexpr PatchType kServiceSpec{kServiceSpecFields};
constexpr PatchField kServiceFields[] = {
    Object("metadata", kMetadata), Object("spec", kServiceSpec), Object("status", kConditions)};
constexpr PatchType kService{kServiceFields};

constexpr PatchField kServiceAccountFields[] = {Object("metadata", kMetadata),
                                                Merged("secrets", "name")};
constexpr PatchType kServiceAccount{kServiceAccountFields};

constexpr PatchField kNodeSpecFields[] = {MergedWords("podCIDRs")};
constexpr PatchType kNodeSpec{kNodeSpecFields};
constexpr PatchField kNodeStatusFields[] = {Merged("conditions", "type"),
                                            Merged("addresses", "type")};
constexpr PatchType kNodeStatus{kNodeStatusFields};
constexpr PatchField kNodeFields[] = {Object("metadata", kMetadata), Object("spec", kNodeSpec),
                                      Object("status", kNodeStatus)};
constexpr PatchType kNode{kNodeFields};

constexpr PatchField kBudgetSpecFields[] = {{.name = "selector",
                                             .type = &kPlainObject,
                                             .merge_key = "",
                                             .strategy = PatchStrategy::kReplace}};
constexpr PatchType kBudgetSpec{kBudgetSpecFields};
constexpr PatchField kBudgetFields[] = {Object("metadata", kMetadata), Object("spec", kBudgetSpec),
                                        Object("status", kConditions)};
constexpr PatchType kBudget{kBudgetFields};

constexpr PatchField kWebhookFields[] = {Merged("matchConditions", "name")};
constexpr PatchType kWebhook{kWebhookFields};
constexpr PatchField kWebhooksFields[] = {Object("metadata", kMetadata),
                                          Merged("webhooks", "name", kWebhook)};
constexpr PatchType kWebhooks{kWebhooksFields};

constexpr PatchField kWithConditionsFields[] = {Object("metadata", kMetadata),
                                                Object("status", kConditions)};
constexpr PatchType kWithConditions{kWithConditionsFields};

constexpr PatchField kWithMetadataFields[] = {Object("metadata", kMetadata)};
constexpr PatchType kWithMetadata{kWithMetadataFields};

constexpr std::pair<std::string_view, const PatchType*> kKinds[] = {
    {"Pod", &kPod},
    {"Node", &kNode},
    {"Service", &kService},
    {"ServiceAccount", &kServiceAccount},
    {"Namespace", &kWithConditions},
    {"PersistentVolumeClaim", &kWithConditions},
    {"ReplicationController", &kWorkload},
    {"Deployment", &kWorkload},
    {"StatefulSet", &kWorkload},
    {"DaemonSet", &kWorkload},
    {"ReplicaSet", &kWorkload},
    {"Job", &kWorkload},
    {"PodDisruptionBudget", &kBudget},
    {"MutatingWebhookConfiguration", &kWebhooks},
    {"ValidatingWebhookConfiguration", &kWebhooks},
};

}  // namespace

const PatchField* PatchType::Find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const PatchField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const PatchType& PatchTypeOf(std::string_view kind) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const auto& entry) { return entry.first == kind; });
  return found == std::end(kKinds) ? kWithMetadata : *found->second;
}

}  // namespace gs::localcluster
