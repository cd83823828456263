#include "programs/scheduler/pod_removal.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/watch/object_meta.h"
#include "adapters/kube/write/write_request.h"
#include "adapters/kube/write/writer.h"

namespace gs::scheduler {
namespace {

using model::WriteOutcome;

constexpr std::string_view kJobTracking = "batch.kubernetes.io/job-tracking";

kube::ObjectTarget TargetOf(const model::PodRef& pod, std::string_view subresource = "") {
  return {
      .resource = kube::kPods, .ns = pod.ns, .name = pod.name.text(), .subresource = subresource};
}

Error Failed(std::string_view doing, const kube::WriteReply& reply) {
  return Error(ErrorKind::kUnavailable, reply.answer.reason).Within(std::string(doing));
}

// The version of the pod without it. Through its status, which the scheduler may write, so that it
// needs no right to change pods.
Result<ResourceVersion> TakeOffTracking(kube::ApiClient& client, const UnseenPod& unseen,
                                        Duration timeout) {
  const boost::json::object patch{
      {"metadata",
       {{"uid", unseen.pod.uid.text()},
        {"resourceVersion", unseen.version.text()},
        {"$deleteFromPrimitiveList/finalizers", boost::json::array{kJobTracking}}}}};
  const auto reply =
      kube::Write(client,
                  kube::PatchRequest(TargetOf(unseen.pod, "status"), kube::PatchKind::kStrategic,
                                     boost::json::serialize(patch)),
                  {.timeout = timeout, .stop = {}});
  if (reply.answer.outcome != WriteOutcome::kDone) return Failed("taking it from its Job", reply);
  auto meta = kube::ReadObjectMeta(reply.body);
  if (!meta) return std::move(meta).error();
  return meta->resource_version;
}

}  // namespace

Result<void> RemovePod(kube::ApiClient& client, const UnseenPod& unseen, Duration timeout) {
  ResourceVersion version = unseen.version;
  if (unseen.is_of_job) {
    auto taken_off = TakeOffTracking(client, unseen, timeout);
    if (!taken_off) return std::move(taken_off).error();
    version = *std::move(taken_off);
  }
  const auto reply = kube::Write(
      client, kube::DeleteRequest(TargetOf(unseen.pod), {unseen.pod.uid.text(), version}),
      {.timeout = timeout, .stop = {}});
  if (reply.answer.outcome != WriteOutcome::kDone) return Failed("deleting it", reply);
  return {};
}

}  // namespace gs::scheduler
