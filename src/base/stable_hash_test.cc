#include "base/stable_hash.h"

#include <gtest/gtest.h>

namespace gs {
namespace {

// Published test vectors: these values must never change.
TEST(StableHash, IsFnv1aWith64Bits) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8U);
}

TEST(StableHash, PrintsSixteenDigits) {
  EXPECT_EQ(StableHashHex("foobar"), "85944171f73967e8");
  EXPECT_EQ(StableHashHex("").size(), 16U);
}

}  // namespace
}  // namespace gs
