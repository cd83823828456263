#include "core/machinesets/provider_error.h"

#include <array>

#include "base/text.h"

namespace gs::machinesets {
namespace {

struct Sign {
  std::string_view words;  // in lower case
  ProviderErrorKind kind;
};

// The first that is found counts: quotas before capacity, since messages about them speak of both.
constexpr std::array kSigns{
    Sign{"vcpulimitexceeded", ProviderErrorKind::kQuota},
    Sign{"instancelimitexceeded", ProviderErrorKind::kQuota},
    Sign{"maxspotinstancecountexceeded", ProviderErrorKind::kQuota},
    Sign{"quotaexceeded", ProviderErrorKind::kQuota},
    Sign{"quota_exceeded", ProviderErrorKind::kQuota},
    Sign{"exceeding approved", ProviderErrorKind::kQuota},
    Sign{"quota", ProviderErrorKind::kQuota},
    Sign{"insufficientinstancecapacity", ProviderErrorKind::kNoCapacity},
    Sign{"insufficientcapacity", ProviderErrorKind::kNoCapacity},
    Sign{"spotmaxpricetoolow", ProviderErrorKind::kNoCapacity},
    Sign{"zone_resource_pool_exhausted", ProviderErrorKind::kNoCapacity},
    Sign{"zonalallocationfailed", ProviderErrorKind::kNoCapacity},
    Sign{"overconstrained", ProviderErrorKind::kNoCapacity},
    Sign{"allocationfailed", ProviderErrorKind::kNoCapacity},
    Sign{"does not have enough resources available", ProviderErrorKind::kNoCapacity},
    Sign{"sufficient capacity", ProviderErrorKind::kNoCapacity},
    Sign{"skunotavailable", ProviderErrorKind::kNotOffered},
    Sign{"not supported in your requested availability zone", ProviderErrorKind::kNotOffered},
    Sign{"unsupported", ProviderErrorKind::kNotOffered},
    Sign{"not available in location", ProviderErrorKind::kNotOffered},
    Sign{"no security group found", ProviderErrorKind::kWrongInput},
    Sign{"no subnet", ProviderErrorKind::kWrongInput},
    Sign{"invalidsubnet", ProviderErrorKind::kWrongInput},
    Sign{"invalidami", ProviderErrorKind::kWrongInput},
    Sign{"unauthorizedoperation", ProviderErrorKind::kNotAllowed},
    Sign{"authorizationfailed", ProviderErrorKind::kNotAllowed},
    Sign{"permission", ProviderErrorKind::kNotAllowed},
};

ProviderErrorKind KindOf(std::string_view message) {
  const std::string lower = text::ToLower(message);
  for (const Sign& sign : kSigns) {
    if (lower.find(sign.words) != std::string::npos) return sign.kind;
  }
  return ProviderErrorKind::kOther;
}

}  // namespace

ProviderError ExplainProviderError(std::string_view message) {
  if (message.empty()) return {};
  const ProviderErrorKind kind = KindOf(message);
  switch (kind) {
    case ProviderErrorKind::kQuota:
      return {kind, "quota", "ask the cloud for more of this type, or take a smaller one"};
    case ProviderErrorKind::kNoCapacity:
      return {kind, "no capacity", "try another zone (zones: all), another type, or without spot"};
    case ProviderErrorKind::kNotOffered:
      return {kind, "type not offered here", "name a zone that has it, or take another type"};
    case ProviderErrorKind::kWrongInput:
      return {kind, "missing cloud object", "compare providerSpec with that of a worker set"};
    case ProviderErrorKind::kNotAllowed:
      return {kind, "not allowed", "give the machine API's account that right"};
    case ProviderErrorKind::kNone:
    case ProviderErrorKind::kOther: break;
  }
  return {kind, "error", "oc describe machine shows its events"};
}

}  // namespace gs::machinesets
