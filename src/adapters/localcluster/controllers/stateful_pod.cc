#include "adapters/localcluster/controllers/stateful_pod.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/parse.h"
#include "core/model/names.h"

namespace gs::localcluster {
namespace {

std::string PodName(const Json& set, std::int64_t ordinal) {
  return std::string(NameOf(set)) + "-" + std::to_string(ordinal);
}

std::string ClaimName(const Json& set, const Json& claim_template, std::int64_t ordinal) {
  return std::string(NameOf(claim_template)) + "-" + PodName(set, ordinal);
}

// The set's claims come first, and hide volumes of the same name in the template.
void AddVolumes(Json& pod, const Json& set, std::int64_t ordinal) {
  const auto& templates = Items(set, {"spec", "volumeClaimTemplates"});
  if (templates.empty()) return;
  boost::json::array volumes;
  for (const Json& claim : templates) {
    volumes.push_back({{"name", NameOf(claim)},
                       {"persistentVolumeClaim",
                        boost::json::object{{"claimName", ClaimName(set, claim, ordinal)}}}});
  }
  for (const Json& volume : Items(pod, {"spec", "volumes"})) {
    const bool is_hidden = std::any_of(templates.begin(), templates.end(), [&](const Json& each) {
      return NameOf(each) == Text(volume, {"name"});
    });
    if (!is_hidden) volumes.push_back(volume);
  }
  Make(pod, {"spec"})["volumes"] = std::move(volumes);
}

Json NewClaim(const Json& set, const Json& claim_template, std::int64_t ordinal) {
  Json claim = claim_template;
  Make(claim, {})["apiVersion"] = "v1";
  Make(claim, {})["kind"] = "PersistentVolumeClaim";
  Make(claim, {}).erase("status");
  Make(claim, {"metadata"})["name"] = ClaimName(set, claim_template, ordinal);
  Make(claim, {"metadata"})["namespace"] = NamespaceOf(set);
  auto& labels = Make(claim, {"metadata", "labels"});
  for (const auto& label : Members(set, {"spec", "selector", "matchLabels"})) {
    labels[label.key()] = label.value();
  }
  const auto policy =
      Text(set, {"spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"}, "Retain");
  if (policy == "Delete") {
    Make(claim, {"metadata"})["ownerReferences"] = boost::json::array{ControllerReference(set)};
  }
  return claim;
}

const Json* FindNamed(const std::vector<Json>& objects, std::string_view name) {
  const auto found = std::find_if(objects.begin(), objects.end(),
                                  [&](const Json& each) { return NameOf(each) == name; });
  return found == objects.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::int64_t> OrdinalOf(const Json& set, const Json& pod) {
  std::string_view name = NameOf(pod);
  if (!name.starts_with(NameOf(set)) || name.size() <= NameOf(set).size() + 1) return std::nullopt;
  name.remove_prefix(NameOf(set).size());
  if (name.front() != '-') return std::nullopt;
  const auto ordinal = ParseInt32(name.substr(1), {.min = 0, .max = kInt32Range.max});
  if (!ordinal || PodName(set, *ordinal) != NameOf(pod)) return std::nullopt;
  return *ordinal;
}

Json StatefulPod(const Json& set, const Json& pod_template, std::string_view revision_name,
                 std::int64_t ordinal) {
  Json pod = PodFromTemplate(set, pod_template);
  const std::string name = PodName(set, ordinal);
  Make(pod, {"metadata"})["name"] = name;
  // Clients know pods of a set by this prefix.
  Make(pod, {"metadata"})["generateName"] = std::string(NameOf(set)) + "-";
  auto& labels = Make(pod, {"metadata", "labels"});
  labels["statefulset.kubernetes.io/pod-name"] = name;
  labels[model::names::kPodIndex] = std::to_string(ordinal);
  labels[kRevisionLabel] = revision_name;
  Make(pod, {"spec"})["hostname"] = name;
  const auto service = Text(set, {"spec", "serviceName"});
  if (!service.empty()) Make(pod, {"spec"})["subdomain"] = service;
  AddVolumes(pod, set, ordinal);
  return pod;
}

std::vector<Write> MissingClaims(const Json& set, const std::vector<Json>& claims,
                                 std::int64_t ordinal) {
  std::vector<Write> writes;
  for (const Json& claim_template : Items(set, {"spec", "volumeClaimTemplates"})) {
    if (FindNamed(claims, ClaimName(set, claim_template, ordinal)) != nullptr) continue;
    writes.push_back(Create(NewClaim(set, claim_template, ordinal)));
  }
  return writes;
}

std::vector<Write> ReleaseClaims(const Json& set, const std::vector<Json>& claims,
                                 const Json& pod) {
  const auto policy =
      Text(set, {"spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"}, "Retain");
  const auto ordinal = OrdinalOf(set, pod);
  std::vector<Write> writes;
  if (policy != "Delete" || !ordinal) return writes;
  for (const Json& claim_template : Items(set, {"spec", "volumeClaimTemplates"})) {
    const Json* claim = FindNamed(claims, ClaimName(set, claim_template, *ordinal));
    if (claim == nullptr || IsControlledBy(*claim, pod)) continue;
    Json released = *claim;
    Make(released, {"metadata"})["ownerReferences"] = boost::json::array{ControllerReference(pod)};
    writes.push_back(Update(std::move(released)));
  }
  return writes;
}

}  // namespace gs::localcluster
