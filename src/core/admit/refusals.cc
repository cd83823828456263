#include "core/admit/refusals.h"

#include <array>
#include <string_view>

#include "base/dns_name.h"
#include "base/error.h"
#include "core/model/names.h"
#include "core/model/scheduling_map.h"

namespace gs::admit {
namespace {

namespace names = model::names;
using Refusal = std::optional<std::string>;

std::string Annotation(std::string_view name) { return "annotation " + std::string(name); }

Refusal RefuseResults(const Review& review) {
  for (const auto name :
       {names::kAllocated, names::kVisibleDevices, names::kUuids, names::kAllocation}) {
    if (review.annotations.Find(name) == nullptr) continue;
    return Annotation(name) + " is the scheduler's answer and nobody else may write it: remove it";
  }
  return std::nullopt;
}

Refusal RefuseNode(const Review& review) {
  if (review.node.empty()) return std::nullopt;
  return "spec.nodeName is " + review.node.text() +
         " already, so the scheduler would never see the pod: remove it, and choose nodes with "
         "nodeSelector, the map or the claim";
}

Refusal RefuseMap(const Review& review) {
  const std::string* map = review.annotations.Find(names::kMap);
  if (map == nullptr) return std::nullopt;
  auto parsed = model::ParseSchedulingMap(*map);
  if (parsed) return std::nullopt;
  return ToString(std::move(parsed).error().Within(Annotation(names::kMap)));
}

Refusal RefuseClaim(const Review& review) {
  const std::string* claim = review.annotations.Find(names::kClaim);
  if (claim == nullptr) return std::nullopt;
  if (review.annotations.Find(names::kMap) != nullptr) {
    return "annotations " + std::string(names::kMap) + " and " + std::string(names::kClaim) +
           " are two ways to ask for GPUs: remove one";
  }
  auto fine = CheckDnsSubdomain(*claim);
  if (fine) return std::nullopt;
  return ToString(Error(ErrorKind::kInvalid, fine.error().message())
                      .Advise("write the name of a GpuClaim of the pod's namespace")
                      .Within(Annotation(names::kClaim)));
}

Refusal RefuseCount(const Container& container) {
  if (container.gpus <= kMaxGpusOfContainer) return std::nullopt;
  return "container " + container.name + " requests " + std::to_string(container.gpus) +
         " GPUs: ask for at most " + std::to_string(kMaxGpusOfContainer);
}

Refusal RefuseCounting(const Review& review, Handover handover) {
  const std::string remedy =
      ": remove " + std::string(names::kGpuResource) +
      " or the like from the containers, and ask with a claim or a map alone";
  if (handover == Handover::kUuid) {
    return "GPUs are handed over by UUID here, and a device plugin would choose others" + remedy;
  }
  if (review.exclusivity == model::Exclusivity::kShared) {
    return "claim " + *review.annotations.Find(names::kClaim) +
           " shares GPUs, which a device plugin cannot" + remedy;
  }
  return std::nullopt;
}

Refusal RefusePrivilege(const Container& container) {
  if (!container.is_privileged) return std::nullopt;
  return "container " + container.name +
         " is privileged and would see every GPU of its node, but GPUs are handed over by UUID "
         "here so that it sees only its own: set securityContext.privileged to false";
}

template <class Refuse>
Refusal FirstOf(const Review& review, const Refuse& refuse) {
  for (const auto* group :
       {&review.init_containers, &review.containers, &review.ephemeral_containers}) {
    for (const Container& container : *group) {
      if (!container.is_new) continue;
      if (auto refusal = refuse(container)) return refusal;
    }
  }
  return std::nullopt;
}

Refusal RefuseWhatIsAsked(const Review& review) {
  for (const auto refuse : {RefuseResults, RefuseNode, RefuseClaim, RefuseMap}) {
    if (auto refusal = refuse(review)) return refusal;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> RefusalOf(const Review& review, Handover handover) {
  const GpuKind kind = GpuKindOf(review);
  const bool is_create = review.action == Action::kCreate;
  if (is_create) {
    if (auto refusal = RefuseWhatIsAsked(review)) return refusal;
  }
  if (auto refusal = FirstOf(review, RefuseCount)) return refusal;
  if (is_create && kind == GpuKind::kCounted) {
    if (auto refusal = RefuseCounting(review, handover)) return refusal;
  }
  const bool must_hold = kind == GpuKind::kDirect && handover == Handover::kUuid;
  return must_hold ? FirstOf(review, RefusePrivilege) : std::nullopt;
}

}  // namespace gs::admit
