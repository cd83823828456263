#include "adapters/config/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace gs::config {
namespace {

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() : app_("Does things.", "thing") {
    app_.set_version_flag("--version", "thing 1.2");
    app_.add_option("--size", size_, "How large");
  }

  auto Read(const std::vector<std::string>& args) {
    return ReadCommandLine(app_, args, "thing --help");
  }

  CLI::App app_;
  int size_ = 0;
};

TEST_F(CommandLineTest, FillsWhatTheProgramAskedFor) {
  const auto read = Read({"--size", "7"});
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->has_value());
  EXPECT_EQ(size_, 7);
}

TEST_F(CommandLineTest, HelpAndVersionAreAllThatIsLeftToDo) {
  EXPECT_EQ((*Read({"--version"}))->text, "thing 1.2\n");
  EXPECT_NE((*Read({"--help"}))->text.find("How large"), std::string::npos);
}

TEST_F(CommandLineTest, ARefusalSaysWhereHelpIs) {
  const auto read = Read({"--colour", "red"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(ToString(read.error()).find("see thing --help"), std::string::npos);
}

}  // namespace
}  // namespace gs::config
