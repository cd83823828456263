#include "adapters/runtime/read_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace gs::runtime {
namespace {

// A directory of its own that is gone afterwards.
class ReadFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(ReadFileTest, ReadsUpToTheLimit) {
  const auto path = Write("f", std::string("a\0b\n", 4));
  EXPECT_EQ(*ReadFile(path, 4), std::string("a\0b\n", 4));
  EXPECT_EQ(*ReadFile(Write("empty", ""), 0), "");
}

TEST_F(ReadFileTest, SaysWhatIsWrongWithAFile) {
  const auto missing = ReadFile(folder_ / "none", 8);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(ToString(missing.error()),
            (folder_ / "none").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(ToString(ReadFile(folder_, 8).error()),
            folder_.string() + ": is a directory, not a file");
  const auto large = Write("large", "12345");
  EXPECT_EQ(ToString(ReadFile(large, 4).error()),
            large.string() + ": is larger than the 4 bytes that are read");
}

TEST_F(ReadFileTest, SaysWhenAFileMustNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto path = Write("secret", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(ToString(ReadFile(path, 8).error()),
            path.string() + ": cannot be opened: Permission denied");
}

}  // namespace
}  // namespace gs::runtime
