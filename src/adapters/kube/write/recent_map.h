// RecentMap: a map that keeps only what was used last, so that it never grows past its capacity.
// For one thread.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"

namespace gs::kube {

template <class Value>
class RecentMap {
 public:
  // Requires: capacity > 0.
  explicit RecentMap(std::size_t capacity) : capacity_(capacity) { GS_CHECK(capacity > 0); }
  ~RecentMap() = default;
  RecentMap(const RecentMap&) = delete;  // the places of a copy would be those of the original
  RecentMap& operator=(const RecentMap&) = delete;
  RecentMap(RecentMap&&) = default;
  RecentMap& operator=(RecentMap&&) = default;

  // The value of that key, or null. It counts as used.
  [[nodiscard]] Value* Find(const std::string& key);
  // Replaces what is there. What was not used for longest gives way. Good until the next Put.
  Value& Put(const std::string& key, Value value);
  void Erase(const std::string& key);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;

  std::size_t capacity_;
  Entries entries_;  // the one used last comes first
  std::map<std::string, typename Entries::iterator> places_;
};

template <class Value>
Value* RecentMap<Value>::Find(const std::string& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return &place->second->second;
}

template <class Value>
Value& RecentMap<Value>::Put(const std::string& key, Value value) {
  Erase(key);
  if (entries_.size() == capacity_) Erase(std::string(entries_.back().first));
  entries_.emplace_front(key, std::move(value));
  places_[key] = entries_.begin();
  return entries_.front().second;
}

template <class Value>
void RecentMap<Value>::Erase(const std::string& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return;
  entries_.erase(place->second);
  places_.erase(place);
}

}  // namespace gs::kube
