#include <algorithm>
#include <boost/json/array.hpp>
#include <set>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/metadata_rules.h"
#include "adapters/localcluster/rules/pod_rules.h"
#include "base/quantity.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// nvidia.com/gpu and the like: whole numbers, and as much requested as limited.
bool IsExtended(std::string_view resource) {
  return resource.find('/') != resource.npos && !resource.starts_with("kubernetes.io/") &&
         resource.find(".kubernetes.io/") == resource.npos;
}

void CheckAmounts(const json::object& resources, const std::string& base, std::string_view list,
                  Faults& faults) {
  const auto* amounts = FindObject(resources, {list});
  if (amounts == nullptr) return;
  for (const auto& [name, value] : *amounts) {
    const auto field = base + "." + std::string(list) + "[" + std::string(name) + "]";
    const auto amount = value.is_string() ? Quantity::Parse(value.get_string())
                                          : Result<Quantity>(Error(ErrorKind::kInvalid, ""));
    if (!amount) {
      faults.Invalid(field, value,
                     "quantities must match the regular expression "
                     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    } else if (*amount < Quantity()) {
      faults.Invalid(field, value, "must be greater than or equal to 0");
    } else if (IsExtended(name) && *amount != Quantity::OfUnits(amount->Value())) {
      faults.Invalid(field, value, "must be an integer");
    }
  }
}

void CheckAgainstLimits(const json::object& resources, const std::string& base, Faults& faults) {
  const auto* requests = FindObject(resources, {"requests"});
  if (requests == nullptr) return;
  for (const auto& [name, value] : *requests) {
    const auto request = Quantity::Parse(Text(*requests, {name}));
    const auto limit_text = Text(resources, {"limits", name});
    if (limit_text.empty()) {
      if (IsExtended(name)) {
        faults.Required(base + ".limits", "Limit must be set for non overcommitable resources");
      }
      continue;
    }
    const auto limit = Quantity::Parse(limit_text);
    if (!request || !limit) continue;
    const std::string of = std::string(name) + " limit of " + std::string(limit_text);
    if (IsExtended(name) && *request != *limit) {
      faults.Invalid(base + ".requests", value, "must be equal to " + of);
    } else if (*request > *limit) {
      faults.Invalid(base + ".requests", value, "must be less than or equal to " + of);
    }
  }
}

void CheckContainer(const json::object& container, const std::string& field,
                    std::set<std::string>& names, Faults& faults) {
  const std::string name(Text(container, {"name"}));
  if (name.empty()) {
    faults.Required(field + ".name");
  } else if (const auto fault = DnsLabelFault(name); !fault.empty()) {
    faults.Invalid(field + ".name", json::string(name), fault);
  } else if (!names.insert(name).second) {
    faults.Duplicate(field + ".name", name);
  }
  if (Text(container, {"image"}).empty()) faults.Required(field + ".image");
  const auto policy = Text(container, {"imagePullPolicy"});
  if (policy != "Always" && policy != "IfNotPresent" && policy != "Never") {
    faults.Unsupported(field + ".imagePullPolicy", policy, {"Always", "IfNotPresent", "Never"});
  }
  if (const auto* resources = FindObject(container, {"resources"})) {
    CheckAmounts(*resources, field + ".resources", "limits", faults);
    CheckAmounts(*resources, field + ".resources", "requests", faults);
    CheckAgainstLimits(*resources, field + ".resources", faults);
  }
}

std::set<std::string> VolumeNames(const json::object& spec, const std::string& field,
                                  Faults& faults) {
  std::set<std::string> names;
  const auto* volumes = FindArray(spec, {"volumes"});
  if (volumes == nullptr) return names;
  for (std::size_t i = 0; i < volumes->size(); ++i) {
    const auto* volume = (*volumes)[i].if_object();
    if (volume == nullptr) continue;
    const std::string name(Text(*volume, {"name"}));
    const auto at = At(field + ".volumes", i);
    if (name.empty()) faults.Required(at + ".name");
    if (!name.empty() && !names.insert(name).second) faults.Duplicate(at + ".name", name);
  }
  return names;
}

void CheckMounts(const json::object& container, const std::string& field,
                 const std::set<std::string>& volumes, Faults& faults) {
  const auto* mounts = FindArray(container, {"volumeMounts"});
  if (mounts == nullptr) return;
  for (std::size_t i = 0; i < mounts->size(); ++i) {
    const auto* mount = (*mounts)[i].if_object();
    if (mount == nullptr) continue;
    const std::string name(Text(*mount, {"name"}));
    if (!volumes.contains(name)) {
      // The words of "not found", which has its own reason.
      faults.Invalid(At(field + ".volumeMounts", i) + ".name", json::string(name), "not found");
    }
  }
}

void CheckContainers(const json::object& spec, const std::string& base, std::string_view list,
                     std::set<std::string>& names, Faults& faults) {
  const auto* containers = FindArray(spec, {list});
  if (containers == nullptr) return;
  const auto field = base + "." + std::string(list);
  Faults of_volumes;
  const auto volumes = VolumeNames(spec, base, of_volumes);
  for (std::size_t i = 0; i < containers->size(); ++i) {
    const auto* container = (*containers)[i].if_object();
    if (container == nullptr) continue;
    CheckContainer(*container, At(field, i), names, faults);
    CheckMounts(*container, At(field, i), volumes, faults);
  }
}

// What may be changed is made the same in both, so that the rest can be compared.
json::object WithoutChangeable(const json::object& spec) {
  json::object rest = spec;
  for (const auto field : {"activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations",
                           "schedulingGates", "nodeName"}) {
    rest.erase(field);
  }
  for (const auto list : {"containers", "initContainers"}) {
    auto* containers = FindArray(rest, {list});
    if (containers == nullptr) continue;
    for (auto& container : *containers) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  return rest;
}

}  // namespace

void CheckPodSpec(const json::object& spec, const std::string& field, Faults& faults) {
  (void)VolumeNames(spec, field, faults);
  const auto* containers = FindArray(spec, {"containers"});
  if (containers == nullptr || containers->empty()) faults.Required(field + ".containers");
  std::set<std::string> names;
  CheckContainers(spec, field, "containers", names, faults);
  CheckContainers(spec, field, "initContainers", names, faults);
  const auto restart = Text(spec, {"restartPolicy"});
  if (restart != "Always" && restart != "OnFailure" && restart != "Never") {
    faults.Unsupported(field + ".restartPolicy", restart, {"Always", "OnFailure", "Never"});
  }
  const auto dns = Text(spec, {"dnsPolicy"});
  if (dns != "ClusterFirst" && dns != "ClusterFirstWithHostNet" && dns != "Default" &&
      dns != "None") {
    faults.Unsupported(field + ".dnsPolicy", dns,
                       {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  }
}

void CheckPodUpdate(const json::object& old, const json::object& pod, Faults& faults) {
  const auto* before = FindObject(old, {"spec"});
  const auto* after = FindObject(pod, {"spec"});
  if (before == nullptr || after == nullptr || *before == *after) return;
  const bool is_moved = Text(*before, {"nodeName"}) != Text(*after, {"nodeName"});
  if (is_moved || WithoutChangeable(*before) != WithoutChangeable(*after)) {
    faults.Forbidden("spec",
                     "pod updates may not change fields other than `spec.containers[*].image`,"
                     "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                     "`spec.tolerations` (only additions to existing tolerations),"
                     "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                     "previously negative)");
  }
}

}  // namespace gs::localcluster
