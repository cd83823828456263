#include "tests/cluster_client/lease_changes.h"

#include <string>
#include <variant>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/writer.h"

namespace gs::testing {
namespace {

constexpr int kGpus = 8;

model::GpuLease LeaseOf(int gpu) {
  const NodeName node("node");
  model::GpuLease lease;
  lease.name = model::LeaseNameOf(node, GpuId(gpu));
  lease.node = node;
  lease.gpu = GpuId(gpu);
  lease.scheduler = SchedulerName("test");
  lease.holders = {{.pod = {Namespace("team"), PodName("pod"), PodUid("uid")},
                    .plan = {GpuId(gpu)},
                    .attempt = AttemptId("0")}};
  return lease;
}

}  // namespace

void LeaseChanges::Create(int gpu) {
  const model::CreateLease command{.lease = LeaseOf(gpu), .attempt = AttemptId("0")};
  (void)kube::Write(client_, kube::RequestOf(command, {.ns = ns_}));
  LookUp(gpu);
}

void LeaseChanges::Update(int gpu) {
  model::UpdateLease command{.lease = leases_.at(gpu), .attempt = AttemptId("0")};
  command.lease.holders.front().attempt = AttemptId(std::to_string(++count_));
  (void)kube::Write(client_, kube::RequestOf(command, {.ns = ns_}));
  LookUp(gpu);
}

void LeaseChanges::Delete(int gpu) {
  const model::GpuLease& lease = leases_.at(gpu);
  const model::DeleteLease command{.name = lease.name,
                                   .uid = lease.uid,
                                   .resource_version = lease.resource_version,
                                   .attempt = AttemptId("0")};
  (void)kube::Write(client_, kube::RequestOf(command, {.ns = ns_}));
  LookUp(gpu);
}

void LeaseChanges::Any() {
  const int gpu = static_cast<int>(random_() % kGpus);
  if (!leases_.contains(gpu)) return Create(gpu);
  if (random_() % 4 == 0) return Delete(gpu);
  Update(gpu);
}

// Whatever the answer to a write was: this is what there is now.
void LeaseChanges::LookUp(int gpu) {
  http::Request request;
  request.target = kube::ObjectPath(kube::kLeases, ns_, LeaseOf(gpu).name.text());
  const auto outcome = client_.Send(std::move(request));
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr) return;
  leases_.erase(gpu);
  if (response->status != 200) return;
  auto lease = kube::DecodeLease(response->body);
  if (lease) leases_.emplace(gpu, *std::move(lease));
}

}  // namespace gs::testing
