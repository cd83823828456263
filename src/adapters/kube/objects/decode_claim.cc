#include <algorithm>
#include <string>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_claim_status.h"
#include "adapters/kube/objects/decode_object.h"
#include "base/gpu_ids.h"

namespace gs::kube {
namespace {

// `parse` turns a word into an optional enumerator; absent means the default.
template <class Value, class Parse>
Value ReadWord(const JsonView& word, Parse parse, const std::string& names, Value fallback) {
  if (!word.is_present()) return fallback;
  const std::string text = word.Text();
  const std::optional<Value> value = parse(text);
  if (!value) word.Fail("expected one of " + names + ", got " + json::Quoted(text));
  return value.value_or(fallback);
}

std::vector<GpuId> ReadPreferredIds(const JsonView& list, model::DevicePolicy policy) {
  std::vector<GpuId> ids;
  for (const JsonView& item : list.Items()) {
    const GpuId id(static_cast<std::int32_t>(item.Int({.min = 0, .max = kMaxGpuId}, 0)));
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) item.Fail("is given twice");
    ids.push_back(id);
  }
  if (!ids.empty() && policy != model::DevicePolicy::kPreferIds) {
    list.Fail("is only read with policy preferIds", "set policy, or remove the ids");
  }
  return ids;
}

model::DeviceRequest ReadDevices(const JsonView& devices) {
  model::DeviceRequest request;
  const IntegerRange counts{.min = 1, .max = kInt32Range.max};
  request.count = static_cast<std::int32_t>(devices.Field("count").Int(counts, request.count));
  request.policy = ReadWord(devices.Field("policy"), model::ParseDevicePolicy,
                            model::DevicePolicyNames(), request.policy);
  request.prefer_ids = ReadPreferredIds(devices.Field("preferIds"), request.policy);
  request.exclusivity = ReadWord(devices.Field("exclusivity"), model::ParseExclusivity,
                                 model::ExclusivityNames(), request.exclusivity);
  return request;
}

std::optional<model::TopologyRequest> ReadTopology(const JsonView& topology) {
  if (!topology.is_present()) return std::nullopt;
  model::TopologyRequest request;
  request.mode = ReadWord(topology.Field("mode"), model::ParseTopologyMode,
                          model::TopologyModeNames(), request.mode);
  const JsonView bandwidth = topology.Field("minBandwidthGBps");
  request.min_bandwidth_gbps =
      static_cast<std::int32_t>(bandwidth.Int({.min = 0, .max = kInt32Range.max}, 0));
  if (request.min_bandwidth_gbps > 0 && request.mode == model::TopologyMode::kIgnore) {
    bandwidth.Fail("has no meaning with mode Ignore", "use mode Required or Preferred");
  }
  return request;
}

model::Claim ReadClaim(const JsonView& root) {
  model::Claim claim;
  claim.ns = Namespace(root.Field("metadata").Field("namespace").RequiredText());
  claim.name = ClaimName(root.Field("metadata").Field("name").RequiredText());
  claim.resource_version = ResourceVersion(root.Field("metadata").Field("resourceVersion").Text());
  const JsonView spec = root.Field("spec");
  claim.devices = ReadDevices(spec.Field("devices"));
  claim.topology = ReadTopology(spec.Field("topology"));
  claim.match_labels = ReadLabels(spec.Field("selector").Field("matchLabels"));
  return claim;
}

}  // namespace

Result<model::Claim> DecodeClaim(const JsonSource& json) {
  auto claim = DecodeObject<model::Claim>("claim", json, ReadClaim);
  // Whatever somebody has written there, the request counts.
  if (claim) claim->status = DecodeClaimStatus(json.text());
  return claim;
}

}  // namespace gs::kube
