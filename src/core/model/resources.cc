#include "core/model/resources.h"

#include <ostream>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/text.h"
#include "core/model/names.h"

namespace gs::model {

std::string ToString(const Resources& resources) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const Quantity& amount) {
    if (amount != Quantity()) parts.push_back(std::string(name) + " " + gs::ToString(amount));
  };
  add("cpu", Quantity::OfMilli(resources.cpu_milli));
  add("memory", Quantity::OfUnits(resources.memory_bytes, Quantity::Format::kBinary));
  add(names::kGpuResource, Quantity::OfUnits(resources.gpus));
  for (const auto& [name, amount] : resources.others) add(name, Quantity::OfUnits(amount));
  if (parts.empty()) return "nothing";
  return text::Join(parts, ", ", [](const std::string& part) { return part; });
}

std::ostream& operator<<(std::ostream& out, const Resources& resources) {
  return out << ToString(resources);
}

}  // namespace gs::model
