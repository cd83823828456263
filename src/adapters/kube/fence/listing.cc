#include "adapters/kube/fence/listing.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/check.h"
#include "base/resource_version.h"
#include "core/model/fence.h"

namespace gs::kube {
namespace {

using model::InFlightPod;

// Four releases with full lists have room, and so have the renewals of others.
constexpr std::size_t kMaxRecordBytes = 60UL * 1024;
constexpr std::size_t kMaxBytes = kMaxAnnotationBytes - 16UL * 1024;

std::size_t LeftOf(std::size_t limit, std::size_t used) { return limit > used ? limit - used : 0; }

// What becomes of an entry that would be new on our list when `replaced` is replaced.
class Rules {
 public:
  Rules(const FenceLease& replaced, const ListingOrder& order, const ReleaseRecord& ours)
      : replaced_(replaced),
        order_(order),
        ours_(ours),
        is_open_(IsOpen() && IsFresh(order.list.view)) {}

  // Whether anything new may be listed.
  [[nodiscard]] bool is_open() const { return is_open_; }

  [[nodiscard]] bool Refuses(const InFlightPod& entry) const {
    if (order_.refused_before.contains(entry.pod.uid)) return true;
    return order_.rules.see_others && ClashesWithOthers(entry);
  }

 private:
  // With our own write the mark goes, so what stands on the same write comes after it.
  [[nodiscard]] bool IsOpen() const {
    if (!order_.rules.unsettled) return true;
    const bool is_mark_gone =
        !replaced_.unsettled || (order_.is_settled && replaced_.unsettled == order_.mark);
    const bool is_list_known = !ours_.is_list_lost && ours_.unresolved.empty();
    return is_mark_gone && (is_list_known || order_.is_settled) && replaced_.unreadable.empty();
  }
  [[nodiscard]] bool IsFresh(const ResourceVersion& view) const {
    return std::ranges::all_of(replaced_.records, [&view](const auto& record) {
      return record.second.settled.empty() || IsAtLeast(view, record.second.settled);
    });
  }
  [[nodiscard]] bool ClashesWithOthers(const InFlightPod& entry) const {
    return std::ranges::any_of(replaced_.records, [&](const auto& record) {
      if (&record.second == &ours_) return false;
      return std::ranges::any_of(record.second.in_flight, [&entry](const InFlightPod& other) {
        return Clash(entry, other);
      });
    });
  }

  const FenceLease& replaced_;
  const ListingOrder& order_;
  const ReleaseRecord& ours_;
  const bool is_open_;
};

bool IsListed(const ReleaseRecord& record, const InFlightPod& entry) {
  return std::ranges::find(record.in_flight, entry) != record.in_flight.end();
}

// What was listed already stays, whatever others have done meanwhile.
std::vector<InFlightPod> KeptOf(const ReleaseRecord& before, const model::ListInFlight& list) {
  std::vector<InFlightPod> kept;
  std::ranges::copy_if(list.in_flight, std::back_inserter(kept),
                       [&before](const InFlightPod& entry) { return IsListed(before, entry); });
  return kept;
}

// In the order of the list, so that the same list is the same record.
void AddNewEntries(const Rules& rules, const ListingOrder& order, const ReleaseRecord& before,
                   Listing& listing) {
  ReleaseRecord& ours = listing.fence.records.at(RecordKey(order.scheduler));
  std::size_t room = std::min(LeftOf(kMaxRecordBytes, PrintRecord(ours).size()),
                              LeftOf(kMaxBytes, AnnotationBytes(listing.fence)));
  ours.in_flight.clear();
  for (const InFlightPod& entry : order.list.in_flight) {
    const bool is_listed = IsListed(before, entry);
    const std::size_t size = is_listed ? 0 : PrintedSize(entry);
    if (!is_listed && rules.Refuses(entry)) {
      listing.refused.push_back(entry.pod.uid);
    } else if (is_listed || (rules.is_open() && size <= room)) {
      ours.in_flight.push_back(entry);
      room -= size;
    } else {
      listing.is_held_back = true;
    }
  }
}

bool IsDropped(const ListingOrder& order, const InFlightPod& entry) {
  return std::ranges::any_of(order.list.dropped, [&](const InFlightPod& dropped) {
    return dropped == entry || (!order.rules.unchanged && dropped.pod == entry.pod);
  });
}

// Whoever writes so late has lost already, and finds nobody in the place of its holder.
void TakeFromSilent(const ListingOrder& order, FenceLease& fence) {
  for (auto& [key, record] : fence.records) {
    const bool is_others = key != RecordKey(order.scheduler);
    if (!is_others || (order.rules.unchanged && !order.silent.contains(key))) continue;
    const auto taken = std::erase_if(
        record.in_flight, [&order](const InFlightPod& entry) { return IsDropped(order, entry); });
    if (taken == 0) continue;
    record.holder = {};
    record.holder_pod = {};
  }
}

void ForgetDead(const ListingOrder& order, ReleaseRecord& ours, FenceLease& fence) {
  for (const std::string& key : order.dead) {
    const ReleaseRecord& record = fence.records.at(key);
    const bool says_nothing =
        record.in_flight.empty() && record.unresolved.empty() && !record.is_list_lost;
    if (!says_nothing) continue;
    if (order.rules.merged) ours.settled = LaterVersion(ours.settled, record.settled);
    fence.records.erase(key);
  }
}

void Settle(const ListingOrder& order, ReleaseRecord& ours, FenceLease& fence) {
  if (fence.unsettled == order.mark) fence.unsettled.reset();
  ours.is_list_lost = false;
  ours.unresolved.clear();
}

}  // namespace

Listing ListOn(const FenceLease& replaced, const ListingOrder& order) {
  const ReleaseRecord* before = FindRecord(replaced, order.scheduler);
  GS_CHECK(before != nullptr);
  Listing listing{.fence = replaced};
  ReleaseRecord& ours = listing.fence.records.at(RecordKey(order.scheduler));
  ours.in_flight = KeptOf(*before, order.list);
  ours.settled = LaterVersion(ours.settled, order.list.settled);
  const bool has_new = ours.in_flight.size() < order.list.in_flight.size();
  if (has_new) AddNewEntries(Rules(replaced, order, *before), order, *before, listing);
  if (order.is_settled) Settle(order, ours, listing.fence);
  TakeFromSilent(order, listing.fence);
  ForgetDead(order, ours, listing.fence);
  listing.has_changes = listing.fence != replaced;
  return listing;
}

}  // namespace gs::kube
