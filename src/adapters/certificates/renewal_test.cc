#include "adapters/certificates/renewal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/certificates/inspect.h"

namespace gs::certificates {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

const TimePoint kStart = *ParseTime("2030-01-01T00:00:00Z");
const RenewalOptions kOptions{.name = "hook",
                              .alternative = "DNS:hook.team.svc",
                              .host = "hook.team.svc",
                              .lifetime = minutes(1)};

// What is kept after one step, which has to be a change.
KeptCertificates Step(const KeptCertificates& kept, TimePoint now, const std::string& told = "") {
  const auto after = Renew(kept, told, kOptions, now);
  EXPECT_TRUE(after.ok() && after->has_value());
  return after.ok() ? after->value_or(KeptCertificates{}) : KeptCertificates{};
}

bool IsAtRest(const KeptCertificates& kept, TimePoint now, const std::string& told = "") {
  const auto after = Renew(kept, told, kOptions, now);
  return after.ok() && !after->has_value();
}

std::string WhyBad(const Certificate& serving, const std::string& authorities,
                   const std::string& host, TimePoint now) {
  const auto fine = CheckServing(serving, authorities, host, now);
  return fine ? "" : ToString(fine.error());
}

TEST(Renewal, MakesTheFirstCertificate) {
  const auto kept = Step({}, kStart);
  EXPECT_EQ(WhyBad(kept.serving, kept.authorities_pem, "hook.team.svc", kStart), "");
  EXPECT_TRUE(IsAtRest(kept, kStart));
  EXPECT_TRUE(IsAtRest(kept, kStart + seconds(29)));
}

TEST(Renewal, TellsTheNextAuthorityBeforeItsCertificateIsShown) {
  const auto first = Step({}, kStart);
  const auto prepared = Step(first, kStart + seconds(30));
  EXPECT_EQ(prepared.serving, first.serving);
  EXPECT_EQ(SplitBundle(prepared.authorities_pem).size(), 2U);
  EXPECT_THAT(prepared.authorities_pem, HasSubstr(first.authorities_pem));

  // Clients know it, but only just; or have had time, but were never told.
  EXPECT_TRUE(IsAtRest(prepared, kStart + seconds(34), prepared.authorities_pem));
  EXPECT_TRUE(IsAtRest(prepared, kStart + seconds(40), first.authorities_pem));

  const auto shown = Step(prepared, kStart + seconds(35), prepared.authorities_pem);
  EXPECT_EQ(shown.serving, prepared.next);
  EXPECT_EQ(shown.authorities_pem, prepared.authorities_pem);
  EXPECT_TRUE(shown.next.certificate_pem.empty());

  const auto again = Step(shown, kStart + seconds(61));
  EXPECT_EQ(SplitBundle(again.authorities_pem).size(), 2U) << "the first one is forgotten";
  EXPECT_EQ(again.authorities_pem.find(first.authorities_pem), std::string::npos);
}

TEST(Renewal, EveryStepIsTrustedByClientsThatAreOneStepBehind) {
  KeptCertificates kept = Step({}, kStart);
  std::string told = kept.authorities_pem;
  for (TimePoint now = kStart; now < kStart + minutes(10); now += seconds(2)) {
    const auto after = Renew(kept, told, kOptions, now);
    ASSERT_TRUE(after.ok());
    const std::string told_before = told;
    told = kept.authorities_pem;
    if (after->has_value()) kept = **after;
    ASSERT_EQ(WhyBad(kept.serving, told_before, "hook.team.svc", now), "");
  }
}

TEST(Renewal, AnExpiredCertificateIsReplacedAtOnce) {
  const auto first = Step({}, kStart);
  const auto late = Step(first, kStart + minutes(2));
  EXPECT_EQ(WhyBad(late.serving, late.authorities_pem, "hook.team.svc", kStart + minutes(2)), "");
  const auto prepared = Step(first, kStart + seconds(59));
  const auto forced = Step(prepared, kStart + seconds(61));
  EXPECT_EQ(forced.serving, prepared.next);
}

TEST(Renewal, WhatIsKeptForAnotherNameIsReplaced) {
  auto kept = Step({}, kStart);
  auto other = kOptions;
  other.alternative = "DNS:hook.other.svc";
  other.host = "hook.other.svc";
  const auto after = Renew(kept, "", other, kStart);
  ASSERT_TRUE(after.ok() && after->has_value());
  EXPECT_EQ(WhyBad((*after)->serving, (*after)->authorities_pem, "hook.other.svc", kStart), "");
}

TEST(Renewal, OverlapsForAnHourAtMost) {
  EXPECT_EQ(OverlapOf(hours(24 * 90)), hours(1));
  EXPECT_EQ(OverlapOf(minutes(1)), seconds(5));
}

TEST(CheckServing, SaysWhatIsWrong) {
  const auto one = Step({}, kStart);
  const auto two = Step({}, kStart);
  const auto* host = "hook.team.svc";
  EXPECT_THAT(WhyBad({"nonsense", ""}, "", host, kStart), HasSubstr("no certificate"));
  EXPECT_THAT(WhyBad({one.serving.certificate_pem, two.serving.key_pem}, "", host, kStart),
              HasSubstr("key does not belong"));
  EXPECT_THAT(WhyBad(one.serving, "", "hook.other.svc", kStart), HasSubstr("not for hook.other"));
  EXPECT_THAT(WhyBad(one.serving, "", host, kStart + minutes(2)), HasSubstr("has expired on 2030"));
  EXPECT_THAT(WhyBad(one.serving, "", host, kStart - hours(48)), HasSubstr("is valid from"));
  EXPECT_THAT(WhyBad(one.serving, two.authorities_pem, host, kStart), HasSubstr("vouches"));
  EXPECT_EQ(WhyBad(one.serving, two.authorities_pem + one.authorities_pem, host, kStart), "");
}

}  // namespace
}  // namespace gs::certificates
