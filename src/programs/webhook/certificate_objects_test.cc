#include "programs/webhook/certificate_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/login/base64.h"

namespace gs::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CertificateSecret, AnEmptyOneIsOursToFill) {
  const auto secret = CertificateSecret::Parse(
      R"({"metadata":{"name":"s","resourceVersion":"7"},"type":"Opaque"})");
  ASSERT_TRUE(secret.ok()) << secret.error();
  EXPECT_FALSE(secret->is_filled());
  EXPECT_TRUE(secret->is_ours());
}

TEST(CertificateSecret, WhatWasWrittenIsReadBackAndIsOurs) {
  const auto empty = CertificateSecret::Parse(
      R"({"metadata":{"name":"s","resourceVersion":"7"},"data":{"next.key":"eA==","mine":"eA=="}})");
  ASSERT_TRUE(empty.ok()) << empty.error();
  const certificates::KeptCertificates kept{
      .serving = {"certificate", "key"}, .authorities_pem = "authorities", .next = {}};
  const std::string text = empty->With(kept);
  EXPECT_THAT(text, HasSubstr(R"("resourceVersion":"7")"));
  EXPECT_THAT(text, HasSubstr(R"("mine":"eA==")"));
  const auto filled = CertificateSecret::Parse(text);
  ASSERT_TRUE(filled.ok()) << filled.error();
  EXPECT_TRUE(filled->is_filled());
  EXPECT_TRUE(filled->is_ours());
  EXPECT_EQ(filled->kept(), kept);
}

TEST(CertificateSecret, WhatAnotherHasFilledIsNotOurs) {
  const auto secret = CertificateSecret::Parse(R"({"data":{"tls.crt":"eA==","tls.key":"eA=="}})");
  ASSERT_TRUE(secret.ok()) << secret.error();
  EXPECT_TRUE(secret->is_filled());
  EXPECT_FALSE(secret->is_ours());
}

TEST(CertificateSecret, NamesWhatCannotBeRead) {
  EXPECT_FALSE(CertificateSecret::Parse("[]").ok());
  const auto broken = CertificateSecret::Parse(R"({"data":{"tls.crt":"%"}})");
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(ToString(broken.error()), HasSubstr("data[tls.crt]"));
}

TEST(TrustConfiguration, TellsWhatAllItsWebhooksTrust) {
  const std::string one = kube::EncodeBase64("one");
  const auto same =
      ParseConfiguration(R"({"metadata":{"resourceVersion":"9"},"webhooks":[)"
                         R"({"clientConfig":{"caBundle":")" +
                         one + R"("}},{"clientConfig":{"caBundle":")" + one + R"("}}]})");
  ASSERT_TRUE(same.ok()) << same.error();
  EXPECT_EQ(same->common_pem(), "one");
  const auto differing = ParseConfiguration(R"({"webhooks":[{"clientConfig":{"caBundle":")" + one +
                                            R"("}},{"clientConfig":{}}]})");
  ASSERT_TRUE(differing.ok());
  EXPECT_THAT(differing->bundles_pem, ElementsAre("one", ""));
  EXPECT_EQ(differing->common_pem(), "");
}

TEST(TrustConfiguration, IsPatchedOnlyAsItWasRead) {
  EXPECT_EQ(TrustPatch({.resource_version = "9", .bundles_pem = {""}}, "ca"),
            R"([{"op":"test","path":"/metadata/resourceVersion","value":"9"},)"
            R"({"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"Y2E="}])");
}

}  // namespace
}  // namespace gs::webhook
