#include "adapters/kube/login/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/login/files_for_test.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

constexpr std::string_view kLaptop = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: dev
clusters:
- name: dev
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority: pki/ca.crt
    extensions:
    - name: minikube.sigs.k8s.io
      extension: {version: v1.33.0}
- name: prod
  cluster:
    server: https://prod.example.com
    certificate-authority-data: Q0E=
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: abc}
contexts:
- name: dev
  context: {cluster: dev, user: admin, namespace: team}
users:
- name: admin
  user:
    client-certificate-data: Q0VSVA==
    client-key: /keys/admin.key
- name: cloud
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [token, --cluster, prod]
      env: [{name: REGION, value: north}]
      provideClusterInfo: true
      interactiveMode: Never
)";

TEST(Kubeconfig, ReadsClustersUsersAndContexts) {
  const auto config = ParseKubeconfig(kLaptop, "/etc/me/.kube/config");
  ASSERT_TRUE(config.ok()) << config.error();
  EXPECT_EQ(config->current_context, "dev");
  EXPECT_THAT(config->clusters, ElementsAre(Key("dev"), Key("prod")));
  EXPECT_EQ(config->clusters.at("prod").entry.ca.pem, "CA");
  EXPECT_EQ(config->clusters.at("prod").entry.exec_config_json, R"({"audience":"abc"})");
  EXPECT_EQ(config->contexts.at("dev").entry.ns, "team");
  EXPECT_EQ(config->users.at("admin").entry.client_certificate.pem, "CERT");
  EXPECT_EQ(config->users.at("admin").file, "/etc/me/.kube/config");
}

TEST(Kubeconfig, ResolvesPathsAgainstTheFilesFolder) {
  const auto config = ParseKubeconfig(kLaptop, "/etc/me/.kube/config");
  ASSERT_TRUE(config.ok()) << config.error();
  EXPECT_EQ(config->clusters.at("dev").entry.ca.path, "/etc/me/.kube/pki/ca.crt");
  EXPECT_EQ(config->users.at("admin").entry.client_key.path, "/keys/admin.key");
  EXPECT_EQ(config->users.at("cloud").entry.exec->command, "/etc/me/.kube/bin/login");
}

TEST(Kubeconfig, ReadsExecPlugins) {
  const auto config = ParseKubeconfig(kLaptop, "config");
  ASSERT_TRUE(config.ok()) << config.error();
  const auto& exec = *config->users.at("cloud").entry.exec;
  EXPECT_EQ(exec.api_version, "client.authentication.k8s.io/v1");
  EXPECT_THAT(exec.args, ElementsAre("token", "--cluster", "prod"));
  EXPECT_THAT(exec.env, ElementsAre(std::pair<std::string, std::string>("REGION", "north")));
  EXPECT_TRUE(exec.provides_cluster_info);
  EXPECT_EQ(exec.interactive_mode, InteractiveMode::kNever);
}

TEST(Kubeconfig, TakesAnEmptyFileAndJson) {
  EXPECT_THAT(ParseKubeconfig("\n", "config")->clusters, IsEmpty());
  const auto config = ParseKubeconfig(R"({"clusters": null, "current-context": "a"})", "config");
  ASSERT_TRUE(config.ok()) << config.error();
  EXPECT_EQ(config->current_context, "a");
}

TEST(Kubeconfig, SaysFileEntryAndFieldOfAMistake) {
  const std::pair<const char*, const char*> cases[] = {
      {"clusters: 7", "cfg: clusters: expected a list"},
      {"clusters: [{cluster: {}}]", "cfg: clusters[0].name: is missing"},
      {"clusters: [{name: a, cluster: {server: 7}}]", "cfg: cluster a: server: expected text"},
      {"clusters: [{name: a}, {name: a}]", "cfg: clusters[1]: cluster \"a\" is given twice"},
      {"users: [{name: u, user: {client-key-data: '!'}}]",
       "cfg: user u: client-key-data: is no base64"},
      {"users: [{name: u, user: {exec: {command: x}}}]",
       "cfg: user u: exec.apiVersion: is missing"},
      {"users: [{name: u, user: {exec: {apiVersion: v, command: x, interactiveMode: Often}}}]",
       "expected one of Never, IfAvailable, Always"},
      {"users: [{name: u, user: {exec: {apiVersion: v, command: x, env: [{value: 1}]}}}]",
       "exec.env[0]: "},
      {"- a", "cfg: expected an object"},
      {"a: [", "cfg: line "},
  };
  for (const auto& [text, message] : cases) {
    const auto config = ParseKubeconfig(text, "cfg");
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(ToString(config.error()), HasSubstr(message)) << text;
  }
}

TEST(Kubeconfig, FilesComeFromTheVariableOrTheHome) {
  EXPECT_THAT(KubeconfigFiles("", "/etc/me"), ElementsAre("/etc/me/.kube/config"));
  EXPECT_THAT(KubeconfigFiles("/a::/b", "/etc/me"), ElementsAre("/a", "/b"));
  EXPECT_THAT(KubeconfigFiles("", ""), IsEmpty());
}

TEST(Kubeconfig, TheFirstFileWinsEntryByEntry) {
  const auto read = FilesOf({
      {"/a", "clusters: [{name: c, cluster: {server: https://one}}]"},
      {"/b",
       "current-context: x\nclusters: [{name: c, cluster: {server: https://two, "
       "tls-server-name: two}}, {name: d, cluster: {server: https://three}}]"},
  });
  const auto config = LoadKubeconfig({"/a", "/missing", "/b"}, read);
  ASSERT_TRUE(config.ok()) << config.error();
  EXPECT_EQ(config->clusters.at("c").entry.server, "https://one");
  EXPECT_EQ(config->clusters.at("c").entry.tls_server_name, "");  // never half of each
  EXPECT_EQ(config->clusters.at("d").file, "/b");
  EXPECT_EQ(config->current_context, "x");
}

TEST(Kubeconfig, SaysWhereItLookedIfThereIsNone) {
  const auto config = LoadKubeconfig({"/a", "/b"}, FilesOf({}));
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(ToString(config.error()), HasSubstr("looked for /a, /b"));
  EXPECT_THAT(config.error().advice(), HasSubstr("KUBECONFIG"));
}

}  // namespace
}  // namespace gs::kube
