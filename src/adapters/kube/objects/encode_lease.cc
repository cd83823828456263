#include "adapters/kube/objects/encode_lease.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>

#include "base/gpu_ids.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace names = model::names;

constexpr std::size_t kMaxLabelValue = 63;

boost::json::array HoldersOf(const model::GpuLease& lease) {
  boost::json::array holders;
  for (const auto& holder : lease.holders) {
    holders.push_back(boost::json::object{{"namespace", holder.pod.ns.text()},
                                          {"name", holder.pod.name.text()},
                                          {"uid", holder.pod.uid.text()},
                                          {"plan", PrintGpuIds(holder.plan)},
                                          {"attempt", holder.attempt.text()}});
  }
  return holders;
}

boost::json::object LabelsOf(const model::GpuLease& lease) {
  boost::json::object labels{{names::kManagedLabel, "true"}};
  if (lease.node.text().size() <= kMaxLabelValue) labels[names::kNodeLabel] = lease.node.text();
  return labels;
}

boost::json::object AnnotationsOf(const model::GpuLease& lease) {
  boost::json::object annotations{
      {names::kFormatAnnotation, names::kLeaseFormat},
      {names::kNodeAnnotation, lease.node.text()},
      {names::kGpuAnnotation, std::to_string(lease.gpu.number())},
      {names::kSchedulerAnnotation, lease.scheduler.text()},
      {names::kModeAnnotation, ToString(lease.mode)},
      {names::kHoldersAnnotation, boost::json::serialize(HoldersOf(lease))},
  };
  if (!lease.controller.empty())
    annotations[names::kControllerAnnotation] = lease.controller.text();
  return annotations;
}

// For people who list Leases: "team/a", or "team/a +2" where several hold it.
std::string HolderColumn(const model::GpuLease& lease) {
  if (lease.holders.empty()) return "";
  std::string column = ToString(lease.holders.front().pod);
  if (lease.holders.size() > 1) column += " +" + std::to_string(lease.holders.size() - 1);
  return column;
}

}  // namespace

std::string EncodeLease(const model::GpuLease& lease, const Namespace& ns,
                        const std::optional<OwnerReference>& owner) {
  boost::json::object metadata{{"name", lease.name.text()},
                               {"namespace", ns.text()},
                               {"labels", LabelsOf(lease)},
                               {"annotations", AnnotationsOf(lease)}};
  if (owner) metadata["ownerReferences"] = boost::json::array{PrintOwnerReference(*owner)};
  if (!lease.uid.empty()) metadata["uid"] = lease.uid.text();
  if (!lease.resource_version.empty()) {
    metadata["resourceVersion"] = lease.resource_version.text();
  }
  return boost::json::serialize(
      boost::json::object{{"apiVersion", "coordination.k8s.io/v1"},
                          {"kind", "Lease"},
                          {"metadata", std::move(metadata)},
                          {"spec", boost::json::object{{"holderIdentity", HolderColumn(lease)}}}});
}

}  // namespace gs::kube
