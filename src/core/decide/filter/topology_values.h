// TopologyValues: parts of the cluster, as values of node labels: zone=a, zone=b, rack=7. Values
// lie where the nodes are and must not outlive them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/model/node.h"

namespace gs::filter {

class TopologyValues {
 public:
  // The part that the node is in. A node without that label is in none. Requires: `key` outlives
  // this.
  void Add(std::string_view key, const model::Node& node) {
    if (const std::string* value = node.labels.Find(key)) ValuesOf(key).insert(*value);
  }
  [[nodiscard]] bool Has(std::string_view key, const model::Node& node) const {
    const auto values = std::find_if(keys_.begin(), keys_.end(),
                                     [key](const auto& entry) { return entry.first == key; });
    if (values == keys_.end()) return false;
    const std::string* value = node.labels.Find(key);
    return value != nullptr && values->second.contains(*value);
  }
  // The first key by which the node is in one of the parts; empty: it is in none.
  [[nodiscard]] std::string_view FindKey(const model::Node& node) const {
    for (const auto& [key, values] : keys_) {
      const std::string* value = node.labels.Find(key);
      if (value != nullptr && values.contains(*value)) return key;
    }
    return {};
  }
  [[nodiscard]] bool empty() const { return keys_.empty(); }

 private:
  using Values = std::unordered_set<std::string_view>;

  Values& ValuesOf(std::string_view key) {
    for (auto& [known, values] : keys_) {
      if (known == key) return values;
    }
    return keys_.emplace_back(key, Values()).second;
  }

  std::vector<std::pair<std::string_view, Values>> keys_;  // few
};

}  // namespace gs::filter
