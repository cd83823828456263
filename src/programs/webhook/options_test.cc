#include "programs/webhook/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::webhook {
namespace {

using testing::HasSubstr;

WebhookOptions OptionsOf(const std::vector<std::string>& args) {
  const auto command = ParseCommandLine(args, "1.2.3");
  EXPECT_TRUE(command.ok()) << command.error();
  return command ? std::get<WebhookOptions>(*command) : WebhookOptions{};
}

std::string RefusalOf(const std::vector<std::string>& args) {
  const auto command = ParseCommandLine(args, "1.2.3");
  return command ? "" : ToString(command.error());
}

TEST(WebhookOptions, HaveDefaultsForEverything) {
  const auto options = OptionsOf({});
  EXPECT_EQ(options.policy.scheduler, SchedulerName("gpu-scheduler"));
  EXPECT_EQ(options.policy.handover, admit::Handover::kEnv);
  EXPECT_EQ(options.policy.taint, "nvidia.com/gpu");
  EXPECT_EQ(options.listen.port, 8443);
  EXPECT_EQ(options.certificates.mode, CertificateMode::kAuto);
  EXPECT_EQ(options.certificates.service, "gpu-scheduler-webhook");
  EXPECT_EQ(options.certificates.lifetime, std::chrono::hours(2160));
}

TEST(WebhookOptions, ReadWhatIsWritten) {
  const auto options =
      OptionsOf({"--handover", "uuid", "--gpu-taint", "", "--certificates", "cert-manager",
                 "--secret", "mine", "--namespace", "team", "--listen", "127.0.0.1:9443"});
  EXPECT_EQ(options.policy.handover, admit::Handover::kUuid);
  EXPECT_EQ(options.policy.taint, "");
  EXPECT_EQ(options.certificates.mode, CertificateMode::kCertManager);
  EXPECT_EQ(options.certificates.secret, "mine");
  EXPECT_EQ(options.certificates.ns, Namespace("team"));
  EXPECT_EQ(options.listen.address, "127.0.0.1");
}

TEST(WebhookOptions, RefuseWithTheFlagAndWhatWouldDo) {
  EXPECT_THAT(RefusalOf({"--handover", "luck"}), HasSubstr("--handover: \"luck\" is none"));
  EXPECT_THAT(RefusalOf({"--certificates", "paper"}), HasSubstr("cert-manager"));
  EXPECT_THAT(RefusalOf({"--listen", "8443"}), HasSubstr("--listen"));
  EXPECT_THAT(RefusalOf({"--certificate-lifetime", "1s"}), HasSubstr("from 30s"));
  EXPECT_THAT(RefusalOf({"--service", "Not_A_Name"}), HasSubstr("--service"));
  EXPECT_THAT(RefusalOf({"--ca-bundle", "%"}), HasSubstr("--ca-bundle"));
  EXPECT_THAT(RefusalOf({"--ca-bundle", "LS0t"}), HasSubstr("has no certificate in it"));
  EXPECT_THAT(RefusalOf({"--certificates", "folder"}), HasSubstr("--certificate-folder"));
  EXPECT_THAT(RefusalOf({"--certificate-folder", "/certs"}), HasSubstr("--certificate-folder"));
  EXPECT_THAT(RefusalOf({"--nonsense"}), HasSubstr("gpu-scheduler-webhook --help"));
}

TEST(WebhookOptions, ShowHelpAndVersion) {
  const auto version = ParseCommandLine({"--version"}, "1.2.3");
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(std::get<ShowText>(*version).text, "gpu-scheduler-webhook 1.2.3\n");
  const auto help = ParseCommandLine({"--help"}, "1.2.3");
  ASSERT_TRUE(help.ok());
  EXPECT_THAT(std::get<ShowText>(*help).text, HasSubstr("(default 2160h)"));
}

}  // namespace
}  // namespace gs::webhook
