// RareList: a list that is empty in most objects. As large as a pointer, copied with its object.
// Items are added or all replaced; they never change where they lie.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/model/rare.h"

namespace gs::model {

template <class Item>
class RareList {
 public:
  using value_type = Item;
  using const_iterator = typename std::vector<Item>::const_iterator;
  using iterator = const_iterator;

  RareList() = default;
  RareList(std::vector<Item> items)  // NOLINT(google-explicit-constructor): it is that list
      : items_(std::move(items)) {}
  RareList(std::initializer_list<Item> items) : items_(std::vector<Item>(items)) {}

  [[nodiscard]] const_iterator begin() const { return items().begin(); }
  [[nodiscard]] const_iterator end() const { return items().end(); }
  [[nodiscard]] std::size_t size() const { return items().size(); }
  [[nodiscard]] bool empty() const { return items().empty(); }
  [[nodiscard]] const std::vector<Item>& items() const { return *items_; }

  void push_back(Item item) { items_->push_back(std::move(item)); }
  void clear() { items_ = Rare<std::vector<Item>>(); }

  friend bool operator==(const RareList&, const RareList&) = default;

 private:
  Rare<std::vector<Item>> items_;
};

}  // namespace gs::model
