// Whatever is accepted as a map has entries, prints to a form that reads back as the same map, and
// keeps every promise of the header; whatever is refused names a place inside the text and gives
// advice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/check.h"
#include "base/dns_name.h"
#include "base/gpu_ids.h"
#include "core/model/scheduling_map.h"

namespace {

using gs::model::MapEntry;

void CheckEntry(const MapEntry& entry) {
  GS_CHECK(gs::CheckDnsSubdomain(entry.node.text()).ok());
  GS_CHECK(!entry.ids.empty());
  GS_CHECK(std::set(entry.ids.begin(), entry.ids.end()).size() == entry.ids.size());
  GS_CHECK(std::all_of(entry.ids.begin(), entry.ids.end(), [](gs::GpuId id) {
    return id.number() >= 0 && id.number() <= gs::kMaxGpuId;
  }));
}

void CheckRefusal(const gs::Error& error, std::string_view text) {
  GS_CHECK(error.place().has_value() && !error.advice().empty());
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  GS_CHECK(error.place()->line >= 1 && error.place()->line <= lines);
  GS_CHECK(error.place()->column >= 1);
  GS_CHECK(static_cast<std::size_t>(error.place()->column) <= text.size() + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto map = gs::model::ParseSchedulingMap(text);
  if (!map) {
    CheckRefusal(map.error(), text);
    return 0;
  }
  GS_CHECK(!map->entries.empty());
  for (const auto& [index, entry] : map->entries) {
    GS_CHECK(index.number() >= 0);
    CheckEntry(entry);
  }
  const auto again = gs::model::ParseSchedulingMap(ToString(*map));
  GS_CHECK(again.ok() && *again == *map);
  return 0;
}
