#include "adapters/kube/login/service_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/login/files_for_test.h"

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

const FileReader kMounted =
    FilesOf({{"/sa/token", "t"}, {"/sa/ca.crt", "CA"}, {"/sa/namespace", "gpu-system\n"}});

TEST(ServiceAccount, ReadsWhatIsMounted) {
  const auto settings = InClusterSettings("/sa", {.host = "10.0.0.1", .port = "443"}, kMounted);
  ASSERT_TRUE(settings.ok()) << settings.error();
  EXPECT_EQ(settings->server, "https://10.0.0.1:443");
  EXPECT_EQ(settings->ca_pem, "CA");
  EXPECT_EQ(settings->login, LoginMethod(TokenFile{"/sa/token"}));
  EXPECT_EQ(settings->ns, Namespace("gpu-system"));
}

TEST(ServiceAccount, PutsBracketsAroundIpv6) {
  EXPECT_EQ(InClusterSettings("/sa", {.host = "fd00::1", .port = "443"}, kMounted)->server,
            "https://[fd00::1]:443");
}

TEST(ServiceAccount, SaysWhatIsMissing) {
  const auto refusal = [](const ServiceEnvironment& environment, const FileReader& read) {
    return InClusterSettings("/sa", environment, read).error();
  };
  EXPECT_EQ(refusal({}, kMounted).kind(), ErrorKind::kNotFound);
  EXPECT_THAT(ToString(refusal({}, kMounted)), HasSubstr("KUBERNETES_SERVICE_HOST"));
  EXPECT_THAT(ToString(refusal({.host = "h", .port = "x"}, kMounted)),
              HasSubstr("KUBERNETES_SERVICE_PORT: "));
  const Error no_token = refusal({.host = "h", .port = "1"}, FilesOf({}));
  EXPECT_EQ(no_token.kind(), ErrorKind::kNotFound);
  EXPECT_THAT(ToString(no_token), HasSubstr("/sa/token: no such file"));
  EXPECT_THAT(ToString(refusal({.host = "h", .port = "1"}, FilesOf({{"/sa/token", "t"}}))),
              HasSubstr("/sa/ca.crt"));
}

}  // namespace
}  // namespace gs::kube
