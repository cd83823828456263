#include "base/quoted.h"

#include <gtest/gtest.h>

namespace gs::text {
namespace {

TEST(Quoted, EscapesWhatWouldBreakALine) {
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("GPU-a"), "\"GPU-a\"");
  EXPECT_EQ(Quoted("a\n\t\"\\\x01\x1f"), R"("a\n\t\"\\\u0001\u001f")");
}

TEST(Quoted, ShortensBetweenLetters) {
  EXPECT_EQ(Quoted(std::string(38, 'x')), "\"" + std::string(38, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(39, 'x')), "\"" + std::string(39, 'x') + "...");
  EXPECT_EQ(Quoted(std::string(38, 'x') + "ü"), "\"" + std::string(38, 'x') + "...");
}

}  // namespace
}  // namespace gs::text
