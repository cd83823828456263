// Any bytes as an election Lease: decoded or refused with a sentence, never a crash; what is
// decoded reads back as the same, and an unreadable list never becomes a readable one on the way.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/kube/election/election_lease.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto lease = gs::kube::DecodeElectionLease(json);
  if (!lease) {
    GS_CHECK(!ToString(lease.error()).empty());
    return 0;
  }
  const auto again = gs::kube::DecodeElectionLease(gs::kube::EncodeElectionLease(*lease));
  GS_CHECK(again.ok() && *again == *lease);
  return 0;
}
