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

Labels::Labels(std::vector<value_type> entries) {
  if (entries.empty()) return;
  // What is read from text is often sorted already.
  if (!std::is_sorted(entries.begin(), entries.end(), HasLowerName)) {
    std::stable_sort(entries.begin(), entries.end(), HasLowerName);
  }
  entries.erase(std::unique(entries.begin(), entries.end(), HasSameName), entries.end());
  entries.shrink_to_fit();
  entries_ = std::move(entries);
}

const Labels::Entries& Labels::entries() const {
  static const Entries kNone;
  return entries_ ? *entries_ : kNone;
}

const std::string* Labels::Find(std::string_view name) const {
  const auto entry = PlaceOf(entries(), name);
  return entry != end() && entry->first == name ? &entry->second : nullptr;
}

void Labels::Set(std::string_view name, std::string value) {
  Entries changed = entries();
  const auto entry = PlaceOf(changed, name);
  if (entry != changed.end() && entry->first == name) {
    entry->second = std::move(value);
  } else {
    changed.emplace(entry, name, std::move(value));
  }
  entries_ = std::move(changed);
}

}  // namespace gs::model
