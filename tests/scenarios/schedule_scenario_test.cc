// Runs every story of tests/scenarios/schedule. A file that cannot be read is a failing test of its
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "tests/scenarios/schedule_scenario.h"

namespace gs::scenarios {
namespace {

const std::filesystem::path kRoot(GS_SOURCE_DIR);

struct Loaded {
  std::string name;
  Result<ScheduleStory> story;
};

// Keeps googletest from printing the bytes of a story.
void PrintTo(const Loaded& loaded, std::ostream* out) { *out << loaded.name; }

std::string TestName(const std::string& file, const std::string& name) {
  std::string text = file + "_" + name;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

std::vector<Loaded> LoadAll() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(kRoot / "tests/scenarios/schedule")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Loaded> all;
  for (const auto& file : files) {
    auto stories = LoadScheduleScenario(file);
    if (!stories) {
      all.push_back({TestName(file.stem().string(), "can be read"), std::move(stories).error()});
      continue;
    }
    for (ScheduleStory& story : *stories) {
      const std::string name = TestName(story.file, story.name);
      all.push_back({name, std::move(story)});
    }
  }
  return all;
}

class ScheduleScenario : public ::testing::TestWithParam<Loaded> {};

TEST_P(ScheduleScenario, IsAsWritten) {
  ASSERT_TRUE(GetParam().story) << GetParam().story.error();
  const auto differences = WhatDiffers(*GetParam().story, kRoot);
  EXPECT_TRUE(differences.empty())
      << text::Join(differences, "\n", [](const std::string& each) { return each; });
}

TEST_P(ScheduleScenario, WhatIsToldToHelpHelps) {
  ASSERT_TRUE(GetParam().story) << GetParam().story.error();
  const TriedChanges tried = TryToldChanges(*GetParam().story, kRoot);
  RecordProperty("tried", std::to_string(tried.count));
  EXPECT_TRUE(tried.untrue.empty())
      << text::Join(tried.untrue, "\n", [](const std::string& each) { return each; });
}

// Most stories have somebody wait, so that the test above is not about nothing.
TEST(ScheduleScenarioRunner, ManyChangesAreTried) {
  std::size_t tried = 0;
  for (const Loaded& loaded : LoadAll()) {
    if (loaded.story && loaded.story->file == "explain") {
      tried += TryToldChanges(*loaded.story, kRoot).count;
    }
  }
  EXPECT_GE(tried, 15U);
}

INSTANTIATE_TEST_SUITE_P(Schedule, ScheduleScenario, ::testing::ValuesIn(LoadAll()),
                         [](const auto& param) { return param.param.name; });

// The runner must be able to find a difference.
TEST(ScheduleScenarioRunner, FindsWhatIsNotAsWritten) {
  const ScheduleStory story{
      .file = {},
      .name = {},
      .steps = {{{"expect", {{"pods", {{"nobody", "node1:0"}}}}}}, {{"dance", 1}}},
      .starts = "leader"};
  const auto differences = WhatDiffers(story, kRoot);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0], "step 1: nobody should be at node1:0, is gone");
  EXPECT_NE(differences[1].find("dance"), std::string::npos) << differences[1];
}

}  // namespace
}  // namespace gs::scenarios
