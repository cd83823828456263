#include "adapters/kube/objects/encode_claim_status.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/time.h"

namespace gs::kube {
namespace {

namespace bj = boost::json;

bj::array IdsOf(const std::vector<GpuId>& ids) {
  bj::array list;
  for (const GpuId id : ids) list.push_back(id.number());
  return list;
}

bj::object AllocationOf(const model::ClaimAllocation& allocation) {
  bj::object object{{"pod", allocation.pod.text()},        {"podUID", allocation.uid.text()},
                    {"node", allocation.gpus.node.text()}, {"gpuIds", IdsOf(allocation.gpus.ids)},
                    {"enforced", allocation.is_enforced},  {"since", PrintTime(allocation.since)}};
  if (allocation.uuids.empty()) return object;
  bj::array uuids;
  for (const GpuUuid& uuid : allocation.uuids) uuids.push_back(bj::value(uuid.text()));
  object["uuids"] = std::move(uuids);
  return object;
}

bj::object ConditionOf(const model::ClaimCondition& condition) {
  return {{"type", condition.type},
          {"status", ToString(condition.status)},
          {"reason", condition.reason},
          {"message", condition.message},
          {"lastTransitionTime", PrintTime(condition.since)}};
}

template <class Items, class Encode>
bj::array ListOf(const Items& items, Encode encode) {
  bj::array list;
  for (const auto& item : items) list.push_back(encode(item));
  return list;
}

}  // namespace

std::string EncodeClaimStatusPatch(const model::ClaimStatus& status) {
  // A merge patch replaces lists as a whole and removes what is null.
  bj::object object{{"phase", ToString(status.phase)},
                    {"allocations", ListOf(status.allocations, AllocationOf)},
                    {"allocatedCount", status.allocated_count},
                    {"allocated", nullptr},
                    {"nodeName", nullptr},
                    {"gpuIds", nullptr},
                    {"message", status.message},
                    {"conditions", ListOf(status.conditions, ConditionOf)}};
  if (!status.allocated.empty()) object["allocated"] = status.allocated;
  if (!status.first_node.empty()) object["nodeName"] = status.first_node.text();
  if (!status.first_ids.empty()) object["gpuIds"] = IdsOf(status.first_ids);
  return bj::serialize(bj::object{{"status", std::move(object)}});
}

}  // namespace gs::kube
