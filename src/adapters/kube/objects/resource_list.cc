#include "adapters/kube/objects/resource_list.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/model/names.h"

namespace gs::kube {

ResourceList ReadResourceList(const JsonView& list) {
  ResourceList amounts;
  for (const auto& [name, amount] : list.Members()) amounts.emplace(name, amount.Amount());
  return amounts;
}

void AddTo(ResourceList& sum, const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    const auto total = sum[name].Plus(amount);
    sum[name] = total ? *total : Quantity::OfUnits(std::numeric_limits<std::int64_t>::max());
  }
}

void RaiseTo(ResourceList& maximum, const ResourceList& list) {
  for (const auto& [name, amount] : list) maximum[name] = std::max(maximum[name], amount);
}

model::Resources ToResources(const ResourceList& list) {
  model::Resources resources;
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      resources.cpu_milli = amount.MilliValue();
    } else if (name == "memory") {
      resources.memory_bytes = amount.Value();
    } else if (name == model::names::kGpuResource) {
      resources.gpus = amount.Value();
    } else {
      resources.others.emplace(name, amount.Value());
    }
  }
  return resources;
}

}  // namespace gs::kube
