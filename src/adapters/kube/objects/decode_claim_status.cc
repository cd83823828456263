#include "adapters/kube/objects/decode_claim_status.h"

#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/decode_object.h"
#include "base/gpu_ids.h"
#include "base/time.h"

namespace gs::kube {
namespace {

TimePoint ReadTime(const JsonView& time) {
  const auto point = ParseTime(time.Word());
  if (!point) time.Fail(ToString(point.error()));
  return point ? *point : TimePoint{};
}

template <class Value, class Parse>
Value ReadWord(const JsonView& word, Parse parse) {
  const std::optional<Value> value = parse(word.Word());
  if (!value) word.Fail("is no such word: " + json::Quoted(word.Word()));
  return value.value_or(Value{});
}

std::vector<GpuId> ReadIds(const JsonView& list) {
  std::vector<GpuId> ids;
  for (const JsonView& item : list.Items()) {
    ids.emplace_back(static_cast<std::int32_t>(item.Int({.min = 0, .max = kMaxGpuId}, 0)));
  }
  return ids;
}

model::ClaimAllocation ReadAllocation(const JsonView& item) {
  model::ClaimAllocation allocation{
      .pod = PodName(item.Field("pod").RequiredText()),
      .uid = PodUid(item.Field("podUID").RequiredText()),
      .gpus = {NodeName(item.Field("node").RequiredText()), ReadIds(item.Field("gpuIds"))},
      .uuids = {},
      .is_enforced = item.Field("enforced").Bool(),
      .since = ReadTime(item.Field("since"))};
  for (const JsonView& uuid : item.Field("uuids").Items()) {
    allocation.uuids.emplace_back(uuid.Text());
  }
  return allocation;
}

model::ClaimCondition ReadCondition(const JsonView& item) {
  return {
      .type = item.Field("type").RequiredText(),
      .status = ReadWord<model::ConditionStatus>(item.Field("status"), model::ParseConditionStatus),
      .reason = item.Field("reason").Text(),
      .message = item.Field("message").Text(),
      .since = ReadTime(item.Field("lastTransitionTime"))};
}

model::ClaimStatus ReadStatus(const JsonView& status) {
  model::ClaimStatus value;
  value.phase = ReadWord<model::ClaimPhase>(status.Field("phase"), model::ParseClaimPhase);
  for (const JsonView& item : status.Field("allocations").Items()) {
    value.allocations.push_back(ReadAllocation(item));
  }
  value.allocated_count = status.Field("allocatedCount").Int({.min = 0, .max = kInt32Range.max}, 0);
  value.allocated = status.Field("allocated").Text();
  value.first_node = NodeName(status.Field("nodeName").Text());
  value.first_ids = ReadIds(status.Field("gpuIds"));
  value.message = status.Field("message").Text();
  for (const JsonView& item : status.Field("conditions").Items()) {
    value.conditions.push_back(ReadCondition(item));
  }
  return value;
}

}  // namespace

std::optional<model::ClaimStatus> DecodeClaimStatus(std::string_view claim_json) {
  auto status = DecodeObject<model::ClaimStatus>(
      "claim", claim_json, [](const JsonView& root) { return ReadStatus(root.Field("status")); });
  if (!status) return std::nullopt;
  return *std::move(status);
}

}  // namespace gs::kube
