// Who we are, changing while the program runs: tokens that are replaced and revoked, certificates
// that expire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "adapters/http/server.h"
#include "adapters/http/test_certificates.h"
#include "adapters/json/parse.h"
#include "adapters/kube/login/exec_credential.h"
#include "tests/cluster_client/plane_test.h"

namespace gs::testing {
namespace {

using http::Method;
using model::WriteOutcome;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr kube::Resource kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews", false};

class LoginFaultsTest : public PlaneTest {
 protected:
  void SetUp() override {
    PlaneTest::SetUp();
    if (IsSkipped()) return;
    folder_ = std::filesystem::temp_directory_path() / ns_.text();
    std::filesystem::create_directory(folder_);
    nobody_ = settings_;
    nobody_.client_certificate_pem.clear();
    nobody_.client_key_pem.clear();
  }
  void TearDown() override {
    PlaneTest::TearDown();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::filesystem::path File(const std::string& name) const { return folder_ / name; }
  void WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(File(name)) << text;
  }

  // A token of that service account, which is made for it.
  std::string MakeToken(const std::string& account) {
    const auto made = Create(*direct_, kServiceAccounts, {{"metadata", {{"name", account}}}});
    EXPECT_EQ(made.answer.outcome, WriteOutcome::kDone) << made.answer.reason;
    const auto reply = kube::Write(
        *direct_, kube::PostRequest({kServiceAccounts, ns_, account, "token"}, R"({"spec":{}})"));
    EXPECT_EQ(reply.answer.outcome, WriteOutcome::kDone) << reply.answer.reason;
    if (reply.answer.outcome != WriteOutcome::kDone) return "";
    return std::string(json::ParseJson(reply.body)->at("status").at("token").as_string());
  }
  void Revoke(const std::string& account) {
    const auto reply =
        kube::Write(*direct_, kube::DeleteRequest({kServiceAccounts, ns_, account}, {}));
    EXPECT_EQ(reply.answer.outcome, WriteOutcome::kDone) << reply.answer.reason;
  }

  // Whom the API server takes the client for; else what it says instead.
  static std::string WhoAmI(kube::ApiClient& client) {
    const auto outcome = client.Send({.method = Method::kPost,
                                      .target = kube::CollectionPath(kSelfReviews, Namespace()),
                                      .headers = {{"Content-Type", "application/json"}},
                                      .body = "{}"});
    if (const Error* error = http::ErrorOf(outcome)) return ToString(*error);
    const auto& response = std::get<http::Response>(outcome);
    if (response.status != 201) return std::to_string(response.status);
    const auto body = *json::ParseJson(response.body);
    return std::string(body.at("status").at("userInfo").at("username").as_string());
  }
  // An API server believes what it has seen of a service account for some time.
  static bool BecomesRefused(kube::ApiClient& client) {
    return Eventually([&client] { return WhoAmI(client) == "401"; }, seconds(60));
  }
  [[nodiscard]] std::string NameOf(const std::string& account) const {
    return "system:serviceaccount:" + ns_.text() + ":" + account;
  }

  // A client certificate of the plane's authority.
  [[nodiscard]] http::TlsCredentials Certificate(const std::string& name, int valid_seconds) const {
    const http::TestAuthority authority(*kube::ReadFile(plane_ / "pki" / "ca.crt"),
                                        *kube::ReadFile(plane_ / "pki" / "ca.key"));
    return authority.Issue({.name = name,
                            .alternative = "",
                            .valid_until_days = 0,
                            .valid_until_seconds = valid_seconds});
  }

  // What an exec plugin prints.
  static std::string Credential(const http::TlsCredentials& credentials) {
    return boost::json::serialize(
        boost::json::object{{"apiVersion", "client.authentication.k8s.io/v1"},
                            {"kind", "ExecCredential"},
                            {"status",
                             {{"clientCertificateData", credentials.certificate_pem},
                              {"clientKeyData", credentials.key_pem}}}});
  }

