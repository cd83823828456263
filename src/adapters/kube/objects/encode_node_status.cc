#include "adapters/kube/objects/encode_node_status.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/time.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace bj = boost::json;

bj::object MetadataOf(const NodeStatusOwner& owner) {
  return {{"annotations", {{model::names::kReporterAnnotation, owner.reporter}}},
          {"ownerReferences", bj::array{bj::object{{"apiVersion", "v1"},
                                                   {"kind", "Node"},
                                                   {"name", owner.node.text()},
                                                   {"uid", owner.node_uid.text()}}}}};
}

bj::object LinkOf(const model::Link& link, GpuId peer) {
  bj::object object{
      {"peer", peer.number()}, {"type", ToString(link.kind)}, {"pcie", ToString(link.pcie)}};
  if (link.kind != model::LinkKind::kNone) object["count"] = link.count;
  if (link.bandwidth_gbps > 0) object["bandwidthGBps"] = link.bandwidth_gbps;
  return object;
}

bj::array LinksOf(const model::Machine& machine, std::size_t index) {
  bj::array links;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (i == index) continue;
    links.push_back(LinkOf(machine.links.At(index, i), machine.devices[i].id));
  }
  return links;
}

bj::object DeviceOf(const model::Machine& machine, std::size_t index) {
  const model::GpuDevice& device = machine.devices[index];
  bj::object object{{"id", device.id.number()}};
  if (!device.uuid.empty()) object["uuid"] = device.uuid.text();
  if (!device.model.empty()) object["model"] = device.model.text();
  if (device.memory_mib > 0) object["memoryMiB"] = device.memory_mib;
  if (!device.pci_bus_id.empty()) object["pciBusId"] = device.pci_bus_id.text();
  if (device.numa_node) object["numaNode"] = *device.numa_node;
  if (!device.island.empty()) object["island"] = device.island.text();
  if (device.bandwidth_gbps > 0) object["bandwidthGBps"] = device.bandwidth_gbps;
  object["health"] = ToString(device.health);
  if (!device.health_reason.empty()) object["healthReason"] = device.health_reason.text();
  bj::array users(device.in_use_by.begin(), device.in_use_by.end());
  if (!users.empty()) object["inUseBy"] = std::move(users);
  bj::array residue;
  for (const PodUid& pod : device.residue) residue.push_back(bj::value(pod.text()));
  if (!residue.empty()) object["residue"] = std::move(residue);
  bj::array links = LinksOf(machine, index);
  if (!links.empty()) object["links"] = std::move(links);
  return object;
}

bj::object ReadyConditionOf(const model::ReportNotes& notes) {
  const bool is_ready = notes.why_stale.empty();
  return {{"type", kReadyCondition},
          {"status", is_ready ? "True" : "False"},
          {"reason", is_ready ? "GpusRead" : "GpusUnreadable"},
          {"message", is_ready ? "the agent reads the GPUs" : notes.why_stale},
          {"lastTransitionTime", PrintTime(notes.since)}};
}

}  // namespace

std::string EncodeNodeStatusObject(const NodeStatusOwner& owner) {
  bj::object metadata = MetadataOf(owner);
  metadata["name"] = owner.node.text();
  return bj::serialize(bj::object{{"apiVersion", "gpu.scheduling/v1"},
                                  {"kind", "GpuNodeStatus"},
                                  {"metadata", std::move(metadata)},
                                  {"spec", {{"nodeName", owner.node.text()}}}});
}

std::string EncodeNodeStatusOwner(const NodeStatusOwner& owner) {
  return bj::serialize(
      bj::object{{"metadata", MetadataOf(owner)}, {"spec", {{"nodeName", owner.node.text()}}}});
}

std::string EncodeNodeReport(const model::NodeReport& report) {
  bj::array devices;
  for (std::size_t i = 0; i < report.machine.devices.size(); ++i) {
    devices.push_back(DeviceOf(report.machine, i));
  }
  bj::object status{{"total", report.machine.devices.size()},
                    {"driverVersion", nullptr},
                    // Two reports within one second are two reports.
                    {"observedAt", PrintTime(report.notes.observed_at, TimeDetail::kMicros)},
                    {"devices", std::move(devices)},
                    {"conditions", bj::array{ReadyConditionOf(report.notes)}}};
  if (!report.notes.driver_version.empty()) status["driverVersion"] = report.notes.driver_version;
  return bj::serialize(bj::object{{"status", std::move(status)}});
}

}  // namespace gs::kube
