#include "core/decide/filter/volume_provisioning.h"

#include <algorithm>
#include <string>

#include "core/model/migrated_disks.h"

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;

bool IsAllowed(const model::StorageClass& kind, const model::Node& node) {
  const auto& terms = kind.allowed_topologies;
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&node](const auto& term) {
           return Matches(term, node.labels, node.name.text());
         });
}

bool Has(const model::StorageCapacity& capacity, const model::VolumeClaim& claim,
         const model::Node& node) {
  const auto limit = capacity.largest_bytes ? capacity.largest_bytes : capacity.bytes;
  return capacity.storage_class == claim.storage_class && limit && *limit >= claim.bytes &&
         capacity.nodes && Matches(*capacity.nodes, node.labels);
}

bool HasCapacity(const model::StorageClass& kind, const model::VolumeClaim& claim,
                 const model::Node& node, const cache::Storage& storage) {
  const model::StorageDriver* driver = storage.FindDriver(kind.provisioner);
  if (driver == nullptr || !driver->tells_capacity || claim.bytes == 0) return true;
  const auto& all = storage.capacities();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& entry) { return Has(entry.second, claim, node); });
}

}  // namespace

std::optional<Reason> RefusedByProvisioning(const model::VolumeClaim& claim,
                                            const model::Node& node,
                                            const cache::Storage& storage) {
  const std::string who = "volume claim " + model::InNamespace(claim.ns, claim.name);
  const model::StorageClass* kind = storage.FindClass(claim.storage_class);
  if (kind == nullptr || kind->provisioner.empty() || kind->provisioner == model::kNoProvisioner) {
    return Reason{ReasonToken::kNodesExcluded, "no volume here suits " + who +
                                                   ", and nobody makes any of storage class " +
                                                   claim.storage_class};
  }
  if (!IsAllowed(*kind, node)) {
    return Reason{ReasonToken::kNodesExcluded, "storage class " + kind->name + " of " + who +
                                                   " has volumes only where " +
                                                   ToString(kind->allowed_topologies.front())};
  }
  if (!HasCapacity(*kind, claim, node, storage)) {
    return Reason{ReasonToken::kTooFewResources, "too little storage of class " + kind->name +
                                                     " for " + who + ", which asks for " +
                                                     std::to_string(claim.bytes) + " bytes"};
  }
  return std::nullopt;
}

}  // namespace gs::filter
