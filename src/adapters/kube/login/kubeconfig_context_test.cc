#include "adapters/kube/login/kubeconfig_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

// "the content of <path>" for every file below /pki.
Result<std::string> ReadPki(const std::filesystem::path& path) {
  if (path.string().starts_with("/pki/")) return "content of " + path.string();
  return Error(ErrorKind::kNotFound, "no such file").Within(path.string());
}

// One context `c` of cluster `k` and user `u`, whose fields are given.
Result<ConnectionSettings> Settings(const std::string& cluster, const std::string& user,
                                    std::string_view context = "") {
  const std::string text = "current-context: c\nclusters: [{name: k, cluster: {" + cluster +
                           "}}]\nusers: [{name: u, user: {" + user +
                           "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}, "
                           "{name: stray, context: {cluster: gone, user: u}}, "
                           "{name: nobody, context: {cluster: k, user: gone}}, "
                           "{name: open, context: {cluster: k, namespace: team}}]";
  const auto config = ParseKubeconfig(text, "/etc/cfg");
  if (!config) return config.error();
  return SettingsOf(*config, context, ReadPki);
}

std::string Refusal(const std::string& cluster, const std::string& user,
                    std::string_view context = "") {
  const auto settings = Settings(cluster, user, context);
  return settings ? "accepted" : ToString(settings.error());
}

TEST(KubeconfigContext, ReadsCertificatesFromFilesAndText) {
  const auto settings = Settings(
      "server: 'https://api:6443/k8s/', certificate-authority: /pki/ca.crt, tls-server-name: kube",
      "client-certificate-data: Q0VSVA==, client-certificate: /none, client-key: /pki/key");
  ASSERT_TRUE(settings.ok()) << settings.error();
  EXPECT_EQ(settings->server, "https://api:6443/k8s");
  EXPECT_EQ(settings->ca_pem, "content of /pki/ca.crt");
  EXPECT_EQ(settings->tls_server_name, "kube");
  EXPECT_EQ(settings->client_certificate_pem, "CERT");
  EXPECT_EQ(settings->client_key_pem, "content of /pki/key");
  EXPECT_TRUE(settings->is_server_verified);
  EXPECT_EQ(settings->ns, Namespace("default"));
}

TEST(KubeconfigContext, ChoosesTheLogin) {
  const auto login = [](const std::string& user) {
    return Settings("server: 'http://x', insecure-skip-tls-verify: true", user)->login;
  };
  EXPECT_EQ(login("token: abc"), LoginMethod(FixedToken{"abc"}));
  EXPECT_EQ(login("token: abc, tokenFile: tok"), LoginMethod(TokenFile{"/etc/tok"}));
  EXPECT_EQ(std::get<ExecPlugin>(login("exec: {apiVersion: v, command: get}")).command, "get");
  EXPECT_EQ(login(""), LoginMethod());
}

TEST(KubeconfigContext, TheContextCanBeNamed) {
  const auto settings = Settings("server: 'https://x'", "token: t", "open");
  ASSERT_TRUE(settings.ok()) << settings.error();
  EXPECT_EQ(settings->ns, Namespace("team"));
  EXPECT_EQ(settings->login, LoginMethod());
}

TEST(KubeconfigContext, SaysWhatIsMissing) {
  const std::string fine = "server: 'https://x'";
  EXPECT_THAT(
      Refusal(fine, "", "other"),
      HasSubstr(R"(no context "other" in the kubeconfig; there are c, nobody, open, stray)"));
  EXPECT_THAT(Refusal(fine, "", "stray"), HasSubstr("context stray: there is no cluster \"gone\""));
  EXPECT_THAT(Refusal(fine, "", "nobody"), HasSubstr("context nobody: there is no user \"gone\""));
  EXPECT_THAT(ToString(SettingsOf(Kubeconfig{}, "", ReadPki).error()), HasSubstr("--context"));
}

TEST(KubeconfigContext, RefusesClustersItCannotReach) {
  EXPECT_THAT(Refusal("", ""), HasSubstr("/etc/cfg: cluster k: server: expected the URL"));
  EXPECT_THAT(Refusal("server: 'api:6443'", ""), HasSubstr("https://HOST:PORT"));
  EXPECT_THAT(Refusal("server: 'https://x', proxy-url: 'http://p'", ""), HasSubstr("proxy-url: "));
  EXPECT_THAT(Refusal("server: 'https://x', certificate-authority: /none/ca", ""),
              HasSubstr("cluster k: certificate-authority: /none/ca: no such file"));
  EXPECT_THAT(Refusal("server: 'https://x', certificate-authority: /pki/c, "
                      "insecure-skip-tls-verify: true",
                      ""),
              HasSubstr("remove one of the two"));
}

TEST(KubeconfigContext, RefusesLoginsThatAreNotOffered) {
  const std::string fine = "server: 'https://x'";
  EXPECT_THAT(Refusal(fine, "username: a, password: b"),
              HasSubstr("user u: username and password"));
  EXPECT_THAT(Refusal(fine, "auth-provider: {name: gcp}"), HasSubstr("auth-provider"));
  EXPECT_THAT(Refusal(fine, "token: t, as: root"), HasSubstr("acting as somebody else"));
  EXPECT_THAT(Refusal(fine, "client-key: /pki/k"), HasSubstr("go together"));
  // Old clusters wrote a password beside the certificate that counts.
  EXPECT_EQ(Refusal(fine, "token: t, username: a, password: b"), "accepted");
}

}  // namespace
}  // namespace gs::kube
