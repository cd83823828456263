#include "core/model/resource_sum.h"

#include <algorithm>
#include <limits>

namespace gs::model {

AmountSum::operator std::int64_t() const {
  constexpr Int128 kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(sum_, kLeast, kMost));
}

void ResourceSum::Add(const Resources& part) {
  cpu_milli += part.cpu_milli;
  memory_bytes += part.memory_bytes;
  gpus += part.gpus;
  for (const auto& [name, amount] : part.others) {
    if (amount != 0) others[name] += amount;
  }
}

void ResourceSum::Remove(const Resources& part) {
  cpu_milli -= part.cpu_milli;
  memory_bytes -= part.memory_bytes;
  gpus -= part.gpus;
  for (const auto& [name, amount] : part.others) {
    if (amount == 0) continue;
    AmountSum& total = others[name];
    total -= amount;
    if (total == 0) others.erase(name);
  }
}

std::int64_t ResourceSum::Other(std::string_view name) const {
  const auto amount = others.find(name);
  return amount == others.end() ? 0 : std::int64_t{amount->second};
}

}  // namespace gs::model
