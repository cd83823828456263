// The objects of a scenario file, written as a user thinks of them, to the values of core/model.
// Each is completed to the Kubernetes manifest that it stands for and read like one.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/claim.h"
#include "core/model/device.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/storage.h"

namespace gs::scenarios {

inline constexpr std::string_view kNamespace = "team";

//   {name, namespace, scheduler, owner: StatefulSet/web, labels, annotations, map, claim, gpus,
//   cpu, memory, resources: {amd.com/gpu: 1}, node, ports: of its container, spec}; `spec` is a
//   part of a pod's spec as Kubernetes has it.
[[nodiscard]] Result<model::Pod> ReadPod(const boost::json::value& value, const std::string& path,
                                         TimePoint created);
//   {name, labels, taints, unschedulable, gpus, allocatableGpus, cpu, memory, resources, pods}
[[nodiscard]] Result<model::Node> ReadNode(const boost::json::value& value,
                                           const std::string& path);
//   {name, namespace, devices, topology, selector}, the last three as in the spec of a GpuClaim
[[nodiscard]] Result<model::Claim> ReadClaim(const boost::json::value& value,
                                             const std::string& path);

//   An object of storage as Kubernetes has it, by its `kind`, with its metadata beside the rest.
[[nodiscard]] Result<model::StorageObject> ReadStorage(const boost::json::value& value,
                                                       const std::string& path);

struct LabelledNamespace {
  Namespace ns;
  model::Labels labels;
};
//   {name, labels}
[[nodiscard]] Result<LabelledNamespace> ReadNamespace(const boost::json::value& value,
                                                      const std::string& path);

struct ReportedMachine {
  NodeName node;
  model::Machine machine;
};
//   {node, file: a machine file, or gpus: how many; unhealthy: "1,2", uuids: [..], residue: {pod
//   UID: "0,1"}}
[[nodiscard]] Result<ReportedMachine> ReadMachine(const boost::json::value& value,
                                                  const std::string& path,
                                                  const std::filesystem::path& root);

}  // namespace gs::scenarios
