// Any bytes as the election Lease of the version before: decoded or refused with a sentence, never
// a crash; what is decoded reads back as the same, with the same list, also as a tombstone.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/kube/fence/earlier_election.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto lease = gs::kube::DecodeEarlierElection(json);
  if (!lease) {
    GS_CHECK(!ToString(lease.error()).empty());
    return 0;
  }
  const auto again = gs::kube::DecodeEarlierElection(gs::kube::EncodeEarlierElection(*lease));
  GS_CHECK(again.ok() && *again == *lease);
  const auto tombstone = gs::kube::TombstoneOf(*lease, gs::TimePoint());
  GS_CHECK(IsTombstone(tombstone) && ListOf(tombstone) == ListOf(*lease));
  return 0;
}
