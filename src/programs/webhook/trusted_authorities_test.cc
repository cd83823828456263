#include "programs/webhook/trusted_authorities.h"

#include <gtest/gtest.h>

#include "adapters/certificates/authority.h"

namespace gs::webhook {
namespace {

using std::chrono::minutes;

const TimePoint kStart = *ParseTime("2030-01-01T00:00:00Z");

std::string MakeAuthority() {
  return certificates::Authority::Create("ca", 1)->own().certificate_pem;
}

TEST(TrustedAuthorities, ANewOneIsAddedBeforeTheOldOneGoes) {
  const std::string old = MakeAuthority();
  const std::string made = MakeAuthority();
  TrustedAuthorities trusted(minutes(60));
  EXPECT_EQ(trusted.Next(old, made, kStart), old + made);
  EXPECT_EQ(trusted.Next(old + made, made, kStart + minutes(59)), old + made);
  EXPECT_EQ(trusted.Next(old + made, made, kStart + minutes(60)), made);
  EXPECT_EQ(trusted.Next(made, made, kStart + minutes(61)), made);
}

TEST(TrustedAuthorities, OneThatComesLaterStaysForItsOwnTime) {
  const std::string wanted = MakeAuthority();
  const std::string first = MakeAuthority();
  const std::string both = wanted + first + MakeAuthority();
  TrustedAuthorities trusted(minutes(60));
  EXPECT_EQ(trusted.Next(wanted + first, wanted, kStart), wanted + first);
  EXPECT_EQ(trusted.Next(both, wanted, kStart + minutes(59)), both);
  EXPECT_EQ(trusted.Next(both, wanted, kStart + minutes(118)), both);
  EXPECT_EQ(trusted.Next(both, wanted, kStart + minutes(119)), wanted);
}

TEST(TrustedAuthorities, WhatIsNoCertificateIsReplacedAtOnce) {
  const std::string wanted = MakeAuthority();
  TrustedAuthorities trusted(minutes(60));
  EXPECT_EQ(trusted.Next("", wanted, kStart), wanted);
  EXPECT_EQ(trusted.Next("no certificate", wanted, kStart), wanted);
}

TEST(JoinBundles, HasEachCertificateOnceWhateverTheLinesEndWith) {
  const std::string first = MakeAuthority();
  const std::string second = MakeAuthority();
  const std::string without_end = first.substr(0, first.size() - 1);
  EXPECT_EQ(JoinBundles(without_end, second + first), first + second);
  EXPECT_EQ(JoinBundles("", ""), "");
}

}  // namespace
}  // namespace gs::webhook
