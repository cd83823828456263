#include "adapters/answers/api_json.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace gs::answers {
namespace {

namespace json = boost::json;

constexpr std::string_view kApiVersion = "gpu-scheduler/v1";

json::object PodHead(const model::PodRef& pod) {
  return {{"namespace", pod.ns.text()}, {"name", pod.name.text()}, {"uid", pod.uid.text()}};
}

json::array Ids(const std::vector<GpuId>& ids) {
  json::array numbers;
  for (const GpuId id : ids) numbers.push_back(id.number());
  return numbers;
}

json::array Uuids(const model::Allocation& allocation) {
  json::array texts;
  for (const GpuUuid& uuid : allocation.uuids) texts.emplace_back(uuid.text());
  return texts;
}

void AddAllocation(json::object& object, const model::Allocation& allocation) {
  object["node"] = allocation.gpus.node.text();
  object["gpuIds"] = Ids(allocation.gpus.ids);
  object["uuids"] = Uuids(allocation);
  object["mode"] = ToString(allocation.mode);
  object["enforced"] = allocation.is_enforced;
}

json::object HolderJson(const explain::HolderReport& holder) {
  json::object object{{"pod", PodHead(holder.pod)}, {"mode", ToString(holder.mode)}};
  if (!holder.claim.empty()) object["claim"] = holder.claim.text();
  if (holder.created) object["created"] = PrintTime(*holder.created);
  json::array evidence;
  for (const auto each : holder.evidence) evidence.emplace_back(explain::ToString(each));
  object["evidence"] = std::move(evidence);
  return object;
}

json::object DeviceJson(const explain::DeviceReport& report) {
  const model::GpuDevice& device = report.device;
  json::object object{{"id", device.id.number()}};
  if (!device.uuid.empty()) object["uuid"] = device.uuid.text();
  if (!device.model.empty()) object["model"] = device.model.text();
  if (device.memory_mib > 0) object["memoryMiB"] = device.memory_mib;
  if (!device.island.empty()) object["island"] = device.island.text();
  object["health"] = ToString(device.health);
  if (!device.health_reason.empty()) object["healthReason"] = device.health_reason.text();
  object["state"] = explain::ToString(report.state);
  json::array holders;
  for (const auto& holder : report.holders) holders.push_back(HolderJson(holder));
  object["holders"] = std::move(holders);
  return object;
}

json::array LinksJson(const explain::NodeReport& node, const model::LinkMatrix& links,
                      std::size_t position) {
  json::array array;
  for (std::size_t peer = 0; peer < links.size(); ++peer) {
    if (peer == position) continue;
    const model::Link& link = links.At(position, peer);
    json::object object{{"peer", node.devices[peer].device.id.number()},
                        {"type", ToString(link.kind)},
                        {"pcie", ToString(link.pcie)}};
    if (link.count > 0) object["count"] = link.count;
    if (link.bandwidth_gbps > 0) object["bandwidthGBps"] = link.bandwidth_gbps;
    array.push_back(std::move(object));
  }
  return array;
}

json::object SpecJson(const model::Claim& claim) {
  json::object devices{{"count", claim.devices.count},
                       {"policy", ToString(claim.devices.policy)},
                       {"exclusivity", ToString(claim.devices.exclusivity)}};
  if (!claim.devices.prefer_ids.empty()) devices["preferIds"] = Ids(claim.devices.prefer_ids);
  json::object spec{{"devices", std::move(devices)}};
  if (claim.topology) {
    json::object topology{{"mode", ToString(claim.topology->mode)}};
    if (claim.topology->min_bandwidth_gbps > 0) {
      topology["minBandwidthGBps"] = claim.topology->min_bandwidth_gbps;
    }
    spec["topology"] = std::move(topology);
  }
  return spec;
}

}  // namespace

json::object ApiHead(std::string_view kind, const ApiMoment& moment) {
  json::object head{{"apiVersion", kApiVersion},
                    {"kind", kind},
                    {"time", PrintTime(moment.time, TimeDetail::kMicros)}};
  if (moment.is_leading) head["leader"] = *moment.is_leading;
  if (moment.is_synced) head["synced"] = *moment.is_synced;
  return head;
}

std::string ApiRefusal(int status, std::string_view message, TimePoint now) {
  const json::object object{{"apiVersion", kApiVersion},
                            {"kind", "Error"},
                            {"time", PrintTime(now, TimeDetail::kMicros)},
                            {"code", status},
                            {"message", message},
                            {"paths",
                             {"/api/v1/gpus", "/api/v1/gpus/NODE", "/api/v1/pods", "/api/v1/claims",
                              "/api/v1/explain/NAMESPACE/POD", "/api/v1/place", "/api/v1/fleet",
                              "/api/v1/fleet/stream"}}};
  return json::serialize(object) + "\n";
}

json::object ToJson(const explain::NodeReport& node) {
  json::array devices;
  for (const auto& device : node.devices) devices.push_back(DeviceJson(device));
  json::object object{{"node", node.node.text()},
                      {"agent", node.has_agent},
                      {"handover", explain::ToString(node.handover)},
                      {"foreignGpus", node.foreign}};
  if (node.is_cordoned) object["cordoned"] = true;
  object["devices"] = std::move(devices);
  return object;
}

json::object NodeJson(const ApiMoment& moment, const explain::NodeReport& node,
                      const model::LinkMatrix& links) {
  json::object object = ApiHead("Node", moment);
  for (auto& member : ToJson(node)) object[member.key()] = std::move(member.value());
  json::array& devices = object["devices"].as_array();
  for (std::size_t i = 0; i < links.size() && i < devices.size(); ++i) {
    devices[i].as_object()["links"] = LinksJson(node, links, i);
  }
  return object;
}

json::object ToJson(const explain::PodReport& pod) {
  json::object object = PodHead(pod.pod);
  object["phase"] = ToString(pod.state);
  object["created"] = PrintTime(pod.created);
  if (!pod.claim.empty()) object["claim"] = pod.claim.text();
  if (!pod.node.empty()) object["node"] = pod.node.text();
  if (pod.allocation) AddAllocation(object, *pod.allocation);
  if (pod.wait) {
    object["waitingSince"] = PrintTime(pod.wait->since, TimeDetail::kMicros);
    object["attempts"] = pod.wait->tries;
  }
  if (pod.reason) {
    object["reason"] = ToString(pod.reason->token);
    object["message"] = pod.reason->message;
  }
  return object;
}

json::object ToJson(const explain::ClaimReport& report) {
  json::array allocations;
  for (const auto& holder : report.holders) {
    json::object allocation{{"pod", PodHead(holder.pod)}};
    AddAllocation(allocation, holder.allocation);
    allocations.push_back(std::move(allocation));
  }
  return {{"namespace", report.claim.ns.text()},
          {"name", report.claim.name.text()},
          {"spec", SpecJson(report.claim)},
          {"allocations", std::move(allocations)},
          {"waitingPods", report.waiting}};
}

}  // namespace gs::answers
