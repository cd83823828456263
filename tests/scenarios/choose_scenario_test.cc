// Runs every file of tests/scenarios/choose. A file that cannot be read is a failing test of its
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "base/gpu_ids.h"
#include "core/decide/devices/choose.h"
#include "tests/scenarios/choose_scenario.h"

namespace gs::scenarios {
namespace {

struct Loaded {
  std::string name;
  Result<ChooseCase> scenario;
};

// Keeps googletest from printing the bytes of a case.
void PrintTo(const Loaded& loaded, std::ostream* out) { *out << loaded.name; }

std::string TestName(const std::string& file, const std::string& name) {
  std::string text = file + "_" + name;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

std::vector<Loaded> LoadAll() {
  const std::filesystem::path root(GS_SOURCE_DIR);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/scenarios/choose")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Loaded> all;
  for (const auto& file : files) {
    auto cases = LoadChooseScenario(file, root);
    if (!cases) {
      all.push_back({TestName(file.stem().string(), "can be read"), std::move(cases).error()});
      continue;
    }
    for (ChooseCase& scenario : *cases) {
      const std::string name = TestName(scenario.file, scenario.name);
      all.push_back({name, std::move(scenario)});
    }
  }
  return all;
}

class ChooseScenario : public ::testing::TestWithParam<Loaded> {};

void ExpectFigures(const devices::Choice& choice, const ChooseExpectation& expected) {
  const std::map<std::string, std::int64_t> actual{{"islands", choice.islands},
                                                   {"setScore", choice.set_score},
                                                   {"partitionScore", choice.partition_score},
                                                   {"runs", choice.runs},
                                                   {"minBandwidthGBps", choice.min_bandwidth_gbps}};
  for (const auto& [figure, value] : expected.figures) {
    EXPECT_EQ(actual.at(figure), value) << figure << " of " << choice;
  }
}

TEST_P(ChooseScenario, IsAsWritten) {
  ASSERT_TRUE(GetParam().scenario) << GetParam().scenario.error();
  const ChooseCase& scenario = *GetParam().scenario;
  const auto topology = devices::Topology::Of(scenario.machine);
  ASSERT_TRUE(topology) << topology.error();
  devices::Availability availability{
      .unused = topology->PositionsOf(scenario.free), .sharers = {}, .unhealthy = {}};
  for (const auto& [id, pods] : scenario.shared) {
    availability.sharers[topology->PositionsOf({id}).First()] = pods;
  }
  const devices::Outcome outcome = devices::Choose(*topology, availability, scenario.request);
  if (const auto* miss = std::get_if<devices::Miss>(&outcome)) {
    ASSERT_TRUE(scenario.expected.refused) << "refused: " << *miss;
    EXPECT_NE(ToString(*miss).find(*scenario.expected.refused), std::string::npos) << *miss;
    return;
  }
  const auto& choice = std::get<devices::Choice>(outcome);
  EXPECT_FALSE(scenario.expected.refused) << "was not refused: " << choice;
  if (scenario.expected.gpus) {
    EXPECT_EQ(PrintGpuIds(choice.ids), *scenario.expected.gpus) << choice;
  }
  ExpectFigures(choice, scenario.expected);
}

INSTANTIATE_TEST_SUITE_P(Choose, ChooseScenario, ::testing::ValuesIn(LoadAll()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace gs::scenarios
