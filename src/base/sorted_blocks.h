// SortedBlocks: items in the order of their keys, each key once, for tens of thousands of small
// ones. They lie side by side in blocks, so that an item takes little more than itself, where a
// node of a std::map takes forty bytes besides.
//
// Linear in the blocks where one becomes full or empty, logarithmic otherwise. Items move when
// others come and go: addresses and iterators hold until then. Where items must stay where they
// are, keep pointers to them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace gs {

// `KeyOf()(item)` is the item's key, which must not change; by value or by reference.
template <class Item, class Key, class KeyOf>
class SortedBlocks {
  struct Block {
    Key from;                 // not above its first item, and above all items of the block before
    std::vector<Item> items;  // never empty
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = const Item*;
    using reference = const Item&;

    Iterator() = default;

    reference operator*() const { return (*blocks_)[block_].items[place_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++place_ == (*blocks_)[block_].items.size()) {
        ++block_;
        place_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, std::next(*this)); }
    Iterator& operator--() {
      if (place_ == 0) place_ = (*blocks_)[--block_].items.size();
      --place_;
      return *this;
    }
    Iterator operator--(int) { return std::exchange(*this, std::prev(*this)); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend SortedBlocks;
    Iterator(const std::vector<Block>& blocks, std::size_t block, std::size_t place)
        : blocks_(&blocks), block_(block), place_(place) {}

    const std::vector<Block>* blocks_ = nullptr;
    std::size_t block_ = 0;
    std::size_t place_ = 0;
  };
  using const_iterator = Iterator;
  using iterator = Iterator;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const_iterator begin() const { return {blocks_, 0, 0}; }
  [[nodiscard]] const_iterator end() const { return {blocks_, blocks_.size(), 0}; }

  [[nodiscard]] bool contains(const Key& key) const { return Find(key) != nullptr; }
  [[nodiscard]] const_iterator find(const Key& key) const {
    const Place place = PlaceOf(key);
    return Holds(place, key) ? const_iterator(blocks_, place.block, place.item) : end();
  }
  // Null: there is none.
  [[nodiscard]] const Item* Find(const Key& key) const {
    const Place place = PlaceOf(key);
    return Holds(place, key) ? &blocks_[place.block].items[place.item] : nullptr;
  }
  [[nodiscard]] Item* Find(const Key& key) {
    return const_cast<Item*>(std::as_const(*this).Find(key));  // NOLINT: it is ours
  }

  // The item of that key, and whether `make()` has just made it.
  template <class Make>
  std::pair<Item&, bool> FindOrAdd(const Key& key, Make make) {
    Place place = PlaceOf(key);
    if (Holds(place, key)) return {blocks_[place.block].items[place.item], false};
    ++size_;
    if (blocks_.empty()) blocks_.push_back(NewBlock(key));
    if (blocks_[place.block].items.size() == kMost) place = Split(place, key);
    Block& block = blocks_[place.block];
    if (place.item == 0 && key < block.from) block.from = key;
    return {*block.items.insert(At(block, place.item), make()), true};
  }

  // Nothing: there was none.
  std::optional<Item> Take(const Key& key) {
    const Place place = PlaceOf(key);
    if (!Holds(place, key)) return std::nullopt;
    --size_;
    Block& block = blocks_[place.block];
    std::optional<Item> taken(std::move(block.items[place.item]));
    block.items.erase(At(block, place.item));
    if (block.items.size() <= kFew) Shrink(place.block);
    return taken;
  }
  // False: there was none.
  bool Erase(const Key& key) { return Take(key).has_value(); }
  // All of which `is_it(item)` says so; it is asked once about each, in order, and may take from
  // those. Linear.
  template <class IsIt>
  void EraseIf(IsIt is_it) {
    size_ = 0;
    for (Block& block : blocks_) {
      std::erase_if(block.items, is_it);
      size_ += block.items.size();
    }
    std::erase_if(blocks_, [](const Block& block) { return block.items.empty(); });
  }

 private:
  struct Place {
    std::size_t block = 0;
    std::size_t item = 0;
  };
  static constexpr std::size_t kMost = 32;
  static constexpr std::size_t kFew = kMost / 4;

  static auto At(Block& block, std::size_t item) {
    return block.items.begin() + static_cast<std::ptrdiff_t>(item);
  }
  static Block NewBlock(const Key& from) {
    Block block{.from = from, .items = {}};
    block.items.reserve(kMost);
    return block;
  }

  // Where the key is or would be.
  [[nodiscard]] Place PlaceOf(const Key& key) const {
    if (blocks_.empty()) return {};
    // What comes in order is the last one, or behind it.
    const auto& last = blocks_.back().items;
    if (const auto order = key <=> KeyOf()(last.back()); std::is_gteq(order)) {
      return {blocks_.size() - 1, last.size() - (std::is_eq(order) ? 1U : 0U)};
    }
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), key,
                                  [](const Key& a, const Block& b) { return a < b.from; });
    if (block != blocks_.begin()) --block;
    const auto item = std::lower_bound(block->items.begin(), block->items.end(), key,
                                       [](const Item& a, const Key& b) { return KeyOf()(a) < b; });
    return {static_cast<std::size_t>(block - blocks_.begin()),
            static_cast<std::size_t>(item - block->items.begin())};
  }
  [[nodiscard]] bool Holds(const Place& place, const Key& key) const {
    if (blocks_.empty()) return false;
    const auto& items = blocks_[place.block].items;
    return place.item < items.size() && KeyOf()(items[place.item]) == key;
  }

  // Makes room in a full block: where the place is then. What comes in order leaves full blocks.
  Place Split(const Place& place, const Key& key) {
    const bool is_behind_all = place.block + 1 == blocks_.size() && place.item == kMost;
    Block next = NewBlock(key);
    if (!is_behind_all) {
      auto& items = blocks_[place.block].items;
      const auto half = items.begin() + kMost / 2;
      next.from = KeyOf()(*half);
      next.items.insert(next.items.end(), std::move_iterator(half),
                        std::move_iterator(items.end()));
      items.erase(half, items.end());
    }
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block) + 1, std::move(next));
    if (is_behind_all) return {place.block + 1, 0};
    if (place.item <= kMost / 2) return place;
    return {place.block + 1, place.item - kMost / 2};
  }

  // A block with few items, or none, joins the one before it if there is room.
  void Shrink(std::size_t number) {
    const auto block = blocks_.begin() + static_cast<std::ptrdiff_t>(number);
    auto& items = block->items;
    if (!items.empty()) {
      if (number == 0) return;
      auto& before = std::prev(block)->items;
      if (before.size() + items.size() > kMost / 2) return;
      before.insert(before.end(), std::move_iterator(items.begin()),
                    std::move_iterator(items.end()));
    }
    blocks_.erase(block);
  }

  std::vector<Block> blocks_;  // in the order of their items
  std::size_t size_ = 0;
};

// Where the items are keys.
struct ItemIsKey {
  template <class Key>
  const Key& operator()(const Key& key) const {
    return key;
  }
};
template <class Key>
using SortedKeys = SortedBlocks<Key, Key, ItemIsKey>;

}  // namespace gs
