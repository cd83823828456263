#include "adapters/kube/objects/resource_list.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/model/names.h"

namespace gs::kube {

ResourceList ReadResourceList(const JsonView& list) {
  ResourceList amounts;
  const auto members = list.Members();
  amounts.reserve(members.size());
  for (const auto& [name, amount] : members) amounts.emplace_back(name, amount.Amount());
  return amounts;
}

Quantity& AmountOf(ResourceList& list, std::string_view name) {
  const auto has_lower_name = [](const auto& entry, std::string_view wanted) {
    return entry.first < wanted;
  };
  const auto entry = std::lower_bound(list.begin(), list.end(), name, has_lower_name);
  if (entry != list.end() && entry->first == name) return entry->second;
  return list.emplace(entry, name, Quantity())->second;
}

void AddTo(ResourceList& sum, const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    Quantity& so_far = AmountOf(sum, name);
    const auto total = so_far.Plus(amount);
    so_far = total ? *total : Quantity::OfUnits(std::numeric_limits<std::int64_t>::max());
  }
}

void RaiseTo(ResourceList& maximum, const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    Quantity& so_far = AmountOf(maximum, name);
    so_far = std::max(so_far, amount);
  }
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