  kube::ConnectionSettings nobody_;  // the plane, without credentials
  std::filesystem::path folder_;
};

TEST_F(LoginFaultsTest, ATokenFileIsReadAgainWhenItIsOldAndWhenItsTokenIsRefused) {
  kube::ConnectionSettings settings = nobody_;
  settings.login = kube::TokenFile{File("token")};
  runtime::ManualClock clock(clock_.WallTime());
  auto login = kube::MakeLoginSource(settings, kube::ReadFile, kube::RunProcess);
  const auto client = *kube::ApiClient::Create(threads_, settings, std::move(login), clock);

  WriteFile("token", MakeToken("first"));
  EXPECT_EQ(WhoAmI(*client), NameOf("first"));
  WriteFile("token", MakeToken("second"));
  clock.Advance(std::chrono::minutes(2));
  EXPECT_EQ(WhoAmI(*client), NameOf("second"));

  const std::string revoked = MakeToken("third");
  Revoke("third");
  WriteFile("token", revoked);
  clock.Advance(std::chrono::minutes(2));
  EXPECT_TRUE(BecomesRefused(*client));
  WriteFile("token", MakeToken("fourth"));
  EXPECT_EQ(WhoAmI(*client), NameOf("fourth"));  // although no time has passed
}

TEST_F(LoginFaultsTest, AWriteWithATokenThatIsRefusedIsNotExecuted) {
  kube::ConnectionSettings settings = nobody_;
  settings.login = kube::FixedToken{MakeToken("gone")};
  Revoke("gone");
  const auto client = ClientOf(settings);
  ASSERT_TRUE(BecomesRefused(*client));
  const auto reply = Create(*client, kConfigMaps, {{"metadata", {{"name", "c"}}}});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_THAT(reply.answer.reason, HasSubstr("401"));
}

TEST_F(LoginFaultsTest, ACertificateThatExpiresIsRefusedAndAPluginBringsAFreshOne) {
  kube::ConnectionSettings settings = nobody_;
  settings.login = kube::ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                    .command = "cat",
                                    .args = {File("credential").string()},
                                    .env = {},
                                    .install_hint = "",
                                    .cluster_config_json = "",
                                    .interactive_mode = kube::InteractiveMode::kNever};
  const auto client = ClientOf(settings);
  WriteFile("credential", Credential(Certificate("short", 3)));
  EXPECT_EQ(WhoAmI(*client), "short");

  WriteFile("credential", Credential(Certificate("fresh", 600)));
  std::string last;
  EXPECT_TRUE(Eventually([&] { return (last = WhoAmI(*client)) != "short"; }, seconds(30)));
  EXPECT_EQ(last, "401");
  EXPECT_EQ(WhoAmI(*client), "fresh");
}

TEST_F(LoginFaultsTest, AnExpiredCertificateWithoutAPluginStaysRefused) {
  kube::ConnectionSettings settings = nobody_;
  const auto expired = Certificate("old", -60);
  settings.client_certificate_pem = expired.certificate_pem;
  settings.client_key_pem = expired.key_pem;
  const auto client = ClientOf(settings);
  const auto reply = Create(*client, kConfigMaps, {{"metadata", {{"name", "c"}}}});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_THAT(reply.answer.reason, HasSubstr("401"));
}

TEST_F(LoginFaultsTest, AServerWithAnExpiredCertificateIsNotTalkedTo) {
  const http::TestAuthority authority("authority");
  const http::ServerTls tls{.credentials = authority.Issue({.name = "server",
                                                            .alternative = "IP:127.0.0.1",
                                                            .valid_from_days = -2,
                                                            .valid_until_days = -1})};
  const auto server = *http::Server::Start(
      threads_, {.tls = tls},
      [](http::Request) -> boost::asio::awaitable<http::Reply> { co_return http::Response{}; });
  kube::ConnectionSettings settings;
  settings.server = "https://127.0.0.1:" + std::to_string(server->port());
  settings.ca_pem = authority.pem();
  const auto client = ClientOf(settings);
  const auto reply = Create(*client, kConfigMaps, {{"metadata", {{"name", "c"}}}});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_THAT(reply.answer.reason, HasSubstr("certificate has expired"));
}

}  // namespace
}  // namespace gs::testing
