#include "programs/kubectl_gpu/who_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "core/explain/gpu_report.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

using explain::DeviceReport;
using explain::HolderReport;
using explain::NodeReport;

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

Table::Row HolderRow(const NodeReport& node, const DeviceReport& device, const HolderReport* holder,
                     const Picture& picture) {
  Table::Row row{node.node.text(),
                 std::to_string(device.device.id.number()),
                 std::string(ToString(device.state)),
                 holder == nullptr ? "<none>" : ToString(holder->pod),
                 holder == nullptr ? "<none>" : OrNone(holder->claim.text()),
                 holder == nullptr ? "<none>" : std::string(ToString(holder->mode))};
  if (!picture.is_wide()) return row;
  row.emplace_back(holder == nullptr ? "<none>"
                                     : text::Join(holder->evidence, ",", [](cache::Evidence each) {
                                         return std::string(explain::ToString(each));
                                       }));
  row.emplace_back(OrNone(device.device.uuid.text()));
  row.emplace_back(OrNone(device.device.model.text()));
  return row;
}

std::string PrintHolders(const std::vector<NodeReport>& nodes, const Picture& picture) {
  Table::Row header{"NODE", "GPU", "STATE", "POD", "CLAIM", "MODE"};
  if (picture.is_wide()) header.insert(header.end(), {"EVIDENCE", "UUID", "MODEL"});
  Table table(std::move(header));
  for (const NodeReport& node : nodes) {
    for (const DeviceReport& device : node.devices) {
      if (device.holders.empty()) table.Add(HolderRow(node, device, nullptr, picture));
      for (const auto& holder : device.holders) {
        table.Add(HolderRow(node, device, &holder, picture));
      }
    }
  }
  return table.Print();
}

std::string PrintForeign(const std::vector<NodeReport>& nodes) {
  std::string text;
  for (const NodeReport& node : nodes) {
    if (node.foreign == 0) continue;
    text += "\n" + std::to_string(node.foreign) + " GPUs of " + node.node.text() +
            " are with pods of others; a device plugin knows which\n";
  }
  return text;
}

Answer Print(const std::vector<NodeReport>& nodes, const Picture& picture) {
  if (IsForPeople(picture.form)) return {PrintHolders(nodes, picture) + PrintForeign(nodes)};
  return {PrintObject(answers::ApiList("GpuList", {.time = picture.now}, nodes), picture.form)};
}

void KeepOnly(NodeReport& node, const std::vector<GpuId>& ids) {
  std::erase_if(node.devices, [&](const DeviceReport& device) {
    return std::find(ids.begin(), ids.end(), device.device.id) == ids.end();
  });
}

Result<Answer> ReportNode(NodeReport node, const std::vector<GpuId>& ids, const Picture& picture) {
  if (ids.empty()) return Print({std::move(node)}, picture);
  std::vector<GpuId> there;
  there.reserve(node.devices.size());
  for (const auto& device : node.devices) there.push_back(device.device.id);
  for (const GpuId id : ids) {
    if (std::find(there.begin(), there.end(), id) != there.end()) continue;
    return Error(ErrorKind::kNotFound,
                 "node " + node.node.text() + " has no GPU " + std::to_string(id.number()))
        .Advise("it has " + PrintGpuIds(there));
  }
  KeepOnly(node, ids);
  return Print({std::move(node)}, picture);
}

// The GPUs that the pod has, on whichever node.
std::vector<NodeReport> NodesOf(const PodWord& pod, std::vector<NodeReport> nodes) {
  for (NodeReport& node : nodes) {
    node.foreign = 0;
    std::erase_if(node.devices, [&](const DeviceReport& device) {
      return std::none_of(device.holders.begin(), device.holders.end(), [&](const auto& holder) {
        return holder.pod.ns == pod.ns && holder.pod.name == pod.name;
      });
    });
  }
  std::erase_if(nodes, [](const NodeReport& node) { return node.devices.empty(); });
  return nodes;
}

bool IsThere(const PodWord& pod, const cache::Cache& cache) {
  return std::any_of(cache.pods().begin(), cache.pods().end(), [&](const auto& entry) {
    const model::PodRef& ref = entry.second.pod.ref;
    return ref.ns == pod.ns && ref.name == pod.name;
  });
}

}  // namespace

Result<Answer> ReportWho(const WhoQuestion& question, const Picture& picture) {
  const auto& cache = picture.cycle.cache();
  std::vector<NodeReport> nodes = explain::ReportGpus(cache);
  for (NodeReport& node : nodes) {
    if (node.node.text() == question.name)
      return ReportNode(std::move(node), question.ids, picture);
  }
  if (cache.FindNode(NodeName(question.name)) != nullptr) {
    return Error(ErrorKind::kNotFound, "node " + question.name + " has no GPUs");
  }
  const PodWord pod = ReadPodWord(question.name, picture);
  nodes = NodesOf(pod, std::move(nodes));
  const std::string title = pod.ns.text() + "/" + pod.name.text();
  if (nodes.empty() && !IsThere(pod, cache)) {
    return Error(ErrorKind::kNotFound, "there is no node " + question.name + " and no pod " + title)
        .Advise("name a pod of another namespace as NAMESPACE/POD");
  }
  if (nodes.empty() && IsForPeople(picture.form)) return Answer{title + " has no GPUs\n"};
  return Print(nodes, picture);
}

}  // namespace gs::kubectl_gpu
