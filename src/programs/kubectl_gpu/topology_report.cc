#include "programs/kubectl_gpu/topology_report.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "core/decide/devices/topology.h"
#include "programs/kubectl_gpu/link_matrix.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

using devices::GpuSet;
using devices::Topology;

std::string PrintGroups(const std::vector<GpuSet>& groups, const Topology& topology) {
  return text::Join(groups, "  ", [&](GpuSet group) { return PrintGpuIds(topology.IdsOf(group)); });
}

boost::json::array GroupsJson(const std::vector<GpuSet>& groups, const Topology& topology) {
  boost::json::array lists;
  for (const GpuSet group : groups) {
    boost::json::array ids;
    for (const GpuId id : topology.IdsOf(group)) ids.push_back(id.number());
    lists.push_back(std::move(ids));
  }
  return lists;
}

boost::json::array LinksJson(const model::Machine& machine) {
  boost::json::array links;
  for (std::size_t a = 0; a < machine.devices.size(); ++a) {
    for (std::size_t b = a + 1; b < machine.devices.size(); ++b) {
      const model::Link& link = machine.links.At(a, b);
      links.push_back(boost::json::object{{"a", machine.devices[a].id.number()},
                                          {"b", machine.devices[b].id.number()},
                                          {"type", ToString(link.kind)},
                                          {"count", link.count},
                                          {"pcie", ToString(link.pcie)},
                                          {"bandwidthGBps", link.bandwidth_gbps}});
    }
  }
  return links;
}

std::string DevicesText(const model::Machine& machine) {
  Table table({"GPU", "MODEL", "MEMORY", "PCI", "NUMA", "HEALTH", "UUID"});
  for (const auto& device : machine.devices) {
    table.Add({std::to_string(device.id.number()), std::string(device.model.text()),
               std::to_string(device.memory_mib) + " MiB", std::string(device.pci_bus_id.text()),
               device.numa_node ? std::to_string(*device.numa_node) : "<none>",
               std::string(ToString(device.health)), device.uuid.text()});
  }
  return table.Print();
}

std::string TopologyText(const model::Machine& machine, const Topology& topology,
                         const Picture& picture) {
  std::string text = "islands    " + PrintGroups(topology.islands(), topology) + "\nNUMA       " +
                     PrintGroups(topology.numa_nodes(), topology) + "\n\n" +
                     PrintLinks(machine, topology, topology.all());
  if (picture.is_wide()) text += "\n" + DevicesText(machine);
  return text;
}

boost::json::object TopologyJson(const NodeName& node, const model::Machine& machine,
                                 const Topology& topology, const Picture& picture) {
  boost::json::object object = answers::ApiHead("Topology", {.time = picture.now});
  object["node"] = node.text();
  object["islands"] = GroupsJson(topology.islands(), topology);
  object["numaNodes"] = GroupsJson(topology.numa_nodes(), topology);
  object["links"] = LinksJson(machine);
  return object;
}

}  // namespace

Result<Answer> ReportTopology(const TopologyQuestion& question, const Picture& picture) {
  const std::string title = "node " + question.node.text();
  const cache::NodeView* view = picture.cycle.cache().FindNode(question.node);
  if (view == nullptr || !view->is_known) {
    return Error(ErrorKind::kNotFound, "there is no " + title);
  }
  if (!view->node.machine) {
    return Error(ErrorKind::kNotFound, "no agent reports the GPUs of " + title)
        .Advise("see kubectl get gpunodestatuses");
  }
  const auto topology = Topology::Of(*view->node.machine);
  if (!topology) return Error(topology.error()).Within(title);
  if (IsForPeople(picture.form)) {
    return Answer{TopologyText(*view->node.machine, *topology, picture)};
  }
  return Answer{PrintObject(TopologyJson(question.node, *view->node.machine, *topology, picture),
                            picture.form)};
}

}  // namespace gs::kubectl_gpu
