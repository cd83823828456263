#include "adapters/kube/login/login_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace gs::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

TimePoint At(int second) { return TimePoint(seconds(1'700'000'000 + second)); }

// A file whose content a test changes; "" stands for no file.
struct FakeFile {
  std::string content;
  int reads = 0;
  FileReader Reader() {
    return [this](const std::filesystem::path& path) -> Result<std::string> {
      ++reads;
      if (!content.empty()) return content;
      return Error(ErrorKind::kNotFound, "no such file").Within(path.string());
    };
  }
};

ConnectionSettings WithLogin(LoginMethod login) {
  ConnectionSettings settings;
  settings.client_certificate_pem = "CERT";
  settings.client_key_pem = "KEY";
  settings.login = std::move(login);
  return settings;
}

TEST(LoginSource, CertificatesAndFixedTokensNeverChange) {
  EXPECT_EQ(*MakeLoginSource(WithLogin({}), {}, {})->At(At(0)), (Login{"", "CERT", "KEY"}));
  EXPECT_EQ(*MakeLoginSource(WithLogin(FixedToken{"t"}), {}, {})->At(At(0)),
            (Login{"t", "CERT", "KEY"}));
}

TEST(LoginSource, ReadsATokenFileAgainAfterAMinute) {
  FakeFile file{.content = "one\n"};
  const auto source = MakeLoginSource(WithLogin(TokenFile{"/t"}), file.Reader(), {});
  EXPECT_EQ(source->At(At(0))->token, "one");
  file.content = "two\n";
  EXPECT_EQ(source->At(At(59))->token, "one");
  EXPECT_EQ(file.reads, 1);
  EXPECT_EQ(source->At(At(60))->token, "two");
}

TEST(LoginSource, ReadsATokenFileAgainWhenItWasRefused) {
  FakeFile file{.content = "one"};
  const auto source = MakeLoginSource(WithLogin(TokenFile{"/t"}), file.Reader(), {});
  EXPECT_EQ(source->At(At(0))->token, "one");
  file.content = "two";
  source->Forget();
  EXPECT_EQ(source->At(At(1))->token, "two");
}

TEST(LoginSource, KeepsTheLastTokenWhileTheFileIsAway) {
  FakeFile file{.content = "one"};
  const auto source = MakeLoginSource(WithLogin(TokenFile{"/t"}), file.Reader(), {});
  EXPECT_EQ(source->At(At(0))->token, "one");
  file.content = "";
  EXPECT_EQ(source->At(At(70))->token, "one");
  file.content = "two";
  EXPECT_EQ(source->At(At(71))->token, "two");
}

TEST(LoginSource, SaysWhatIsWrongWithATokenFile) {
  FakeFile file;
  const auto source = MakeLoginSource(WithLogin(TokenFile{"/t"}), file.Reader(), {});
  EXPECT_THAT(ToString(source->At(At(0)).error()), HasSubstr("token file: /t: no such file"));
  file.content = " \n";
  EXPECT_THAT(ToString(source->At(At(0)).error()), HasSubstr("/t: is empty"));
  file.content = "a\nb";
  EXPECT_THAT(ToString(source->At(At(0)).error()), HasSubstr("several lines"));
}

TEST(LoginSource, AsksAPluginAgainOnceItsAnswerExpires) {
  int runs = 0;
  const ProcessRunner run = [&runs](const ProcessCall&) -> Result<ProcessEnd> {
    ++runs;
    ProcessEnd end;
    end.stdout_text = R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
      "status":{"token":"t)" +
                      std::to_string(runs) + R"(","expirationTimestamp":")" +
                      PrintTime(At(100 * runs)) + "\"}}";
    return end;
  };
  ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = "x";
  const auto source = MakeLoginSource(WithLogin(plugin), {}, run);
  EXPECT_EQ(*source->At(At(0)), (Login{"t1", "CERT", "KEY"}));
  EXPECT_EQ(source->At(At(99))->token, "t1");
  EXPECT_EQ(source->At(At(100))->token, "t2");
  source->Forget();
  EXPECT_EQ(source->At(At(101))->token, "t3");
}

}  // namespace
}  // namespace gs::kube
