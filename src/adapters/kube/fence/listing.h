// Listing: what becomes of the fence when a release writes its list, by the rules that make it a
// fence. Everything is decided on exactly the version that is replaced.
//
// - SEEOTHERS: a new entry that clashes with an entry of another release is refused.
// - FRESH: it is held back until the view of pods is at least as new as every record's `settled`.
// - UNSETTLED: it is held back while the fence has a mark, or a record that cannot be read.
// - DEADTOUCH: entries that were touched are taken from records that nobody has written for long.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/fence_rules.h"
#include "base/ids.h"
#include "core/model/command.h"

namespace gs::kube {

struct ListingOrder {
  SchedulerName scheduler;
  const model::ListInFlight& list;
  std::set<PodUid> refused_before{};  // of this revision; they are not tried again
  // No Binding of a time before the fence had this mark can succeed any more.
  bool is_settled = false;
  std::optional<std::string> mark{};
  std::set<std::string> silent{};  // keys of records from which entries may be taken
  std::set<std::string> dead{};    // keys of records that may go, if they say nothing
  FenceRules rules{};
};

struct Listing {
  FenceLease fence;
  std::vector<PodUid> refused{};
  bool is_held_back = false;  // some entry is neither listed nor refused, and has to wait
  bool has_changes = false;   // there is something to write
};

// Requires: the fence has our record.
[[nodiscard]] Listing ListOn(const FenceLease& replaced, const ListingOrder& order);

}  // namespace gs::kube
