#include "adapters/kube/write/command_requests.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/json/parse.h"
#include "adapters/kube/objects/decode.h"
#include "base/time.h"

namespace gs::kube {
namespace {

const model::PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};
const CommandContext kContext{Namespace("locks")};

model::GpuLease SomeLease() {
  model::GpuLease lease;
  lease.name = LeaseName("gpu-node-a-0");
  lease.node = NodeName("node-a");
  lease.gpu = GpuId(0);
  lease.scheduler = SchedulerName("gpu-scheduler");
  lease.holders = {{kPod, {GpuId(0), GpuId(1)}, AttemptId("t1")}};
  return lease;
}

model::BindPod Binding() {
  model::BindPod command{kPod, ResourceVersion("41"), AttemptId("t1"), {}};
  command.allocation.pod = kPod.uid;
  command.allocation.gpus = {NodeName("node-a"), {GpuId(0), GpuId(1)}};
  command.allocation.uuids = {GpuUuid("GPU-a"), GpuUuid("GPU-b")};
  command.allocation.controller = ControllerUid("c1");
  return command;
}

boost::json::value Json(const std::string& text) {
  auto value = json::ParseJson(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : boost::json::value();
}

// The request of a command that must have one.
template <class Command>
http::Request SentFor(const Command& command) {
  auto write = RequestOf(command, kContext);
  EXPECT_TRUE(write.ok());
  return write ? write->request : http::Request();
}

TEST(CommandRequests, ALockIsCreatedInTheLockNamespace) {
  const auto write = RequestOf(model::CreateLease{SomeLease(), AttemptId("t1")}, kContext);
  ASSERT_TRUE(write.ok()) << write.error();
  EXPECT_EQ(write->verb, WriteVerb::kCreate);
  EXPECT_EQ(write->request.method, http::Method::kPost);
  EXPECT_EQ(write->request.target,
            "/apis/coordination.k8s.io/v1/namespaces/locks/leases?fieldManager=gpu-scheduler");
  EXPECT_EQ(*DecodeLease(write->request.body), SomeLease());
}

TEST(CommandRequests, ALockIsReplacedInTheVersionThatWasSeen) {
  model::GpuLease lease = SomeLease();
  lease.uid = LeaseUid("l1");
  lease.resource_version = ResourceVersion("9");
  const http::Request request = SentFor(model::UpdateLease{lease, AttemptId("t1")});
  EXPECT_EQ(request.method, http::Method::kPut);
  EXPECT_EQ(request.target,
            "/apis/coordination.k8s.io/v1/namespaces/locks/leases/gpu-node-a-0"
            "?fieldManager=gpu-scheduler");
  EXPECT_EQ(*DecodeLease(request.body), lease);
}

TEST(CommandRequests, ALockIsDeletedOnlyAsThisObjectInThisVersion) {
  const http::Request request = SentFor(model::DeleteLease{
      LeaseName("gpu-node-a-0"), LeaseUid("l1"), ResourceVersion("9"), AttemptId("t1")});
  EXPECT_EQ(request.method, http::Method::kDelete);
  EXPECT_EQ(request.target, "/apis/coordination.k8s.io/v1/namespaces/locks/leases/gpu-node-a-0");
  EXPECT_EQ(Json(request.body), Json(R"({"apiVersion":"v1","kind":"DeleteOptions",
                                         "preconditions":{"uid":"l1","resourceVersion":"9"}})"));
}

TEST(CommandRequests, WithoutPreconditionsNothingIsReplacedDeletedOrBound) {
  model::GpuLease lease = SomeLease();
  EXPECT_FALSE(RequestOf(model::UpdateLease{lease, {}}, kContext).ok());
  lease.uid = LeaseUid("l1");
  EXPECT_FALSE(RequestOf(model::UpdateLease{lease, {}}, kContext).ok());
  EXPECT_FALSE(RequestOf(model::DeleteLease{lease.name, lease.uid, {}, {}}, kContext).ok());
  EXPECT_FALSE(
      RequestOf(model::DeleteLease{lease.name, {}, ResourceVersion("9"), {}}, kContext).ok());
  model::BindPod binding = Binding();
  binding.resource_version = {};
  EXPECT_FALSE(RequestOf(binding, kContext).ok());
  model::TouchPod touch{kPod, {}, "m"};
  touch.pod.uid = {};
  EXPECT_FALSE(RequestOf(touch, kContext).ok());
}

TEST(CommandRequests, OnlyATestBuildBindsWhateverVersionThereIs) {
  model::BindPod binding = Binding();
  binding.resource_version = {};
  kube::CommandContext context = kContext;
  context.needs_version_to_bind = false;
  const auto request = RequestOf(binding, context);
  ASSERT_TRUE(request.ok()) << request.error();
  EXPECT_NE(request->request.body.find(R"("resourceVersion":"")"), std::string::npos);
}

TEST(CommandRequests, ABindingCarriesItsPreconditionsAndAllAnnotations) {
  const http::Request request = SentFor(Binding());
  EXPECT_EQ(request.method, http::Method::kPost);
  EXPECT_EQ(request.target, "/api/v1/namespaces/team/pods/a/binding?fieldManager=gpu-scheduler");
  EXPECT_EQ(Json(request.body), Json(R"({
    "apiVersion": "v1", "kind": "Binding",
    "metadata": {"name": "a", "namespace": "team", "uid": "u1", "resourceVersion": "41",
      "annotations": {
        "gpu.scheduling/allocated": "node-a:0,1",
        "gpu.scheduling/visible-devices": "0,1",
        "gpu.scheduling/uuids": "GPU-a,GPU-b",
        "gpu.scheduling/allocation": "v1 mode=exclusive enforced=true controller=c1"}},
    "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"}})"));
}

TEST(CommandRequests, ABindingWithoutGpusHasNoAnnotations) {
  model::BindPod command = Binding();
  command.allocation.gpus.ids.clear();
  command.allocation.uuids.clear();
  EXPECT_EQ(Json(SentFor(command).body), Json(R"({
    "apiVersion": "v1", "kind": "Binding",
    "metadata": {"name": "a", "namespace": "team", "uid": "u1", "resourceVersion": "41"},
    "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"}})"));
}

