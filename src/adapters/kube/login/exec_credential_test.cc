#include "adapters/kube/login/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

constexpr auto kV1 = "client.authentication.k8s.io/v1";

ExecPlugin Plugin() {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  plugin.command = "get-token";
  plugin.env = {{"REGION", "north"}};
  return plugin;
}

std::string Answer(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
         status + "}";
}

TEST(ExecCredential, AsksInTheVersionOfThePlugin) {
  EXPECT_EQ(ExecQuestion(Plugin(), {.server = "https://x"}),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
}

TEST(ExecCredential, TellsAboutTheClusterWhereThePluginWantsIt) {
  ExecPlugin plugin = Plugin();
  plugin.provides_cluster_info = true;
  plugin.cluster_config_json = R"({"audience":"abc"})";
  const ExecCluster cluster{.server = "https://x", .tls_server_name = "kube", .ca_pem = "CA"};
  EXPECT_THAT(ExecQuestion(plugin, cluster),
              HasSubstr(R"("cluster":{"server":"https://x","tls-server-name":"kube",)"
                        R"("certificate-authority-data":"Q0E=","config":{"audience":"abc"}})"));
  EXPECT_THAT(ExecQuestion(plugin, {.server = "https://x", .is_server_verified = false}),
              HasSubstr(R"("insecure-skip-tls-verify":true)"));
}

TEST(ExecCredential, ReadsTokenCertificateAndExpiry) {
  const auto answer =
      ParseExecAnswer(Answer(R"({"token":"t","clientCertificateData":"CERT","clientKeyData":"KEY",
                 "expirationTimestamp":"2026-01-01T00:00:00Z"})"),
                      kV1);
  ASSERT_TRUE(answer.ok()) << answer.error();
  EXPECT_EQ(*answer, (ExecAnswer{"t", "CERT", "KEY", *ParseTime("2026-01-01T00:00:00Z")}));
}

TEST(ExecCredential, RefusesAnswersThatAreNone) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "its answer: is no JSON"},
      {"{}", "kind: expected ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"v2","status":{"token":"t"}})",
       "apiVersion: expected"},
      {Answer("null"), "status: has neither"},
      {Answer(R"({"token":7})"), "status.token: expected text"},
      {Answer(R"({"clientKeyData":"k"})"), "one is missing"},
      {Answer(R"({"token":"t","expirationTimestamp":"soon"})"), "status.expirationTimestamp: "},
  };
  for (const auto& [text, message] : cases) {
    const auto answer = ParseExecAnswer(text, kV1);
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_THAT(ToString(answer.error()), HasSubstr(message)) << text;
  }
}

TEST(ExecCredential, RefusesPluginsThatCannotWork) {
  ExecPlugin old = Plugin();
  old.api_version = "client.authentication.k8s.io/v1alpha1";
  EXPECT_THAT(ToString(CheckExecPlugin(old).error()), HasSubstr("v1alpha1\" is not offered; use"));
  ExecPlugin interactive = Plugin();
  interactive.interactive_mode = InteractiveMode::kAlways;
  EXPECT_THAT(ToString(CheckExecPlugin(interactive).error()), HasSubstr("needs a terminal"));
}

TEST(ExecCredential, GivesTheQuestionInTheEnvironment) {
  ProcessCall seen;
  const auto answer =
      AskExecPlugin(Plugin(), {}, [&](const ProcessCall& call) -> Result<ProcessEnd> {
        seen = call;
        return ProcessEnd{
            .exit_code = 0, .stdout_text = Answer(R"({"token":"t"})"), .stderr_text = ""};
      });
  ASSERT_TRUE(answer.ok()) << answer.error();
  EXPECT_EQ(answer->token, "t");
  ASSERT_EQ(seen.env.size(), 2U);
  EXPECT_EQ(seen.env[1].first, "KUBERNETES_EXEC_INFO");
  EXPECT_EQ(seen.env[1].second, ExecQuestion(Plugin(), {}));
}

TEST(ExecCredential, SaysWhatThePluginComplainedAbout) {
  const auto failed = AskExecPlugin(Plugin(), {}, [](const ProcessCall&) -> Result<ProcessEnd> {
    return ProcessEnd{.exit_code = 3, .stdout_text = "", .stderr_text = "log in first\n"};
  });
  EXPECT_THAT(ToString(failed.error()),
              HasSubstr(R"(exec plugin "get-token": ended with code 3: log in first)"));
  ExecPlugin plugin = Plugin();
  plugin.install_hint = "install it with apt";
  const auto missing = AskExecPlugin(plugin, {}, [](const ProcessCall&) -> Result<ProcessEnd> {
    return Error(ErrorKind::kNotFound, "cannot be started");
  });
  EXPECT_EQ(missing.error().advice(), "install it with apt");
}

}  // namespace
}  // namespace gs::kube
