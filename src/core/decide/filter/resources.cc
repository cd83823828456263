#include "core/decide/filter/resources.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "core/model/resource_sum.h"

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;

// What a pod does not ask for cannot be short.
bool IsShort(std::int64_t asked, std::int64_t offered, std::int64_t used) {
  return asked > 0 && asked > offered - used;
}

Reason TooLittle(std::string_view what, std::int64_t asked, std::int64_t offered,
                 std::int64_t used) {
  return {ReasonToken::kTooFewResources,
          "too little " + std::string(what) + ": asks for " + std::to_string(asked) + ", " +
              std::to_string(offered - used) + " of " + std::to_string(offered) + " free"};
}

Reason TooFewGpus(std::string_view what, std::int64_t asked, std::int64_t offered,
                  std::int64_t used) {
  Reason reason = TooLittle(what, asked, offered, used);
  reason.token = asked > offered ? ReasonToken::kTooLarge : ReasonToken::kTooFewGpus;
  return reason;
}

}  // namespace

std::optional<Reason> RefusedByRoom(const model::Pod& pod, const cache::NodeView& view) {
  const model::Resources& asked = pod.requests;
  const model::Resources& offered = view.node.allocatable;
  const model::ResourceSum& used = view.used;
  if (view.pods_used >= view.node.allocatable_pods) {
    return Reason{ReasonToken::kTooFewResources,
                  "no room for another pod: " + std::to_string(view.pods_used) + " of " +
                      std::to_string(view.node.allocatable_pods) + " are there"};
  }
  if (IsShort(asked.cpu_milli, offered.cpu_milli, used.cpu_milli)) {
    return TooLittle("CPU (in thousandths)", asked.cpu_milli, offered.cpu_milli, used.cpu_milli);
  }
  if (IsShort(asked.memory_bytes, offered.memory_bytes, used.memory_bytes)) {
    return TooLittle("memory (in bytes)", asked.memory_bytes, offered.memory_bytes,
                     used.memory_bytes);
  }
  if (IsShort(asked.gpus, offered.gpus, used.gpus)) {
    return TooFewGpus(model::names::kGpuResource, asked.gpus, offered.gpus, used.gpus);
  }
  for (const auto& [name, amount] : asked.others) {
    const std::int64_t all = offered.others.Of(name);
    const std::int64_t taken = used.Other(name);
    if (!IsShort(amount, all, taken)) continue;
    return model::IsGpuResource(name) ? TooFewGpus(name, amount, all, taken)
                                      : TooLittle(name, amount, all, taken);
  }
  return std::nullopt;
}

}  // namespace gs::filter
