#include "base/shared_text.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gs {
namespace {

TEST(SharedText, IsAsLargeAsAPointerAndCopiesShareTheText) {
  EXPECT_EQ(sizeof(SharedText), sizeof(void*));
  const SharedText text("node-a");
  const SharedText copy = text;  // NOLINT(performance-unnecessary-copy-initialization): the point
  EXPECT_EQ(copy.view().data(), text.view().data());
  EXPECT_TRUE(copy.IsSameCopy(text));
}

TEST(SharedText, ComparesByTheText) {
  EXPECT_EQ(SharedText("a"), SharedText(std::string("a")));
  EXPECT_FALSE(SharedText("a").IsSameCopy(SharedText("a")));
  EXPECT_LT(SharedText("a"), SharedText("b"));
  EXPECT_LT(SharedText(), SharedText("a"));
  EXPECT_EQ(SharedText(), SharedText(""));
}

TEST(SharedText, ThatWasMovedFromIsEmpty) {
  SharedText from("a");
  const SharedText to = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): what the test is about
  EXPECT_EQ(to.text(), "a");
}

TEST(SharedText, OutlivesTheCopyItCameFrom) {
  SharedText kept;
  {
    const SharedText first("longer than what fits into a string itself");
    kept = first;
    kept = *&kept;
  }
  EXPECT_EQ(kept.text(), "longer than what fits into a string itself");
}

TEST(SharedText, MayBeCopiedByManyThreads) {
  const SharedText text("longer than what fits into a string itself");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = text] {
      for (int turn = 0; turn < 1'000; ++turn) {
        SharedText mine = copy;
        EXPECT_FALSE(mine.empty());
      }
    });
  }
}

}  // namespace
}  // namespace gs
