#include "adapters/kube/write/command_requests.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "adapters/kube/objects/encode_claim_status.h"
#include "adapters/kube/objects/encode_lease.h"
#include "core/model/allocation.h"

namespace gs::kube {
namespace {

// What the controller of volumes and provisioners look for.
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";

ObjectTarget PodTarget(const model::PodRef& pod, std::string_view subresource) {
  return {.resource = kPods, .ns = pod.ns, .name = pod.name.text(), .subresource = subresource};
}

ObjectTarget LeaseTarget(const LeaseName& name, const CommandContext& context) {
  return {.resource = kLeases, .ns = context.ns, .name = name.text()};
}

// A precondition that is missing would let the write through on anything.
Result<void> RequirePreconditions(std::string_view what, std::string_view uid,
                                  const ResourceVersion& version) {
  if (!uid.empty() && !version.empty()) return {};
  return Error(ErrorKind::kInternal, std::string(what) + " needs a UID and a resourceVersion");
}

boost::json::object BindingMetadata(const model::BindPod& command) {
  boost::json::object metadata{{"name", command.pod.name.text()},
                               {"namespace", command.pod.ns.text()},
                               {"uid", command.pod.uid.text()},
                               {"resourceVersion", command.resource_version.text()}};
  boost::json::object annotations;
  for (const auto& [name, value] : model::ResultAnnotations(command.allocation)) {
    annotations[name] = value;
  }
  if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
  return metadata;
}

// Without its UID the patch would go to whoever has the pod's name.
Result<WriteRequest> PatchCondition(const model::PodRef& pod, boost::json::object condition) {
  if (pod.uid.empty()) return Error(ErrorKind::kInternal, "a condition needs the pod's UID");
  const boost::json::object patch{
      {"metadata", {{"uid", pod.uid.text()}}},
      {"status", {{"conditions", boost::json::array{std::move(condition)}}}}};
  return PatchRequest(PodTarget(pod, "status"), PatchKind::kStrategic,
                      boost::json::serialize(patch));
}

}  // namespace

Result<WriteRequest> RequestOf(const model::CreateLease& command, const CommandContext& context) {
  return CreateRequest(kLeases, context.ns, EncodeLease(command.lease, context.ns, context.owner));
}

Result<WriteRequest> RequestOf(const model::UpdateLease& command, const CommandContext& context) {
  const model::GpuLease& lease = command.lease;
  auto safe =
      RequirePreconditions("updating a GPU Lease", lease.uid.text(), lease.resource_version);
  if (!safe) return std::move(safe).error();
  return UpdateRequest(LeaseTarget(lease.name, context),
                       EncodeLease(lease, context.ns, context.owner));
}

Result<WriteRequest> RequestOf(const model::DeleteLease& command, const CommandContext& context) {
  auto safe =
      RequirePreconditions("deleting a GPU Lease", command.uid.text(), command.resource_version);
  if (!safe) return std::move(safe).error();
  return DeleteRequest(LeaseTarget(command.name, context),
                       {command.uid.text(), command.resource_version});
}

Result<WriteRequest> RequestOf(const model::BindPod& command, const CommandContext& context) {
  auto safe = RequirePreconditions("binding", command.pod.uid.text(), command.resource_version);
  if (!safe && context.needs_version_to_bind) return std::move(safe).error();
  const boost::json::object binding{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata", BindingMetadata(command)},
      {"target",
       {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", command.allocation.gpus.node.text()}}}};
  return PostRequest(PodTarget(command.pod, "binding"), boost::json::serialize(binding));
}

Result<WriteRequest> RequestOf(const model::TouchPod& command, const CommandContext& /*context*/) {
  return PatchCondition(
      command.pod, {{"type", kFenceCondition}, {"status", "True"}, {"message", command.message}});
}

Result<WriteRequest> RequestOf(const model::SetUnschedulable& command,
                               const CommandContext& /*context*/) {
  // The reason must be this very word: autoscalers look for it.
  return PatchCondition(command.pod, {{"type", "PodScheduled"},
                                      {"status", "False"},
                                      {"reason", "Unschedulable"},
                                      {"message", ToString(command.reason)},
                                      {"lastTransitionTime", PrintTime(command.since)}});
}

Result<WriteRequest> RequestOf(const model::SelectNode& command,
                               const CommandContext& /*context*/) {
  auto safe =
      RequirePreconditions("selecting a node", command.pod.uid.text(), command.resource_version);
  if (!safe) return std::move(safe).error();
  const boost::json::object patch{{"metadata",
                                   {{"resourceVersion", command.resource_version.text()},
                                    {"annotations", {{kSelectedNode, command.node.text()}}}}}};
  return PatchRequest({.resource = kVolumeClaims, .ns = command.pod.ns, .name = command.claim},
                      PatchKind::kMerge, boost::json::serialize(patch));
}

Result<WriteRequest> RequestOf(const model::ReserveVolume& command,
                               const CommandContext& /*context*/) {
  auto safe = RequirePreconditions("keeping a volume", command.claim_uid, command.resource_version);
  if (!safe) return std::move(safe).error();
  const boost::json::object patch{{"metadata",
                                   {{"resourceVersion", command.resource_version.text()},
                                    {"annotations", {{kBoundByController, "yes"}}}}},
                                  {"spec",
                                   {{"claimRef",
                                     {{"apiVersion", "v1"},
                                      {"kind", "PersistentVolumeClaim"},
                                      {"namespace", command.pod.ns.text()},
                                      {"name", command.claim},
                                      {"uid", command.claim_uid}}}}}};
  return PatchRequest({.resource = kVolumes, .ns = {}, .name = command.volume}, PatchKind::kMerge,
                      boost::json::serialize(patch));
}

Result<WriteRequest> RequestOf(const model::WriteClaimStatus& command,
                               const CommandContext& /*context*/) {
  return PatchRequest(
      {.resource = kClaims, .ns = command.ns, .name = command.name.text(), .subresource = "status"},
      PatchKind::kMerge, EncodeClaimStatusPatch(command.status));
}

}  // namespace gs::kube
