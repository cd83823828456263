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

struct Words {
  int size = 3;
};

struct Options {
  int area = 0;
};

void AddSize(CLI::App& app, Words& words) { app.add_option("--size", words.size, "How large"); }

Result<Options> CheckSize(const Words& words) {
  if (words.size < 0) return Error(ErrorKind::kInvalid, "is negative");
  return Options{words.size * words.size};
}

auto ReadAll(const std::vector<std::string>& args) {
  return ReadOptions({.name = "thing", .purpose = "Does.", .footer = "End.", .version = "1.2"},
                     args, AddSize, CheckSize);
}

TEST(ReadOptions, HasTheDefaultsOfTheWordsAndWhatFlagsSay) {
  EXPECT_EQ(std::get<Options>(*ReadAll({})).area, 9);
  EXPECT_EQ(std::get<Options>(*ReadAll({"--size", "4"})).area, 16);
}

TEST(ReadOptions, ShowsNameVersionAndFooter) {
  EXPECT_EQ(std::get<ShowText>(*ReadAll({"--version"})).text, "thing 1.2\n");
  EXPECT_NE(std::get<ShowText>(*ReadAll({"--help"})).text.find("End."), std::string::npos);
}

TEST(ReadOptions, RefusesWhatTheFlagsOrTheCheckRefuse) {
  EXPECT_NE(ToString(ReadAll({"--colour"}).error()).find("see thing --help"), std::string::npos);
  EXPECT_EQ(ToString(ReadAll({"--size", "-1"}).error()), "is negative");
}

}  // namespace
}  // namespace gs::config
