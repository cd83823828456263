#include "adapters/localcluster/patch/list_order.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <vector>

namespace gs::localcluster {

using boost::json::array;
using boost::json::value;

namespace {

struct Ranked {
  const value* item;
  std::size_t rank;
};

std::vector<Ranked> SortedByRank(std::vector<Ranked> items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  return items;
}

}  // namespace

const value* IdentityOf(const value& item, std::string_view merge_key) {
  if (merge_key.empty()) return &item;
  const auto* members = item.if_object();
  return members == nullptr ? nullptr : members->if_contains(merge_key);
}

std::size_t IndexOfSame(const array& items, const value& identity, std::string_view merge_key) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* other = IdentityOf(items[i], merge_key);
    if (other != nullptr && *other == identity) return i;
  }
  return items.size();
}

array InPatchOrder(const array& merged, const array& patch_order, const array& live_order,
                   std::string_view merge_key) {
  std::vector<Ranked> named;
  std::vector<Ranked> others;
  for (const auto& item : merged) {
    const value& identity = *IdentityOf(item, merge_key);
    const std::size_t rank = IndexOfSame(patch_order, identity, merge_key);
    if (rank < patch_order.size()) {
      named.push_back({&item, rank});
    } else {
      others.push_back({&item, IndexOfSame(live_order, identity, merge_key)});
    }
  }
  named = SortedByRank(std::move(named));
  others = SortedByRank(std::move(others));

  // An element that only the server has stays in front of the first named one that it preceded.
  array ordered;
  auto other = others.begin();
  for (const auto& [item, rank] : named) {
    const auto live = IndexOfSame(live_order, *IdentityOf(*item, merge_key), merge_key);
    while (other != others.end() && live < live_order.size() && other->rank < live) {
      ordered.push_back(*(other++)->item);
    }
    ordered.push_back(*item);
  }
  for (; other != others.end(); ++other) ordered.push_back(*other->item);
  return ordered;
}

}  // namespace gs::localcluster
