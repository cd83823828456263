#include "adapters/certificates/authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::certificates {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Authority, IssuesCertificatesWithTheirKeys) {
  const auto authority = Authority::Create("test", 1);
  ASSERT_TRUE(authority.ok());
  EXPECT_THAT(authority->own().certificate_pem, StartsWith("-----BEGIN CERTIFICATE-----"));
  const auto issued = authority->Issue({.name = "admin",
                                        .organizations = {"system:masters"},
                                        .alternative = "DNS:localhost,IP:127.0.0.1"});
  ASSERT_TRUE(issued.ok());
  EXPECT_THAT(issued->certificate_pem, StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_THAT(issued->key_pem, HasSubstr("PRIVATE KEY"));
}

TEST(Authority, CanBeLoadedAgain) {
  const auto first = Authority::Create("test", 1);
  const auto again = Authority::Load(first->own().certificate_pem, first->own().key_pem);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->own().certificate_pem, first->own().certificate_pem);
  EXPECT_TRUE(again->Issue({.name = "x"}).ok());
}

TEST(Authority, RefusesAKeyOfAnother) {
  const auto one = Authority::Create("one", 1);
  const auto two = Authority::Create("two", 1);
  EXPECT_FALSE(Authority::Load(one->own().certificate_pem, two->own().key_pem).ok());
  EXPECT_FALSE(Authority::Load("nonsense", one->own().key_pem).ok());
}

TEST(Authority, RefusesNamesThatAreNone) {
  const auto authority = Authority::Create("test", 1);
  EXPECT_FALSE(authority->Issue({.name = "x", .alternative = "IP:not-an-address"}).ok());
}

}  // namespace
}  // namespace gs::certificates