TEST(CommandRequests, ATouchChangesOneConditionOfThisVeryPod) {
  const http::Request request = SentFor(model::TouchPod{kPod, AttemptId("t1"), "leader 1 \"2\""});
  EXPECT_EQ(request.method, http::Method::kPatch);
  EXPECT_EQ(request.target, "/api/v1/namespaces/team/pods/a/status?fieldManager=gpu-scheduler");
  EXPECT_EQ(*request.headers.Find("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(Json(request.body), Json(R"({
    "metadata": {"uid": "u1"},
    "status": {"conditions": [
      {"type": "gpu.scheduling/Fence", "status": "True", "message": "leader 1 \"2\""}]}})"));
}

TEST(CommandRequests, APodThatWaitsSaysSoInTheWordsThatAutoscalersKnow) {
  const http::Request request =
      SentFor(model::SetUnschedulable{kPod,
                                      {model::ReasonToken::kTooFewGpus, "1 of 2 are free"},
                                      *ParseTime("2026-05-01T12:00:00.5Z")});
  EXPECT_EQ(request.target, "/api/v1/namespaces/team/pods/a/status?fieldManager=gpu-scheduler");
  EXPECT_EQ(*request.headers.Find("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(Json(request.body), Json(R"({
    "metadata": {"uid": "u1"},
    "status": {"conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
       "message": "TooFewGpus: 1 of 2 are free",
       "lastTransitionTime": "2026-05-01T12:00:00Z"}]}})"));
}

TEST(CommandRequests, AClaimsStatusIsReplacedAsAWhole) {
  model::ClaimStatus status;
  status.message = "no pod uses this claim";
  const http::Request request =
      SentFor(model::WriteClaimStatus{Namespace("team"), ClaimName("pair"), status});
  EXPECT_EQ(request.method, http::Method::kPatch);
  EXPECT_EQ(request.target,
            "/apis/gpu.scheduling/v1/namespaces/team/gpuclaims/pair/status"
            "?fieldManager=gpu-scheduler");
  EXPECT_EQ(*request.headers.Find("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(Json(request.body), Json(R"({"status": {
    "phase": "Pending", "allocations": [], "allocatedCount": 0, "allocated": null,
    "nodeName": null, "gpuIds": null, "message": "no pod uses this claim", "conditions": []}})"));
}

}  // namespace
}  // namespace gs::kube
