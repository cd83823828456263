// Any bytes as the fence: decoded or refused with a sentence, never a crash; what is decoded reads
// back as the same, and an unreadable record never becomes a readable one on the way.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/kube/fence/fence_lease.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const auto record = gs::kube::ParseRecord(json)) {
    GS_CHECK(gs::kube::ParseRecord(gs::kube::PrintRecord(*record)) == record);
  }
  const auto fence = gs::kube::DecodeFenceLease(json);
  if (!fence) {
    GS_CHECK(!ToString(fence.error()).empty());
    return 0;
  }
  const auto again = gs::kube::DecodeFenceLease(gs::kube::EncodeFenceLease(*fence));
  GS_CHECK(again.ok() && *again == *fence);
  return 0;
}
