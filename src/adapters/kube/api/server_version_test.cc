#include "adapters/kube/api/server_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::kube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Body(const std::string& major, const std::string& minor) {
  return R"({"major":")" + major + R"(","minor":")" + minor + R"(","gitVersion":"v)" + major + "." +
         minor + R"(.4","platform":"linux/amd64"})";
}

// Empty: it is fine.
std::string Refusal(const std::string& body) {
  const auto version = ParseServerVersion(body);
  if (!version) return ToString(version.error());
  const auto fine = CheckServerVersion(*version);
  return fine ? "" : ToString(fine.error());
}

TEST(ServerVersion, From130OnItIsFine) {
  EXPECT_EQ(Refusal(Body("1", "30")), "");
  EXPECT_EQ(Refusal(Body("1", "36")), "");
  EXPECT_EQ(Refusal(Body("2", "0")), "");
}

TEST(ServerVersion, AVendorsPlusIsNoPartOfTheNumber) {
  EXPECT_EQ(Refusal(Body("1", "30+")), "");
  EXPECT_EQ(Refusal(Body("1+", "31-gke")), "");
  EXPECT_NE(Refusal(Body("1", "29+")), "");
}

TEST(ServerVersion, AnOlderOneIsNamedWithWhatIsMissing) {
  EXPECT_THAT(Refusal(Body("1", "29")),
              AllOf(HasSubstr("the API server is v1.29.4, and 1.30 or newer is needed"),
                    HasSubstr("scheduling gates")));
  EXPECT_NE(Refusal(Body("0", "99")), "");
}

TEST(ServerVersion, WhatIsNoVersionIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("[]"), std::string("{}"), Body("", "30"), Body("1", "+30"),
        Body("one", "30"), Body("1", "99999999999999999999")}) {
    EXPECT_NE(Refusal(body), "") << body;
  }
}

}  // namespace
}  // namespace gs::kube
