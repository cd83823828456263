// Whatever is written as settings is read or refused with a place, and what was read can be planned
// without harm.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/machinesets/settings_file.h"
#include "base/check.h"
#include "core/machinesets/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gs::machinesets;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto settings = ReadSettings(text, "f");
  if (!settings) {
    GS_CHECK(!settings.error().message().empty());
    return 0;
  }
  const std::vector<PresentSet> present{
      {.name = "w", .infrastructure = "i", .role = "worker", .zone = "z", .replicas = 1}};
  const auto plan = Plan({.infrastructure = "i"}, present, *settings);
  if (!plan) return 0;
  for (const PlannedSet& set : *plan) GS_CHECK(set.name.size() <= 63 && set.gpus > 0);
  return 0;
}
