#include "core/decide/ask.h"

#include <algorithm>
#include <optional>

#include "base/parse.h"
#include "base/text.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "core/model/scheduling_map.h"

namespace gs::decide {
namespace {

namespace names = model::names;
using model::Reason;
using model::ReasonToken;

using Answer = std::variant<Ask, Reason>;

filter::Wants WantsOf(const model::Pod& pod) {
  return model::HasGpuResource(pod.requests) ? filter::Wants::kCounted : filter::Wants::kDirect;
}

// The resources by which it asks device plugins for GPUs, or for parts of them.
std::string GpuResourcesOf(const model::Pod& pod) {
  std::vector<std::string> names;
  if (pod.requests.gpus > 0) names.emplace_back(names::kGpuResource);
  for (const auto& [name, amount] : pod.requests.others) {
    if (amount > 0 && model::IsGpuResource(name)) names.push_back(name);
  }
  return text::Join(names, ", ", [](const std::string& name) { return name; });
}

// Why it cannot have `count` GPUs by id beside what it asks device plugins for.
std::optional<Reason> RefusedByRequests(const model::Pod& pod, const std::string& who,
                                        std::size_t count) {
  if (!model::HasGpuResource(pod.requests)) return std::nullopt;
  const std::int64_t requested = model::WholeGpus(pod.requests);
  if (requested == 0) {
    return Reason{ReasonToken::kUnsupported,
                  who + " asks for whole GPUs and the containers for " + GpuResourcesOf(pod) +
                      ", of which a device plugin hands out parts: remove one"};
  }
  if (requested == static_cast<std::int64_t>(count)) return std::nullopt;
  return Reason{ReasonToken::kCountMismatch,
                who + " asks for " + std::to_string(count) + " GPUs and the containers for " +
                    std::to_string(requested) + " (" + GpuResourcesOf(pod) +
                    "): make the two numbers equal"};
}

Answer AskOfMap(const model::Pod& pod, const std::string& text) {
  const auto map = model::ParseSchedulingMap(text);
  if (!map) return Reason{ReasonToken::kMapInvalid, ToString(map.error())};
  const PodIndex index = model::PodIndexOf(pod);
  const model::MapEntry* entry = map->Find(index);
  if (entry == nullptr) {
    return Reason{ReasonToken::kMapInvalid,
                  "the map has no line for pod " + std::to_string(index.number()) +
                      ": add one that begins with " + std::to_string(index.number()) + "="};
  }
  if (auto reason = RefusedByRequests(pod, "the map", entry->ids.size())) {
    return *std::move(reason);
  }
  return Ask{.gpus = NamedGpus{entry->node, entry->ids}, .wants = WantsOf(pod)};
}

devices::Request RequestOf(const model::Claim& claim, const AskOptions& options) {
  devices::Request request;
  request.count = claim.devices.count;
  request.policy = claim.devices.policy;
  request.prefer_ids = claim.devices.prefer_ids;
  request.exclusivity = claim.devices.exclusivity;
  request.share_cap = options.share_cap;
  if (claim.topology) {
    request.mode = claim.topology->mode;
    request.min_bandwidth_gbps = claim.topology->min_bandwidth_gbps;
  }
  return request;
}

Answer AskOfNamedClaim(const model::Pod& pod, const ClaimName& name, const cache::Cache& cache,
                       const AskOptions& options) {
  const model::Claim* claim = cache.FindClaim(pod.ref.ns, name);
  if (claim != nullptr) return AskOfClaim(pod, *claim, options);
  return Reason{ReasonToken::kClaimMissing,
                "there is no GpuClaim " + pod.ref.ns.text() + "/" + name.text() + " yet"};
}

}  // namespace

Answer AskOfClaim(const model::Pod& pod, const model::Claim& claim, const AskOptions& options) {
  const auto count = static_cast<std::size_t>(claim.devices.count);
  if (auto reason = RefusedByRequests(pod, "claim " + claim.name.text(), count)) {
    return *std::move(reason);
  }
  const bool is_shared = claim.devices.exclusivity == model::Exclusivity::kShared;
  if (is_shared && model::HasGpuResource(pod.requests)) {
    return Reason{ReasonToken::kUnsupported,
                  "claim " + claim.name.text() +
                      " shares GPUs, which a device plugin cannot: remove " + GpuResourcesOf(pod) +
                      " from the containers"};
  }
  const bool is_preferred =
      claim.topology && claim.topology->mode == model::TopologyMode::kPreferred;
  return Ask{.gpus = CountedGpus{.request = RequestOf(claim, options),
                                 .claim = claim.name,
                                 .match_labels = claim.match_labels,
                                 .prefers_one_island = is_preferred && claim.devices.count > 1,
                                 .preferred_bandwidth_gbps =
                                     is_preferred ? claim.topology->min_bandwidth_gbps : 0},
             .wants = WantsOf(pod)};
}

namespace {

Answer AskAsWritten(const model::Pod& pod, const cache::Cache& cache, const AskOptions& options) {
  if (!pod.rules->unsupported.empty()) {
    const auto as_is = [](const std::string& field) { return field; };
    return Reason{ReasonToken::kUnsupported, "uses " +
                                                 text::Join(pod.rules->unsupported, ", ", as_is) +
                                                 ", which this scheduler does not honour yet"};
  }
  const std::string* map = model::FindAnnotation(pod, names::kMap);
  const std::string* claim = model::FindAnnotation(pod, names::kClaim);
  if (map != nullptr && claim != nullptr) {
    return Reason{ReasonToken::kUnsupported, "has both " + std::string(names::kMap) + " and " +
                                                 std::string(names::kClaim) + ": remove one"};
  }
  if (map != nullptr) return AskOfMap(pod, *map);
  if (claim != nullptr) return AskOfNamedClaim(pod, ClaimName(*claim), cache, options);
  if (!model::HasGpuResource(pod.requests)) return Ask{};
  const std::int64_t gpus = model::WholeGpus(pod.requests);
  // Which GPU a part is of, the plugin alone knows.
  if (gpus == 0) return Ask{.gpus = NoGpus{}, .wants = filter::Wants::kCounted};
  CountedGpus plain;
  plain.request.count = static_cast<std::int32_t>(std::min<std::int64_t>(gpus, kInt32Range.max));
  plain.request.share_cap = options.share_cap;
  return Ask{.gpus = std::move(plain), .wants = filter::Wants::kCounted};
}

// Without GPUs there is nothing to tell, and what its author has to mend is said first.
bool NeedsNoVariable(const Answer& asked) {
  if (const auto* reason = std::get_if<Reason>(&asked)) {
    return reason->token < ReasonToken::kNotInjected;
  }
  return std::holds_alternative<NoGpus>(std::get<Ask>(asked).gpus);
}

}  // namespace

Answer AskOf(const model::Pod& pod, const cache::Cache& cache, const AskOptions& options) {
  Answer asked = AskAsWritten(pod, cache, options);
  const bool is_told = pod.has_visible_devices_variable || !options.needs_variable;
  if (is_told || NeedsNoVariable(asked)) return asked;
  return Reason{ReasonToken::kNotInjected,
                "was made while the webhook was down, so its containers would not learn which "
                "GPUs they have: delete it and create it again"};
}

std::int64_t SizeOf(const Ask& ask) {
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return static_cast<std::int64_t>(named->ids.size());
  }
  const auto* counted = std::get_if<CountedGpus>(&ask.gpus);
  return counted == nullptr ? 0 : counted->request.count;
}

}  // namespace gs::decide
