#include "base/sorted_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace gs {
namespace {

struct Entry {
  int key = 0;
  int value = 0;
};
struct KeyOfEntry {
  int operator()(const std::unique_ptr<Entry>& entry) const { return entry->key; }
};
using Entries = SortedBlocks<std::unique_ptr<Entry>, int, KeyOfEntry>;

void Set(Entries& entries, int key, int value) {
  const auto [entry, is_new] =
      entries.FindOrAdd(key, [&] { return std::make_unique<Entry>(Entry{.key = key}); });
  entry->value = value;
}

void ExpectSame(const Entries& entries, const std::map<int, int>& expected) {
  std::vector<std::pair<int, int>> found;
  for (const auto& entry : entries) found.emplace_back(entry->key, entry->value);
  const std::vector<std::pair<int, int>> wanted(expected.begin(), expected.end());
  RC_ASSERT(found == wanted);
  RC_ASSERT(entries.size() == expected.size());
  RC_ASSERT(entries.empty() == expected.empty());
  std::vector<std::pair<int, int>> backwards;
  for (auto at = entries.end(); at != entries.begin();) {
    --at;
    backwards.emplace_back((*at)->key, (*at)->value);
  }
  RC_ASSERT(backwards == std::vector(wanted.rbegin(), wanted.rend()));
}

// Runs of keys in order, single ones, and removals of both kinds, beside a map.
RC_GTEST_PROP(SortedBlocks, HoldsWhatAMapWouldHold, ()) {
  Entries entries;
  std::map<int, int> expected;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const int first = *rc::gen::inRange(0, 400);
    const int count = *rc::gen::element(1, 1, 10, 100);
    const int what = *rc::gen::inRange(0, 5);
    if (what == 4) {
      const int remainder = *rc::gen::inRange(0, 5);
      const auto is_it = [&](int key) { return key % 5 == remainder; };
      entries.EraseIf([&](const auto& entry) { return is_it(entry->key); });
      std::erase_if(expected, [&](const auto& entry) { return is_it(entry.first); });
    }
    for (int key = first; what < 4 && key < first + count; ++key) {
      if (what < 2) {
        Set(entries, key, step);
        expected[key] = step;
      } else {
        RC_ASSERT(entries.Erase(key) == (expected.erase(key) == 1));
      }
    }
    ExpectSame(entries, expected);
    for (int key = 0; key < 500; key += 7) {
      const bool is_there = expected.contains(key);
      RC_ASSERT(entries.contains(key) == is_there);
      RC_ASSERT((entries.find(key) != entries.end()) == is_there);
      if (is_there) RC_ASSERT((*entries.Find(key))->value == expected[key]);
    }
  }
}

TEST(SortedBlocks, MayHoldTheKeysThemselves) {
  SortedKeys<int> keys;
  for (const int key : {5, 3, 9, 3}) keys.FindOrAdd(key, [key] { return key; });
  EXPECT_EQ(std::vector<int>(keys.begin(), keys.end()), (std::vector{3, 5, 9}));
  EXPECT_TRUE(keys.Erase(5));
  EXPECT_FALSE(keys.Erase(5));
  EXPECT_EQ(std::vector<int>(keys.begin(), keys.end()), (std::vector{3, 9}));
  EXPECT_EQ(keys.find(4), keys.end());
}

}  // namespace
}  // namespace gs
