#include "programs/local/kubeconfig_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "adapters/runtime/read_file.h"
#include "programs/local/folder_for_test.h"

namespace gs::local {
namespace {

std::string Sample() {
  return PrintKubeconfig({.server = "https://127.0.0.1:1",
                          .ca_pem = "ca",
                          .certificate_pem = "certificate",
                          .key_pem = "key"});
}

TEST(KubeconfigFile, IsItsOwnersAlone) {
  const FolderForTest folder;
  const auto path = folder.path() / "config";
  {
    const auto file = KubeconfigFile::Write(path, Sample());
    ASSERT_TRUE(file.ok()) << ToString(file.error());
    EXPECT_EQ(*runtime::ReadFile(path, 10'000), Sample());
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    EXPECT_TRUE(KubeconfigFile::Write(path, Sample()).ok()) << "our own may be replaced";
  }
  EXPECT_TRUE(folder.IsEmpty());
}

TEST(KubeconfigFile, NeverReplacesSomebodyElses) {
  const FolderForTest folder;
  const auto path = folder.path() / "config";
  std::ofstream(path) << "precious";
  const auto file = KubeconfigFile::Write(path, Sample());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(ToString(file.error()), testing::HasSubstr("is no file of gpu-local"));
  EXPECT_EQ(*runtime::ReadFile(path, 100), "precious");
}

TEST(KubeconfigFile, LeavesWhatAnotherOneWroteMeanwhile) {
  const FolderForTest folder;
  const auto path = folder.path() / "config";
  {
    const auto file = KubeconfigFile::Write(path, Sample());
    std::ofstream(path) << "another";
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(KubeconfigFile, SaysWhyItCannotBeWritten) {
  const auto file = KubeconfigFile::Write("/nonexistent/config", Sample());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(ToString(file.error()), testing::HasSubstr("cannot write /nonexistent/config"));
}

}  // namespace
}  // namespace gs::local
