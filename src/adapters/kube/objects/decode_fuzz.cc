// Any bytes as API objects: decoded or refused with a sentence, never a crash; and what is decoded
// has what the scheduler relies on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_storage.h"
#include "adapters/kube/objects/encode_lease.h"
#include "base/check.h"

namespace {

void CheckPod(const gs::model::Pod& pod) {
  GS_CHECK(!pod.ref.ns.empty() && !pod.ref.name.empty() && !pod.ref.uid.empty());
  const auto& requests = pod.requests;
  GS_CHECK(requests.cpu_milli >= 0 && requests.memory_bytes >= 0 && requests.gpus >= 0);
  for (const auto& [name, amount] : requests.others) GS_CHECK(amount >= 0);
  GS_CHECK(!pod.is_bound() || pod.rules == gs::model::PlacementRules{});
  const auto& unsupported = pod.rules->unsupported;
  for (const auto& field : unsupported) {
    GS_CHECK(std::count(unsupported.begin(), unsupported.end(), field) == 1);
  }
}

void CheckStatus(const gs::kube::NodeStatus& status) {
  GS_CHECK(!status.node.empty());
  if (!status.machine) return;
  const auto& [devices, links] = *status.machine;
  GS_CHECK(devices.size() <= gs::model::kMaxDevices && links.size() == devices.size());
  for (std::size_t a = 0; a < devices.size(); ++a) {
    GS_CHECK(a == 0 || devices[a - 1].id < devices[a].id);
    for (std::size_t b = 0; b < a; ++b) {
      GS_CHECK(links.At(a, b) == links.At(b, a));
      GS_CHECK((links.At(a, b).kind == gs::model::LinkKind::kNone) == (links.At(a, b).count == 0));
    }
  }
}

template <class Value>
bool IsThere(const gs::Result<Value>& value) {
  if (!value) GS_CHECK(!ToString(value.error()).empty());
  return value.ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const auto pod = gs::kube::DecodePod(json); IsThere(pod)) CheckPod(*pod);
  if (const auto node = gs::kube::DecodeNode(json); IsThere(node)) GS_CHECK(!node->name.empty());
  if (const auto claim = gs::kube::DecodeClaim(json); IsThere(claim)) {
    GS_CHECK(claim->devices.count >= 1);
  }
  if (const auto lease = gs::kube::DecodeLease(json); IsThere(lease)) {
    const auto again = gs::kube::DecodeLease(gs::kube::EncodeLease(*lease, gs::Namespace("gpu")));
    GS_CHECK(again.ok() && *again == *lease);
  }
  if (const auto status = gs::kube::DecodeNodeStatus(json); IsThere(status)) CheckStatus(*status);
  if (const auto claim = gs::kube::DecodeVolumeClaim(json); IsThere(claim)) {
    GS_CHECK(!claim->name.empty() && claim->bytes >= 0);
    GS_CHECK(!claim->is_bound || !claim->volume.empty());
  }
  if (const auto volume = gs::kube::DecodeVolume(json); IsThere(volume)) {
    GS_CHECK(!volume->name.empty() && volume->bytes >= 0);
  }
  (void)IsThere(gs::kube::DecodeStorageClass(json));
  (void)IsThere(gs::kube::DecodeNodeDrivers(json));
  (void)IsThere(gs::kube::DecodeStorageDriver(json));
  (void)IsThere(gs::kube::DecodeStorageCapacity(json));
  (void)IsThere(gs::kube::DecodeVolumeAttachment(json));
  return 0;
}
