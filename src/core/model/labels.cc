#include "core/model/labels.h"

#include <algorithm>

namespace gs::model {
namespace {

bool HasLowerName(const Labels::value_type& a, const Labels::value_type& b) {
  return a.first < b.first;
}

bool HasSameName(const Labels::value_type& a, const Labels::value_type& b) {
  return a.first == b.first;
}

// Where that name is or would be.
template <class Entries>
auto PlaceOf(Entries& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const Labels::value_type& entry, std::string_view wanted) {
                            return entry.first < wanted;
                          });
}

}  // namespace

Labels::Labels(std::vector<value_type> entries) : entries_(std::move(entries)) {
  // What is read from text is often sorted already.
  if (!std::is_sorted(entries_.begin(), entries_.end(), HasLowerName)) {
    std::stable_sort(entries_.begin(), entries_.end(), HasLowerName);
  }
  entries_.erase(std::unique(entries_.begin(), entries_.end(), HasSameName), entries_.end());
}

const std::string* Labels::Find(std::string_view name) const {
  const auto entry = PlaceOf(entries_, name);
  return entry != entries_.end() && entry->first == name ? &entry->second : nullptr;
}

void Labels::Set(std::string_view name, std::string value) {
  const auto entry = PlaceOf(entries_, name);
  if (entry != entries_.end() && entry->first == name) {
    entry->second = std::move(value);
  } else {
    entries_.emplace(entry, name, std::move(value));
  }
}

}  // namespace gs::model
