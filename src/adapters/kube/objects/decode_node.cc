#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/resource_list.h"
#include "core/model/gpu_resource.h"

namespace gs::kube {
namespace {

// An effect that we do not know keeps nobody away, as for kube-scheduler.
std::vector<model::Taint> ReadTaints(const JsonView& list) {
  std::vector<model::Taint> taints;
  for (const JsonView& item : list.Items()) {
    const auto effect = model::ParseTaintEffect(item.Field("effect").Word());
    if (!effect) continue;
    taints.push_back(model::Taint{.key = item.Field("key").RequiredText(),
                                  .value = item.Field("value").Text(),
                                  .effect = *effect});
  }
  return taints;
}

model::Node ReadNode(const JsonView& root) {
  model::Node node;
  node.name = NodeName(root.Field("metadata").Field("name").RequiredText());
  node.uid = NodeUid(root.Field("metadata").Field("uid").Text());
  node.labels = ReadLabels(root.Field("metadata").Field("labels"));
  node.taints = ReadTaints(root.Field("spec").Field("taints"));
  node.is_unschedulable = root.Field("spec").Field("unschedulable").Bool();
  const JsonView status = root.Field("status");
  node.gpu_capacity = model::WholeGpus(ToResources(ReadResourceList(status.Field("capacity"))));
  ResourceList allocatable = ReadResourceList(status.Field("allocatable"));
  node.allocatable_pods = AmountOf(allocatable, "pods").Value();
  std::erase_if(allocatable, [](const auto& entry) { return entry.first == "pods"; });
  node.allocatable = ToResources(allocatable);
  return node;
}

}  // namespace

Result<model::Node> DecodeNode(const JsonSource& json) {
  return DecodeObject<model::Node>("node", json, ReadNode);
}

}  // namespace gs::kube
