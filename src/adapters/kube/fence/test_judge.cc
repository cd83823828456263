#include "adapters/kube/fence/test_judge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "adapters/kube/fence/listing.h"
#include "base/resource_version.h"

namespace gs::kube {
namespace {

using model::InFlightPod;
using Entries = std::vector<InFlightPod>;

bool Has(const Entries& entries, const InFlightPod& entry) {
  return std::ranges::find(entries, entry) != entries.end();
}

ResourceVersion SettledOf(const FenceLease& fence) {
  ResourceVersion settled;
  for (const auto& [key, record] : fence.records) settled = LaterVersion(settled, record.settled);
  return settled;
}

// The entries as one text, for comparisons.
std::string TextOf(const Entries& entries) {
  ReleaseRecord record;
  record.in_flight = entries;
  return PrintRecord(record);
}

}  // namespace

void TestJudge::Wrote(const TestWriter& writer, const std::optional<FenceLease>& before,
                      const FenceLease& after, Duration now) {
  const std::string key = RecordKey(writer.scheduler);
  if (!after.records.contains(key)) return Violated("a process removed its own record");
  if (!before) {
    if (!after.unsettled) Violated("a fence came to be without a mark");
  } else {
    CheckOwn(writer, *before, after, now);
    CheckNewEntries(writer, *before, after);
    CheckOthers(writer, *before, after, now);
    CheckMark(writer, *before, after);
    const ResourceVersion settled = SettledOf(*before);
    const bool is_kept = settled.empty() || IsAtLeast(SettledOf(after), settled);
    if (!is_kept) Violated("a settled version was forgotten");
  }
  CheckClashes(after);
  const ReleaseRecord& record = after.records.at(key);
  Term& term = terms_[writer.identity];
  if (!term.has_won) term.taken = after;
  if (!term.has_won) term.epoch = epoch_;
  term.stored.insert(TextOf(record.in_flight));
  NoteChanges(after, now);
}

void TestJudge::CheckOwn(const TestWriter& writer, const FenceLease& before,
                         const FenceLease& after, Duration now) {
  const std::string key = RecordKey(writer.scheduler);
  const auto found = before.records.find(key);
  if (found == before.records.end()) return;
  const ReleaseRecord& old = found->second;
  if (old.holder == writer.identity) return;
  if (terms_[writer.identity].has_won) return Violated("one that had lost wrote again");
  if (old.is_held() && !IsUnchangedFor(key, lease_, now)) Violated("taken from a living leader");
  const ReleaseRecord& taken = after.records.at(key);
  if (taken.in_flight != old.in_flight) Violated("a takeover changed the list");
  if (taken.unresolved != old.unresolved || taken.is_list_lost != old.is_list_lost) {
    Violated("a takeover forgot what the version before was binding");
  }
}

void TestJudge::CheckNewEntries(const TestWriter& writer, const FenceLease& before,
                                const FenceLease& after) {
  const std::string key = RecordKey(writer.scheduler);
  const auto found = before.records.find(key);
  const Entries old = found == before.records.end() ? Entries() : found->second.in_flight;
  for (const InFlightPod& entry : after.records.at(key).in_flight) {
    if (Has(old, entry)) continue;
    if (!writer.list || !Has(writer.list->in_flight, entry)) return Violated("listed by itself");
    if (after.unsettled) Violated("listed while the mark stands");
    if (!before.unreadable.empty()) Violated("listed beside a record that cannot be read");
    const ResourceVersion settled = SettledOf(before);
    const bool is_fresh = settled.empty() || IsAtLeast(writer.list->view, settled);
    if (!is_fresh) Violated("listed on a view that is too old");
    for (const auto& [other, record] : before.records) {
      const bool clashes = other != key && std::ranges::any_of(record.in_flight, [&](auto& each) {
                             return Clash(each, entry);
                           });
      if (clashes) Violated("listed what clashes with another release");
    }
  }
}

void TestJudge::CheckOthers(const TestWriter& writer, const FenceLease& before,
                            const FenceLease& after, Duration now) {
  const std::string own = RecordKey(writer.scheduler);
  for (const auto& [key, text] : before.unreadable) {
    const auto found = after.unreadable.find(key);
    const bool is_kept = found != after.unreadable.end() && found->second == text;
    const bool is_taken = key == own && after.unsettled.has_value();
    if (!is_kept && !is_taken) Violated("a record that cannot be read was lost");
  }
  for (const auto& [key, record] : before.records) {
    const auto found = after.records.find(key);
    if (key == own || (found != after.records.end() && found->second == record)) continue;
    if (!IsUnchangedFor(key, 2 * lease_, now))
      Violated("wrote into the record of a living release");
    if (found == after.records.end()) {
      if (!record.in_flight.empty()) Violated("removed a record that lists pods");
      continue;
    }
    for (const InFlightPod& entry : record.in_flight) {
      const bool is_dropped = writer.list && Has(writer.list->dropped, entry);
      if (!is_dropped && !Has(found->second.in_flight, entry)) Violated("dropped what lives");
    }
  }
}

void TestJudge::CheckMark(const TestWriter& writer, const FenceLease& before,
                          const FenceLease& after) {
  if (!before.unsettled || before.unsettled == after.unsettled) return;
  const bool has_dealt_with_it =
      writer.is_settling && terms_[writer.identity].marks.contains(*before.unsettled);
  if (!has_dealt_with_it) Violated("a mark was taken off by one who had not dealt with it");
  settled_.insert(*before.unsettled);
}

void TestJudge::CheckClashes(const FenceLease& after) {
  for (auto a = after.records.begin(); a != after.records.end(); ++a) {
    for (auto b = std::next(a); b != after.records.end(); ++b) {
      for (const InFlightPod& one : a->second.in_flight) {
        for (const InFlightPod& other : b->second.in_flight) {
          if (Clash(one, other)) Violated("two releases list what clashes");
        }
      }
    }
  }
}

void TestJudge::Edited(const std::optional<FenceLease>& after, Duration now) {
  const std::size_t before = texts_.size();
  NoteChanges(after, now);
  if (texts_.size() < before) ++epoch_;
}

void TestJudge::NoteChanges(const std::optional<FenceLease>& after, Duration now) {
  std::map<std::string, std::string> texts;
  if (after && after->unsettled) marks_.insert(*after->unsettled);
  if (after) texts = after->unreadable;
  if (after) {
    for (const auto& [key, record] : after->records) texts[key] = PrintRecord(record);
  }
  for (const auto& [key, text] : texts) {
    const auto found = texts_.find(key);
    if (found == texts_.end() || found->second != text) changed_at_[key] = now;
  }
  texts_ = std::move(texts);
}

bool TestJudge::IsUnchangedFor(const std::string& key, Duration time, Duration now) const {
  const auto found = changed_at_.find(key);
  return found == changed_at_.end() || now - found->second >= time;
}

void TestJudge::Won(const FenceIdentity& process, const model::LeadershipWon& won) {
  const auto term = terms_.find(process);
  if (term == terms_.end()) return Violated("one leads that never took over");
  term->second.has_won = true;
  term->second.marks = marks_;
  const FenceLease& fence = term->second.taken;
  // Others may have dealt with the mark between the takeover and its answer.
  const bool is_settled = !fence.unsettled || settled_.contains(*fence.unsettled);
  for (const auto& [key, record] : fence.records) {
    if (record.holder != process) continue;
    const bool is_known = is_settled && !record.is_list_lost;
    if (won.is_list_known && !is_known) Violated("known is not what was taken over");
    if (won.inherited != record.in_flight) Violated("pods are missing after a takeover");
    if (won.unresolved != record.unresolved) Violated("unresolved pods are missing");
    if (won.settled != record.settled) Violated("another settled version was told");
  }
}

void TestJudge::Listed(const FenceIdentity& process, const model::ListInFlight& list,
                       const model::InFlightListed& listed) {
  Entries entries = list.in_flight;
  std::erase_if(entries, [&listed](const InFlightPod& entry) {
    return std::ranges::find(listed.refused, entry.pod.uid) != listed.refused.end();
  });
  Term& term = terms_[process];
  if (listed.revision <= std::exchange(term.listed, listed.revision)) {
    Violated("a list is reported again, or after a later one");
  }
  const bool was_stored = term.stored.contains(TextOf(entries));
  if (!was_stored) Violated("a list is reported that was never stored");
}

int TestJudge::EpochOf(const FenceIdentity& process) const {
  const auto term = terms_.find(process);
  return term == terms_.end() ? 0 : term->second.epoch;
}

void TestJudge::Violated(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

}  // namespace gs::kube
