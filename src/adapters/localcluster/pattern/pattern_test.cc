#include "adapters/localcluster/pattern/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::localcluster {
namespace {

bool IsFound(const std::string& pattern, const std::string& text) {
  const auto compiled = Pattern::Compile(pattern);
  EXPECT_TRUE(compiled.ok()) << compiled.error();
  return compiled.ok() && compiled->IsFoundIn(text).value();
}

TEST(Pattern, IsSoughtAnywhereUnlessAnchored) {
  EXPECT_TRUE(IsFound("b+", "abbc"));
  EXPECT_FALSE(IsFound("^b+$", "abbc"));
  EXPECT_TRUE(IsFound("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "nvlink-4"));
  EXPECT_FALSE(IsFound("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "-nvlink"));
  EXPECT_TRUE(IsFound("^(?:a|b)$", "b"));
}

TEST(Pattern, AnchorsMeanTheWholeText) { EXPECT_FALSE(IsFound("^b$", "a\nb")); }

TEST(Pattern, RefusesWhatTheServerRefuses) {
  EXPECT_FALSE(Pattern::Compile("(").ok());
  EXPECT_FALSE(Pattern::Compile("a**").ok());
  EXPECT_FALSE(Pattern::Compile("(?=a)").ok());
  EXPECT_FALSE(Pattern::Compile(R"((a)\1)").ok());
  EXPECT_TRUE(Pattern::Compile(R"(\\1)").ok());
}

TEST(Pattern, GivesUpInsteadOfRunningForEver) {
  const auto compiled = Pattern::Compile("^(a+)+$");
  ASSERT_TRUE(compiled.ok());
  const auto found = compiled->IsFoundIn(std::string(200, 'a') + "b");
  EXPECT_TRUE(!found.ok() || !*found);
}

}  // namespace
}  // namespace gs::localcluster
