#include "adapters/machinesets/provider_spec.h"

#include <boost/json/array.hpp>

#include "adapters/localcluster/objects/fields.h"

namespace gs::machinesets {
namespace {

using boost::json::object;

// Prices are quantities, which the API takes as text.
void SetSpot(object& spec, const char* field, const std::optional<Spot>& spot) {
  if (!spot) {
    spec.stable_erase(field);
    return;
  }
  object options;
  if (!spot->max_price.empty()) options["maxPrice"] = spot->max_price;
  spec[field] = std::move(options);
}

// The first disk is the one that the machine boots from.
object* FirstOf(object& spec, std::string_view list) {
  auto* entries = localcluster::FindArray(spec, {list});
  if (entries == nullptr || entries->empty()) return nullptr;
  return entries->front().if_object();
}

void ChangeAws(const PlannedSet& set, object& spec) {
  spec["instanceType"] = set.type;
  // They belong to machines of the workers' type; and what says how the workers are paid for would
  // contradict the settings.
  spec.stable_erase("capacityReservationId");
  spec.stable_erase("marketType");
  spec.stable_erase("cpuOptions");
  SetSpot(spec, "spotMarketOptions", set.spot);
  if (set.disk_gib == 0) return;
  object* disk = FirstOf(spec, "blockDevices");
  if (disk == nullptr) {
    spec["blockDevices"] = boost::json::array{object{}};
    disk = FirstOf(spec, "blockDevices");
  }
  localcluster::Make(*disk, {"ebs"})["volumeSize"] = set.disk_gib;
}

void ChangeAzure(const PlannedSet& set, object& spec) {
  spec["vmSize"] = set.type;
  spec.stable_erase("capacityReservationGroupID");
  SetSpot(spec, "spotVMOptions", set.spot);
  if (set.disk_gib > 0) localcluster::Make(spec, {"osDisk"})["diskSizeGB"] = set.disk_gib;
}

// Machines with GPUs cannot be moved while the host is maintained, and spot machines are not
// started again by GCP.
void ChangeGcp(const PlannedSet& set, object& spec) {
  spec["machineType"] = set.type;
  spec["onHostMaintenance"] = "Terminate";
  spec["restartPolicy"] = set.spot ? "Never" : "Always";
  spec.stable_erase("preemptible");
  spec.stable_erase("gpus");
  spec.stable_erase("provisioningModel");
  if (set.spot) spec["provisioningModel"] = "Spot";
  if (set.attached) {
    spec["gpus"] =
        boost::json::array{object{{"count", set.attached->count}, {"type", set.attached->type}}};
  }
  if (object* disk = FirstOf(spec, "disks"); disk != nullptr && set.disk_gib > 0) {
    (*disk)["sizeGb"] = set.disk_gib;
  }
}

}  // namespace

const object& ProviderSpecOf(const boost::json::value& machine_set) {
  return localcluster::Members(machine_set, {"spec", "template", "spec", "providerSpec", "value"});
}

std::string ZoneOf(Platform platform, const object& provider_spec) {
  if (platform == Platform::kAws) {
    return std::string(localcluster::Text(provider_spec, {"placement", "availabilityZone"}));
  }
  return std::string(localcluster::Text(provider_spec, {"zone"}));
}

void ChangeProviderSpec(Platform platform, const PlannedSet& set, object& provider_spec) {
  switch (platform) {
    case Platform::kAws: return ChangeAws(set, provider_spec);
    case Platform::kAzure: return ChangeAzure(set, provider_spec);
    case Platform::kGcp: return ChangeGcp(set, provider_spec);
  }
}

}  // namespace gs::machinesets
