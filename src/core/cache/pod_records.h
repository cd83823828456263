// PodRecords: all pods that have been seen, in the order of their UIDs. Read as a std::map from UID
// to record would be, and half as large: a record has its own UID and stays where it is.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "base/sorted_blocks.h"
#include "core/cache/pod_record.h"

namespace gs::cache {

class PodRecords {
  using Item = std::unique_ptr<PodRecord>;
  struct UidOf {
    const PodUid& operator()(const Item& record) const { return record->pod.ref.uid; }
  };
  using Blocks = SortedBlocks<Item, PodUid, UidOf>;

 public:
  struct Entry {
    const PodUid& first;
    const PodRecord& second;

    const Entry* operator->() const { return this; }
  };
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = Entry;
    using reference = Entry;

    Entry operator*() const { return {(*at_)->pod.ref.uid, **at_}; }
    Entry operator->() const { return **this; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend PodRecords;
    explicit Iterator(Blocks::const_iterator at) : at_(at) {}

    Blocks::const_iterator at_;
  };

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] Iterator begin() const { return Iterator(records_.begin()); }
  [[nodiscard]] Iterator end() const { return Iterator(records_.end()); }
  [[nodiscard]] Iterator find(const PodUid& uid) const { return Iterator(records_.find(uid)); }
  // Requires: it has been seen.
  [[nodiscard]] const PodRecord& at(const PodUid& uid) const {
    const PodRecord* record = Find(uid);
    GS_CHECK(record != nullptr);
    return *record;
  }

  // Null: it has not been seen.
  [[nodiscard]] const PodRecord* Find(const PodUid& uid) const {
    const Item* record = records_.Find(uid);
    return record == nullptr ? nullptr : record->get();
  }
  [[nodiscard]] PodRecord* Find(const PodUid& uid) {
    Item* record = records_.Find(uid);
    return record == nullptr ? nullptr : record->get();
  }
  // The record of that pod, and whether it is a new one, with nothing but the UID.
  std::pair<PodRecord&, bool> FindOrAdd(const PodUid& uid) {
    const auto [record, is_new] = records_.FindOrAdd(uid, [&uid] {
      auto made = std::make_unique<PodRecord>();
      made->pod.ref.uid = uid;
      return made;
    });
    return {*record, is_new};
  }
  // Null: it has not been seen.
  std::unique_ptr<const PodRecord> Take(const PodUid& uid) {
    return records_.Take(uid).value_or(nullptr);
  }

 private:
  Blocks records_;
};

}  // namespace gs::cache
