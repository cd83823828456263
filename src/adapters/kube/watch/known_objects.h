// KnownObjects: what has been told of one kind, and so what of a list or a watch is news.
//
// Pure. Nothing ever goes back: what is older than what is known is no news, and an object is gone
// only when its deletion was seen, when another object has its name, or when a complete list that
// is not older than anything told is without it. Versions that cannot be compared count as newer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/kube/watch/object_meta.h"
#include "base/ids.h"
#include "base/sorted_blocks.h"

namespace gs::kube {

class KnownObjects {
 public:
  // What to tell because of one object: first that `gone` is gone, then the object itself.
  struct News {
    std::optional<ObjectMeta> gone;
    bool is_object_news = false;

    friend bool operator==(const News&, const News&) = default;
  };

  // A list of that version begins; one that was not ended is forgotten. False: the list is older
  // than what was told, so nothing of it may be used.
  [[nodiscard]] bool BeginList(const ResourceVersion& version);
  // It is part of the list, or of a watch: see Watched.
  [[nodiscard]] News Note(const ObjectMeta& object);
  // The list was complete: which objects are gone, in the order of their keys.
  [[nodiscard]] std::vector<ObjectMeta> EndList(const ResourceVersion& version);

  // Frames of a watch that goes on from reached(). Each moves it.
  [[nodiscard]] News Watched(const ObjectMeta& object);
  [[nodiscard]] std::optional<ObjectMeta> Deleted(const ObjectMeta& object);
  // False: it is older than what was reached.
  [[nodiscard]] bool Bookmarked(const ResourceVersion& version);

  // The object's text could be told. What was never told is never gone either.
  void MarkTold(const ObjectKey& key);
  // It is not to be told any more: what was told of it until now, if anything was.
  [[nodiscard]] std::optional<ObjectMeta> Untell(const ObjectKey& key);

  // There are none any more: what was told of until now, in the order of their keys.
  [[nodiscard]] std::vector<ObjectMeta> Clear();

  // Whether a state of that version is older than what was told of one.
  [[nodiscard]] bool IsBehind(const ResourceVersion& version) const;

  // All that happened up to this version is known; empty before the first complete list.
  [[nodiscard]] const ResourceVersion& reached() const { return reached_; }

 private:
  struct Known {
    ObjectMeta meta;
    std::uint32_t list : 31 = 0;  // the last one when it was listed or watched
    std::uint32_t is_told : 1 = 0;

    // If it was told of.
    [[nodiscard]] std::optional<ObjectMeta> TakeTold();
  };
  struct KeyOf {
    const ObjectKey& operator()(const Known& known) const { return known.meta.key; }
  };

  void Reach(const ResourceVersion& version);

  SortedBlocks<Known, ObjectKey, KeyOf> objects_;
  std::uint32_t list_ = 0;   // counts lists
  ResourceVersion newest_;   // no list that is older may be used
  ResourceVersion reached_;  // where a watch goes on
};

}  // namespace gs::kube
