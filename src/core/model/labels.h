// Labels: texts by name, as labels, annotations and selectors are. Sorted, in one piece of memory,
// and shared by all copies, because a cluster has tens of thousands of pods with a handful each.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared.h"

namespace gs::model {

class Labels {
 public:
  using value_type = std::pair<std::string, std::string>;
  using const_iterator = std::vector<value_type>::const_iterator;
  using iterator = const_iterator;

  Labels() = default;
  // In any order; of several with one name the first counts.
  explicit Labels(std::vector<value_type> entries);
  Labels(std::initializer_list<value_type> entries) : Labels(std::vector(entries)) {}

  // The value of that name, or nullptr.
  [[nodiscard]] const std::string* Find(std::string_view name) const;
  void Set(std::string_view name, std::string value);

  [[nodiscard]] bool empty() const { return !entries_; }
  [[nodiscard]] std::size_t size() const { return entries().size(); }
  [[nodiscard]] const_iterator begin() const { return entries().begin(); }
  [[nodiscard]] const_iterator end() const { return entries().end(); }

  friend bool operator==(const Labels& a, const Labels& b) { return a.entries_ == b.entries_; }

 private:
  using Entries = std::vector<value_type>;

  [[nodiscard]] const Entries& entries() const;

  Shared<Entries> entries_;  // by name, each once; missing where there are none
};

}  // namespace gs::model
