#include "programs/machinesets/status.h"

#include <boost/json/array.hpp>
#include <ostream>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/machinesets/documents.h"
#include "core/machinesets/provider_error.h"
#include "programs/machinesets/cluster_api.h"
#include "programs/machinesets/columns.h"

namespace gs::machinesets {
namespace {

using localcluster::Json;

constexpr std::string_view kSetLabel = "machine.openshift.io/cluster-api-machineset";

// Where providers put it: the machine's own error, else the condition of its creation.
std::string ErrorTextOf(const Json& machine) {
  const auto own = localcluster::Text(machine, {"status", "errorMessage"});
  if (!own.empty()) return std::string(own);
  for (const auto& condition :
       localcluster::Items(machine, {"status", "providerStatus", "conditions"})) {
    const auto type = localcluster::Text(condition, {"type"});
    const bool is_creation = type == "MachineCreation" || type == "MachineCreated";
    if (is_creation && localcluster::Text(condition, {"status"}) == "False") {
      return std::string(localcluster::Text(condition, {"message"}));
    }
  }
  return "";
}

void AddMachine(const Json& machine, Rows& rows, std::string& problems) {
  const std::string error = ErrorTextOf(machine);
  const ProviderError meaning = ExplainProviderError(error);
  const std::string name(localcluster::NameOf(machine));
  rows.push_back({std::string(localcluster::LabelOf(machine, kSetLabel)), name,
                  std::string(localcluster::Text(machine, {"status", "phase"}, "-")),
                  std::string(localcluster::Text(machine, {"status", "nodeRef", "name"}, "-")),
                  meaning.title.empty() ? "-" : meaning.title});
  if (error.empty()) return;
  problems += "\n" + name + ": " + meaning.title + "\n  the cloud says: " + error +
              "\n  to try: " + meaning.advice + "\n";
}

std::string NumberAt(const Json& object, localcluster::Path path) {
  return std::to_string(localcluster::Int(object, path));
}

}  // namespace

std::string PrintStatus(const std::vector<Json>& sets, const std::vector<Json>& machines) {
  Rows set_rows{{"MACHINESET", "WANTED", "MACHINES", "READY", "AVAILABLE"}};
  Rows machine_rows{{"MACHINESET", "MACHINE", "PHASE", "NODE", "PROBLEM"}};
  std::string problems;
  for (const Json& set : sets) {
    if (localcluster::LabelOf(set, kOwnLabel) != kOwnLabelValue) continue;
    const std::string_view name = localcluster::NameOf(set);
    set_rows.push_back({std::string(name), NumberAt(set, {"spec", "replicas"}),
                        NumberAt(set, {"status", "replicas"}),
                        NumberAt(set, {"status", "readyReplicas"}),
                        NumberAt(set, {"status", "availableReplicas"})});
    for (const Json& machine : machines) {
      if (localcluster::LabelOf(machine, kSetLabel) == name) {
        AddMachine(machine, machine_rows, problems);
      }
    }
  }
  if (set_rows.size() == 1) return "There are no MachineSets that gpu-machinesets made.\n";
  return PrintColumns(set_rows) + "\n" + PrintColumns(machine_rows) + problems;
}

Result<void> ShowStatus(const Options& options, std::string_view version, std::ostream& out) {
  auto api = ClusterApi::Connect(options.cluster, version, Writing::kDry);
  if (!api) return std::move(api).error();
  const auto sets = (*api)->List(kMachineSets, kNamespace);
  if (!sets) return sets.error();
  const auto machines = (*api)->List(kMachines, kNamespace);
  if (!machines) return machines.error();
  out << PrintStatus(*sets, *machines);
  return {};
}

}  // namespace gs::machinesets
