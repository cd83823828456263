#include "core/model/allocation.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"
#include "core/model/names.h"

namespace gs::model {
namespace {

constexpr std::array kModes{
    std::pair{AllocationMode::kExclusive, std::string_view("exclusive")},
    std::pair{AllocationMode::kShared, std::string_view("shared")},
    std::pair{AllocationMode::kMap, std::string_view("map")},
};

}  // namespace

std::string_view ToString(AllocationMode mode) { return text::NameOf(kModes, mode); }

std::optional<AllocationMode> ParseAllocationMode(std::string_view text) {
  return text::ValueOf(kModes, text);
}

std::string AllocatedAnnotation(const Allocation& allocation) { return ToString(allocation.gpus); }

Result<NodeGpus> ParseAllocatedAnnotation(std::string_view text) {
  return ParseNodeGpus(text).Within(std::string(names::kAllocated));
}

std::string ToString(const Allocation& allocation) {
  std::string out = ToString(allocation.gpus) + " " + std::string(ToString(allocation.mode));
  if (!allocation.claim.empty()) out += " through claim " + allocation.claim.text();
  if (!allocation.is_enforced) out += " (planned)";
  return out;
}

std::ostream& operator<<(std::ostream& out, const Allocation& allocation) {
  return out << ToString(allocation);
}

}  // namespace gs::model
