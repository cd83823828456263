#include "core/decide/node_order.h"

#include <algorithm>

namespace gs::decide {
namespace {

// What users ask for must not fill the memory: some hundred kilobytes each at 5,000 nodes.
constexpr std::size_t kMostLists = 16;

}  // namespace

void NodeOrder::Follow(const std::vector<NodeName>& changed, const cache::Cache& cache,
                       TopologyMemo& topologies) {
  for (const NodeName& name : changed) {
    const auto known = entries_.find(name);
    const cache::NodeView* view = cache.FindNode(name);
    if (view == nullptr) {
      if (known == entries_.end()) continue;
      Move(name, &known->second, nullptr);
      entries_.erase(known);
      continue;
    }
    Entry entry{.room = LeastCostOn(*view, Ask{}), .gpus = FreeGpusOf(*view, topologies)};
    if (known == entries_.end()) {
      Move(name, nullptr, &entry);
      entries_.emplace(name, std::move(entry));
    } else if (known->second != entry) {
      Move(name, &known->second, &entry);
      known->second = std::move(entry);
    }
  }
}

void NodeOrder::Move(const NodeName& node, const Entry* before, const Entry* after) {
  if (before == nullptr || after == nullptr || before->room != after->room) {
    if (before != nullptr) by_room_.erase({before->room, node});
    if (after != nullptr) by_room_.emplace(after->room, node);
  }
  const FreeGpus none;
  const FreeGpus& was = before == nullptr ? none : before->gpus;
  const FreeGpus& is = after == nullptr ? none : after->gpus;
  if (was != is) NotePrices(node, was, is);
}

void NodeOrder::NotePrices(const NodeName& node, const FreeGpus& before, const FreeGpus& after) {
  for (PriceList& list : lists_) list.Note(node, before, after);
  // Nobody has read it for so long that to make it anew costs no more.
  std::erase_if(lists_, [this](const PriceList& list) {
    return list.noted() > entries_.size() + kMostLists;
  });
}

PriceList& NodeOrder::ListFor(const CountedGpus& asked) {
  const auto known = std::find_if(lists_.begin(), lists_.end(), [&asked](const PriceList& list) {
    return ArePricedAlike(list.asked(), asked);
  });
  if (known != lists_.end()) {
    std::rotate(known, known + 1, lists_.end());
    return lists_.back();
  }
  if (lists_.size() == kMostLists) lists_.erase(lists_.begin());
  PriceList& list = lists_.emplace_back(asked);
  for (const auto& [name, entry] : entries_) list.Note(name, {}, entry.gpus);
  return list;
}

const PriceList::Groups& NodeOrder::ByPrice(const CountedGpus& asked, const PlaceContext& context) {
  return ListFor(asked).Read(context);
}

}  // namespace gs::decide
