#include "adapters/kube/fence/record_ages.h"

#include <utility>

namespace gs::kube {
namespace {

using Text = std::variant<ReleaseRecord, std::string>;

std::map<std::string, Text> RecordsOf(const FenceLease& fence) {
  std::map<std::string, Text> records;
  for (const auto& [key, record] : fence.records) records.emplace(key, record);
  for (const auto& [key, text] : fence.unreadable) records.emplace(key, text);
  return records;
}

}  // namespace

void RecordAges::See(const FenceLease& fence, Duration now) {
  // Another fence says nothing about the records of this one.
  if (fence.metadata.uid != uid_) seen_.clear();
  uid_ = fence.metadata.uid;
  Records before = std::exchange(seen_, {});
  for (auto& [key, record] : RecordsOf(fence)) {
    const auto found = before.find(key);
    const bool is_same = found != before.end() && found->second.record == record;
    seen_[key] = {.record = std::move(record), .since = is_same ? found->second.since : now};
  }
}

void RecordAges::Wrote(const FenceLease& fence, Duration now) {
  const Records before = seen_;
  See(fence, now);
  for (auto& [key, seen] : seen_) {
    if (const auto found = before.find(key); found != before.end())
      seen.since = found->second.since;
  }
}

}  // namespace gs::kube
