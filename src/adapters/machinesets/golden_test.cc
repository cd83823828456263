// The documents for whole clusters, compared with files: tests/openshift/offline/<case> has the
// cluster, the settings, and what comes of them or why it is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "adapters/machinesets/cluster_objects.h"
#include "adapters/machinesets/documents.h"
#include "adapters/machinesets/settings_file.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/print.h"

namespace gs::machinesets {
namespace {

const std::filesystem::path kCases = GS_SOURCE_DIR "/tests/openshift/offline";

std::string ReadText(const std::filesystem::path& path) {
  const auto text = runtime::ReadFile(path, 1 << 20);
  return text ? *text : ToString(text.error());
}

Result<std::string> DocumentsOf(const std::filesystem::path& folder) {
  const auto settings = ReadSettings(ReadText(folder / "settings.yaml"), "settings.yaml");
  if (!settings) return settings.error();
  const auto objects = ReadClusterFolder(folder);
  if (!objects) return objects.error();
  const auto plan = Plan(objects->cluster, objects->present, *settings);
  if (!plan) return plan.error();
  std::string text;
  for (const PlannedSet& set : *plan) {
    const auto& worker = objects->machine_sets.at(set.based_on);
    text += (text.empty() ? "" : "---\n") +
            yaml::PrintYaml(MakeMachineSet(objects->cluster, set, worker));
    if (set.autoscale) text += "---\n" + yaml::PrintYaml(MakeMachineAutoscaler(set));
  }
  if (const auto autoscaler = MakeClusterAutoscaler(*plan)) {
    text += "---\n" + yaml::PrintYaml(*autoscaler);
  }
  return text;
}

TEST(Golden, EveryClusterGetsExactlyWhatItsFileSays) {
  std::set<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kCases))
    folders.insert(entry.path());
  ASSERT_GT(folders.size(), 10U);
  for (const auto& folder : folders) {
    const auto documents = DocumentsOf(folder);
    std::string got = documents ? *documents : ToString(documents.error()) + "\n";
    const auto at = got.find(folder.string());  // a refusal may name the folder
    if (at != std::string::npos) got.replace(at, folder.string().size(), "FOLDER");
    EXPECT_EQ(got, ReadText(folder / "expected.txt")) << folder.filename();
  }
}

}  // namespace
}  // namespace gs::machinesets
